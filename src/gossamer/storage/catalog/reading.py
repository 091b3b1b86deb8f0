"""Questions to the catalog. Whoever only asks has no connection between two questions, and each sees the catalog as it is then.

A reader never waits for the writer, nor the writer for it. But while somebody reads, what is written stays in the log, so a
slice is over in milliseconds; and while somebody else has a connection, a crawl that ends cannot close its log: none is kept.
"""

import sqlite3
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from gossamer.errors import CrawlReadOnly
from gossamer.joints.shelving import Shelving
from gossamer.records.item import Harvest, KeptItem, KeptProblem
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Totals
from gossamer.records.pagequery import EVERY_PAGE, PageQuery, PageSlice
from gossamer.records.versions import Version
from gossamer.storage.catalog import items, marks, rows, slices, versions
from gossamer.storage.catalog.connecting import connect_to_read, in_our_words
from gossamer.storage.catalog.sealed import seal_of

_KEPT = (Outcome.OK, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE, Outcome.NOT_MODIFIED)
TOTALS = ("pages", "bytes", "bodies_cut", "links_cut", "pages_cut")
_UNINDEXED = (
    f"{rows.SELECT} INDEXED BY pages_unindexed "
    "WHERE text_id IS NULL AND outcome IN ('ok', 'not_modified') AND duplicate_of = '' AND file IS NOT NULL AND noindex = 0 "
    "ORDER BY id LIMIT ?"
)
_COPIES = "SELECT url FROM pages WHERE duplicate_of = ? AND duplicate_of <> '' ORDER BY id LIMIT ?"


class CatalogReader:
    """Pages by key, searched by words, host, status, type and time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def _asking(self) -> AbstractContextManager[sqlite3.Connection]:
        """Return a connection for one question."""
        return self._walking()

    @contextmanager
    def _walking(self) -> Iterator[sqlite3.Connection]:
        """Open a connection that sees the catalog as it is now, until it is closed."""
        with in_our_words(self._path), closing(connect_to_read(self._path)) as connection:
            connection.execute("BEGIN")
            yield connection

    async def get(self, key: str) -> Page | None:
        """Return the page of a key."""
        with self._asking() as connection:
            row = connection.execute(f"{rows.SELECT} WHERE key = ?", (key,)).fetchone()
        return rows.page_of(row) if row else None

    async def get_by_id(self, name: int) -> Page | None:
        """Return the page whose key has a fingerprint."""
        with self._asking() as connection:
            key = marks.find(connection, name)
        return None if key is None else await self.get(key)

    async def page_list(self, query: PageQuery, limit: int, cursor: str = "") -> PageSlice:
        """Return a slice of the pages that match a query."""
        with self._walking() as connection:
            return slices.page_slice(connection, query, limit, cursor)

    async def pages(self, query: PageQuery = EVERY_PAGE, limit: int | None = None) -> AsyncIterator[Page]:
        """Walk over pages that match a query, as they were when the walk began, whatever is added meanwhile."""
        with self._walking() as reader:
            for row in slices.walk(reader, query, rows.WHOLE, limit):
                yield rows.page_of(row)

    async def items(
        self, query: PageQuery = EVERY_PAGE, *, key: str = "", reader: str = "", limit: int | None = None, after: int = 0
    ) -> AsyncIterator[KeptItem]:
        """Walk over items by number; the walk sees the catalog as it was when it began."""
        with self._walking() as connection:
            for item in items.walk(connection, query, key, reader, after, limit):
                yield item

    async def problems(self, *, key: str = "", limit: int | None = None, after: int = 0) -> AsyncIterator[KeptProblem]:
        """Walk over what went wrong in readers by number."""
        with self._walking() as connection:
            for problem in items.walk_problems(connection, key, after, limit):
                yield problem

    async def columns(
        self, fields: Sequence[str], at_once: int, query: PageQuery = EVERY_PAGE, limit: int | None = None
    ) -> AsyncIterator[list[list[Any]]]:
        """Walk over some fields of pages: nothing else is read, and no page is made."""
        chosen = rows.ChosenFields(fields)
        with self._walking() as reader:
            found = slices.walk(reader, query, chosen.columns, limit)
            while some := list(islice(found, at_once)):
                yield chosen.values(some)

    async def copies(self, url: str, limit: int) -> list[str]:
        """Return the URLs of pages that are copies of this one, exact ones and near ones."""
        with self._asking() as connection:
            return [copy for (copy,) in connection.execute(_COPIES, (url, limit))]

    async def counts(self) -> dict[str, int]:
        """Return pages by outcome."""
        with self._asking() as connection:
            return dict(connection.execute("SELECT outcome, pages FROM totals WHERE pages > 0").fetchall())

    async def totals(self) -> Totals:
        """Return how many pages were kept, and the bytes of all bodies received with the last visit of each URL; and cuts."""
        with self._asking() as connection:
            sums = connection.execute(f"SELECT outcome, {', '.join(TOTALS)} FROM totals").fetchall()
        kept = sum(row[1] for row in sums if row[0] in _KEPT)
        length, cut, links, pages = (sum(row[column] for row in sums) for column in range(2, 6))
        return Totals(kept, length, bodies_cut=cut, links_cut=(links, pages))

    async def versions(self, key: str) -> list[Version]:
        """Return every kept capture of a page, newest first."""
        with self._asking() as connection:
            return versions.of_page(connection, key)

    async def excess(self, keep: int, after: Version | None = None) -> AsyncIterator[Version]:
        """Walk over captures beyond the newest `keep` of each page; never what the page itself shows."""
        with self._walking() as reader:
            for version in versions.excess(reader, keep, after):
                yield version

    async def uses(self, file: str) -> bool:
        """Tell whether any capture is in a file of the archive."""
        with self._asking() as connection:
            return versions.uses(connection, file)

    async def unindexed(self, limit: int) -> list[Page]:
        """Return kept pages whose text, as it is now, is not indexed."""
        with self._asking() as connection:
            return [rows.page_of(row) for row in connection.execute(_UNINDEXED, (limit,))]

    async def checkpoint(self, target: Shelving) -> None:
        """Write a consistent copy into a new file."""
        async with target.path(self._path) as path:
            with in_our_words(path), self._asking() as connection, closing(sqlite3.connect(path)) as copy:
                connection.backup(copy)
            seal_of(path).close([path])


class ReadOnlyCatalog(CatalogReader):
    """A catalog that was opened to be read."""

    async def add(
        self, pages: Sequence[Page], heirs: Sequence[tuple[Page, Page]] = (), harvests: Mapping[str, Harvest] = {}
    ) -> None:
        """Refuse to write."""
        if pages:
            self._refuse()

    async def move(self, file: str, target: str, offsets: Mapping[int, int], gone: Collection[int] = ()) -> None:
        """Refuse to write."""
        self._refuse()

    async def add_text(self, texts: Sequence[tuple[Page, str]]) -> None:
        """Refuse to write."""
        self._refuse()

    async def aclose(self) -> None:
        """There is nothing to close."""

    def _refuse(self) -> NoReturn:
        raise CrawlReadOnly(f"{self._path} cannot be written; check its permissions")
