"""The changes between two states of crawls: two walks in the order of keys side by side, a row for each difference.

The rows are in a temporary SQLite file, because a page that is gone and one that was added, with the same content, are one that
moved, and that is known only when both walks are over.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from typing import Literal

from msgspec import Struct

from gossamer.errors import SpoolError
from gossamer.jobs.diff.states import OpenSide, PageState, Side
from gossamer.records.likeness import distance
from gossamer.records.outcome import Outcome

Kind = Literal["added", "gone", "moved", "changed", "near"]
KINDS: tuple[Kind, ...] = ("added", "gone", "moved", "changed", "near")
NEAR = 3  # bits of 64 by which the SimHashes of nearly the same texts differ at most
AT_ONCE = 1_000  # pages between two words about how far it is
NOT_FOUND = "not found"

_TABLE = (
    "CREATE TABLE changes (kind TEXT, url TEXT, target TEXT, was TEXT, now TEXT, how TEXT, bits INTEGER, digest TEXT, "
    "PRIMARY KEY (kind, url)) WITHOUT ROWID"
)
_INSERT = "INSERT OR REPLACE INTO changes VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
# The first page that is gone with some content is the first that was added with it, the second the second.
_MOVED = """
WITH numbered AS (
    SELECT *, row_number() OVER (PARTITION BY kind, digest ORDER BY url) AS number FROM changes WHERE digest <> ''
)
INSERT OR REPLACE INTO changes
SELECT 'moved', gone.url, added.url, gone.was, gone.now, 'same content', NULL, gone.digest
FROM numbered AS gone JOIN numbered AS added
ON gone.kind = 'gone' AND added.kind = 'added' AND gone.digest = added.digest AND gone.number = added.number
"""


class PageChange(Struct, frozen=True, kw_only=True):
    """One page that is not what it was."""

    change: Kind
    url: str
    target: str = ""  # of one that moved: where to
    was: str = ""  # how it ended before, and now; an empty text: as a page
    now: str = ""
    how: str = ""  # it moved: redirected, same content
    bits: int | None = None  # of 64 by which the texts differ; None: they have none, or too few words


class ChangeTable:
    """The changes that were found."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def counts(self) -> dict[Kind, int]:
        """Return how many there are of each kind."""
        found = dict(self._connection.execute("SELECT kind, count(*) FROM changes GROUP BY kind"))
        return {kind: found.get(kind, 0) for kind in KINDS}

    def of(self, kind: Kind, limit: int | None = None) -> Iterator[PageChange]:
        """Walk over the changes of one kind, in the order of URLs."""
        sql = "SELECT kind, url, target, was, now, how, bits FROM changes WHERE kind = ? ORDER BY url LIMIT ?"
        for change, url, target, was, now, how, bits in self._connection.execute(sql, (kind, -1 if limit is None else limit)):
            yield PageChange(change=change, url=url, target=target, was=was, now=now, how=how, bits=bits)


@contextmanager
def changes_between(before: Side, after: Side, tick: Callable[[int], None] = lambda count: None) -> Iterator[ChangeTable]:
    """Give the changes from one state to another."""
    with closing(sqlite3.connect("", isolation_level=None)) as connection:  # in a file that has no name
        try:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute(_TABLE)
            connection.execute("BEGIN")
            asyncio.run(_compare(before, after, connection, tick))
            _find_moved(connection)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise SpoolError(f"a temporary table failed ({error}); make room where TMPDIR points to") from error
        yield ChangeTable(connection)


def _find_moved(connection: sqlite3.Connection) -> None:
    """Join what is gone and what was added; what a redirect leads to was not added but moved there."""
    added = "DELETE FROM changes WHERE kind = 'added' AND url IN (SELECT target FROM changes WHERE kind = 'moved')"
    connection.execute(added)
    connection.execute(_MOVED)
    connection.execute("DELETE FROM changes WHERE kind = 'gone' AND url IN (SELECT url FROM changes WHERE kind = 'moved')")
    connection.execute(added)


async def _compare(before: Side, after: Side, connection: sqlite3.Connection, tick: Callable[[int], None]) -> None:
    count = 0
    async with OpenSide.of(before) as one, OpenSide.of(after) as two:
        async for old, new in _side_by_side(one.states(), two.states()):
            change = await _change(old, new, one, two)
            if change is not None:
                known = new if new is not None and new.has_content else old
                connection.execute(_INSERT, _row(change, known.digest if known is not None else ""))
            count += 1
            if count % AT_ONCE == 0:
                tick(AT_ONCE)


async def _side_by_side(
    before: AsyncIterator[PageState], after: AsyncIterator[PageState]
) -> AsyncIterator[tuple[PageState | None, PageState | None]]:
    """Walk over both, pages of one key together."""
    old, new = await anext(before, None), await anext(after, None)
    while old is not None or new is not None:
        if new is None or (old is not None and old.key < new.key):
            yield old, None
            old = await anext(before, None)
        elif old is None or new.key < old.key:
            yield None, new
            new = await anext(after, None)
        else:
            yield old, new
            old, new = await anext(before, None), await anext(after, None)


async def _change(old: PageState | None, new: PageState | None, one: OpenSide, two: OpenSide) -> PageChange | None:
    """Say how a page changed; None: it did not, or there was none and is none."""
    if old is not None and old.has_content:
        if new is not None and new.has_content:
            return await _rewritten(old, new, one, two) if old.digest != new.digest else None
        if new is not None and new.outcome is Outcome.REDIRECTED and (target := await two.redirect_of(new)):
            return PageChange(change="moved", url=old.url, target=target, now=_ended(new), how="redirected")
        return PageChange(change="gone", url=old.url, now=_ended(new))
    if new is not None and new.has_content:
        return PageChange(change="added", url=new.url, was=_ended(old) if old is not None else "")
    return None


async def _rewritten(old: PageState, new: PageState, one: OpenSide, two: OpenSide) -> PageChange:
    """Say whether a page with other bytes says nearly the same."""
    before, now = await one.simhash_of(old), await two.simhash_of(new)
    bits = distance(before, now) if before is not None and now is not None else None
    return PageChange(change="near" if bits is not None and bits <= NEAR else "changed", url=new.url, bits=bits)


def _ended(state: PageState | None) -> str:
    """Say in short how a page ended."""
    if state is None:
        return NOT_FOUND
    return (f"{state.status} " if state.status else "") + state.outcome.replace("_", " ")


def _row(change: PageChange, digest: str) -> tuple[object, ...]:
    return change.change, change.url, change.target, change.was, change.now, change.how, change.bits, digest
