"""The catalog in one SQLite file, in WAL mode: one writer, and readers that never wait for it.

A transaction is in the write-ahead log when `add` returns: a kill -9 keeps it; and the log has reached the disk, or will within
a second (`durability.py`). SQLite's own way to that, `synchronous = FULL`, syncs the same file in the middle of COMMIT, while
the event loop waits; so here a thread does it, and another one brings the log into the database (`backfill.py`).
Whoever does not write, or cannot, on read-only media or somebody else's, opens it to be read (`reading.py`).
Search indexes and totals change in the same transaction as the pages, so they never tell different stories. They are kept by
statements of ours and not by triggers: inside a trigger FTS5 writes its index out for every single row.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from gossamer.durability import Syncing, sync_directory
from gossamer.errors import CrawlReadOnly, StoreError
from gossamer.records.item import Harvest
from gossamer.records.location import Location
from gossamer.records.page import Page
from gossamer.seal import Seal
from gossamer.storage.catalog import items, rows, versions, words
from gossamer.storage.catalog.backfill import BACKSTOP, Backfill
from gossamer.storage.catalog.connecting import WAIT, connect_to_read, in_our_words, is_writable
from gossamer.storage.catalog.kinds import Kinds
from gossamer.storage.catalog.marks import Marks
from gossamer.storage.catalog.reading import TOTALS, CatalogReader, ReadOnlyCatalog
from gossamer.storage.catalog.schema import is_made, make
from gossamer.storage.catalog.sealed import check_structure, has_log, seal_of

_TEXTS_AT_ONCE = 16  # a crawl that writes beside `index` waits for no longer than these take

_TOTAL = (
    f"INSERT INTO totals (outcome, {', '.join(TOTALS)}) VALUES (?, ?, ?, ?, ?, ?) "
    f"ON CONFLICT (outcome) DO UPDATE SET {', '.join(f'{name} = {name} + excluded.{name}' for name in TOTALS)}"
)
_INHERIT = (
    "UPDATE pages SET duplicate_of = ?1 WHERE duplicate_of = ?2 AND duplicate_of <> '' AND url <> ?1 "
    "AND (digest <> ?3 OR digest = ?4)"
)
_NAMES = "INSERT INTO names (rowid, url, title) SELECT id, url, title FROM pages WHERE id >= ? AND id < ? AND noindex = 0"
_NAME = "INSERT INTO names (rowid, url, title) VALUES (?, ?, ?)"
_UNNAME = "INSERT INTO names (names, rowid, url, title) VALUES ('delete', ?, ?, ?)"


class SqliteCatalog(CatalogReader):
    """A catalog that is written; what it is asked it answers with the connection that writes."""

    def __init__(self, connection: sqlite3.Connection, path: Path, durable: bool) -> None:
        super().__init__(path)
        self._connection = connection
        self._syncing = Syncing(self._sync, durable)
        self._backfill = Backfill(path)
        self._kinds = Kinds(connection)
        self._marks = Marks(connection)
        self._meets_again = False  # pages that are there already, mostly
        self._seal: Seal | None = None  # once something was written
        self._log: int | None = None  # descriptor of the write-ahead log, which is one file while a connection is open

    @classmethod
    async def open(cls, location: Location, durable: bool, writing: bool) -> "SqliteCatalog | ReadOnlyCatalog":
        """Open the catalog of a crawl, or make it."""
        path = location.on_disk
        if path.exists() and not (writing and is_writable(path)):
            return cls.open_to_read(path)
        return cls.open_at(path, durable)

    @classmethod
    async def exists(cls, location: Location) -> bool:
        """Tell whether there is a catalog at a location."""
        return location.on_disk.exists()

    @classmethod
    def open_to_read(cls, path: Path) -> "SqliteCatalog | ReadOnlyCatalog":
        """Open a catalog that is there, and is only asked; or make it, if it is empty and that can be done."""
        seal = seal_of(path)
        with in_our_words(path), closing(connect_to_read(path)) as connection:
            check_structure(connection, seal, path)
            if is_made(connection, path):
                return ReadOnlyCatalog(path)
        if is_writable(path):
            return cls.open_at(path)
        raise CrawlReadOnly(f"{path} is empty, and can only be read here; look at a copy of the crawl")

    @classmethod
    def open_at(cls, path: Path, durable: bool = True) -> "SqliteCatalog":
        """Open or create the catalog; `durable`: what was added outlives a power loss."""
        seal = seal_of(path)
        with in_our_words(path):
            connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
            try:
                _log_ahead(connection)
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute(f"PRAGMA wal_autocheckpoint = {BACKSTOP}")
                check_structure(connection, seal, path)
                catalog = cls(connection, path, durable)
                if not is_made(connection, path):
                    catalog._break_seal()
                    make(connection, path)
            except BaseException:
                connection.close()
                raise
        return catalog

    @contextmanager
    def _asking(self) -> Iterator[sqlite3.Connection]:
        with in_our_words(self._path):
            yield self._connection

    async def add(
        self, pages: Sequence[Page], heirs: Sequence[tuple[Page, Page]] = (), harvests: Mapping[str, Harvest] = {}
    ) -> None:
        """Insert or replace, by key, in one transaction; copies of one that no longer counts are those of its heir."""
        if not pages:
            return
        try:
            self._add(rows.latest(pages), heirs, harvests)
        except UnicodeEncodeError:  # half a surrogate pair, in what some page calls its title
            self._add(rows.latest(list(map(rows.encodable, pages))), heirs, harvests)
        self._backfill.note(len(pages))
        await self._syncing.acknowledge()

    def _sync(self) -> None:
        """Sync the write-ahead log; runs on a thread. A second descriptor is safe: SQLite's locks are not on this file."""
        try:
            if self._log is None:
                self._log = os.open(f"{self._path}-wal", os.O_RDONLY | os.O_CLOEXEC)
                sync_directory(self._path.parent)
            os.fdatasync(self._log)
        except OSError as error:
            raise StoreError(
                f"the catalog {self._path} cannot be synced to disk ({error.strerror}); look at the disk"
            ) from error

    def _add(self, latest: dict[str, Page], heirs: Sequence[tuple[Page, Page]], harvests: Mapping[str, Harvest]) -> None:
        with self._transaction():
            known: list[tuple[Any, ...]] = []
            new = list(latest.values())
            if self._meets_again:  # otherwise all are likely to be new, which writing them tells as well
                known = rows.known(self._connection, latest)
                keys = {key for key, *_ in known}
                new = [page for page in new if page.key not in keys]
            ids, count = rows.insert(self._connection, self._kinds, new)
            if count < len(new):
                known = [row for row in rows.known(self._connection, latest) if row[1] < ids.start]
            for key in [key for key, _, token, *_ in known if latest[key].token < token]:
                del latest[key]  # whoever says so has lost its lease since
            known = [row for row in known if row[0] in latest]
            old = [(id_, latest[key]) for key, id_, *_ in known]
            rows.update(self._connection, self._kinds, old)
            versions.add(self._connection, old)
            versions.add_new(self._connection, ids)
            self._rename(known, old, ids)
            self._recount(known, latest)
            self._marks.note(ids.start - 1)  # of the new numbers some may be given again, if their pages were known
            items.replace(self._connection, latest, harvests)
            for former, heir in heirs:
                self._connection.execute(_INHERIT, (heir.url, former.url, former.digest, heir.digest))
                items.inherit(self._connection, former, heir)
        self._meets_again = 2 * len(known) > len(latest)

    def _rename(self, known: list[tuple[Any, ...]], old: list[tuple[int, Page]], ids: range) -> None:
        """Bring the index over URL and title up to date."""
        gone = [(id_, url, title) for _, id_, _, url, title, noindex, *_ in known if not noindex]
        self._connection.executemany(_UNNAME, gone)
        self._connection.executemany(_NAME, [(id_, page.url, page.title) for id_, page in old if not page.noindex])
        self._connection.execute(_NAMES, (ids.start, ids.stop))

    def _recount(self, known: list[tuple[Any, ...]], latest: dict[str, Page]) -> None:
        sums: dict[str, list[int]] = {}
        for *_, outcome, length, cut, links_cut in known:
            _count(sums, outcome, -1, length, cut, links_cut)
        for page in latest.values():
            _count(sums, page.outcome._value_, 1, page.length, page.truncated != "", page.links_cut)  # `value` is a call
        self._connection.executemany(_TOTAL, [(outcome, *numbers) for outcome, numbers in sums.items()])

    async def move(self, file: str, target: str, offsets: Mapping[int, int], gone: Collection[int] = ()) -> None:
        """Let what was in one file be in another, and forget captures that are gone; on the disk when it returns."""
        with self._transaction():
            versions.move(self._connection, file, target, offsets, gone)
        await asyncio.to_thread(self._sync)  # also when the crawl is only `fast`: the old file is removed next

    async def add_text(self, texts: Sequence[tuple[Page, str]]) -> None:
        """Index the text of pages; a page that has changed meanwhile stays unindexed."""
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            with self._transaction():
                for page, text in texts[start : start + _TEXTS_AT_ONCE]:
                    self._add_text(page, text)

    def _add_text(self, page: Page, text: str) -> None:
        same = "SELECT id, url, title FROM pages WHERE key = ? AND digest = ? AND text_id IS NULL AND noindex = 0"
        row = self._connection.execute(same, (page.key, page.digest)).fetchone()
        if row is not None:
            id_, url, title = row
            words.add_text(self._connection, id_, url, title, text)

    async def aclose(self) -> None:
        """Close; a second time does nothing."""
        try:
            await self._syncing.aclose()
        finally:
            self._backfill.close()
            self._connection.close()
            if self._log is not None:
                os.close(self._log)
                self._log = None
            if self._seal is not None and not has_log(self._path):  # else somebody has it open, and seals it
                self._seal.close([self._path])
                self._seal = None

    def _break_seal(self) -> None:
        """Say that the catalog is open, before the first change; no sync: while there is a log the seal does not count."""
        self._seal = seal_of(self._path, checked=False)
        self._seal.mark_open(synced=False)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with in_our_words(self._path):
            if self._seal is None:
                self._break_seal()
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk may have rolled back already
                    self._connection.execute("ROLLBACK")
                self._kinds.forget()
                self._marks.forget()
                raise


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Switch to WAL mode; SQLite's own waiting for a lock does not cover this switch, so two that open at once wait here."""
    until = time.monotonic() + WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(0.01)


def _count(sums: dict[str, list[int]], outcome: str, one: int, length: int, cut: bool, links_cut: int) -> None:
    """Add a page to what is counted, or take it away."""
    numbers = sums.setdefault(outcome, [0, 0, 0, 0, 0])
    numbers[0] += one
    numbers[1] += one * length
    if cut:
        numbers[2] += one
    if links_cut:
        numbers[3] += one * links_cut
        numbers[4] += one
