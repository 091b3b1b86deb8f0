"""The rows of a table, some at a time, as columns; and how a format of text spells them."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

from gossamer.joints.export import Holdings
from gossamer.joints.walks import batches
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.storage.export.tables import PAGES, TABLES, ExportTable

_THERE = frozenset({Outcome.OK, Outcome.NOT_MODIFIED})


async def columns_of(holdings: Holdings, table: str, at_once: int) -> AsyncIterator[list[list[Any]]]:
    """Walk over the columns of a table, so many rows at a time."""
    if table == "pages":
        async for values in holdings.columns(PAGES.fields, at_once):
            yield PAGES.made(values)
        return
    walk: AsyncIterator[Any] = holdings.links() if table == "links" else holdings.items()
    async for rows in batches(walk, at_once):
        yield TABLES[table].of(rows)


def spelled_out(table: ExportTable, columns: list[list[Any]]) -> list[list[Any]]:
    """Return columns as a format of text has them: a time is a date by ISO 8601."""
    return [
        [None if value is None else moment(value) for value in values] if column.kind == "time" else values
        for column, values in zip(table.columns, columns, strict=True)
    ]


def is_there(page: Page) -> bool:
    """Tell whether a page has content of its own."""
    return page.outcome in _THERE and not page.duplicate_of


def moment(milliseconds: int) -> str:
    """Spell a time."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat()[:19]}.{rest:03}Z"
