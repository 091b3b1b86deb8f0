"""The rows of a table, some at a time."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any

from gossamer.joints.export import Holdings
from gossamer.joints.walks import batches
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.storage.export.tables import Column

_THERE = frozenset({Outcome.OK, Outcome.NOT_MODIFIED})


def rows_of(holdings: Holdings, table: str, at_once: int) -> AsyncIterator[list[Any]]:
    """Walk over the rows of a table, so many at a time."""
    walk: AsyncIterator[Any] = holdings.links() if table == "links" else holdings.pages()
    return batches(walk, at_once)


def written(column: Column, rows: Sequence[Any]) -> list[Any]:
    """Return the values of a column as a format of text has them: a time is a date by ISO 8601."""
    values = column.of(rows)
    return [None if value is None else moment(value) for value in values] if column.kind == "time" else values


def is_there(page: Page) -> bool:
    """Tell whether a page has content of its own."""
    return page.outcome in _THERE and not page.duplicate_of


def moment(milliseconds: int) -> str:
    """Spell a time."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat()[:19]}.{rest:03}Z"
