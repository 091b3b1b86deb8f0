"""The catalog in one SQLite file, in WAL mode: one writer, and readers that never wait for it.

A transaction is in the write-ahead log when `add` returns: a kill -9 keeps it; and the log has reached the disk, or will within
a second (`durability.py`). SQLite's own way to that, `synchronous = FULL`, syncs the same file in the middle of COMMIT, while
the event loop waits; so here a thread does it, and another one brings the log into the database (`backfill.py`).
A catalog that cannot be written, on read-only media or somebody else's, is opened to be read: SQLite would want to make files
beside it for that, unless it is told that nothing changes, or finds the log that somebody else is writing.
Search indexes and totals change in the same transaction as the pages, so they never tell different stories. They are kept by
statements of ours and not by triggers: inside a trigger FTS5 writes its index out for every single row.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from errno import EACCES, EDQUOT, ENOSPC, EPERM, EROFS
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from gossamer.durability import Syncing, sync_directory
from gossamer.errors import CrawlInUse, CrawlReadOnly, DiskFull, GossamerError, StoreError
from gossamer.joints.shelving import Shelving
from gossamer.records.item import Harvest, KeptItem, KeptProblem
from gossamer.records.location import Location
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Totals
from gossamer.records.pagequery import EVERY_PAGE, PageQuery, PageSlice
from gossamer.records.versions import Version
from gossamer.seal import Seal
from gossamer.storage.catalog import items, marks, rows, slices, versions, words
from gossamer.storage.catalog.backfill import BACKSTOP, Backfill
from gossamer.storage.catalog.kinds import Kinds
from gossamer.storage.catalog.marks import Marks
from gossamer.storage.catalog.schema import is_made, make
from gossamer.storage.catalog.sealed import check_structure, has_log, seal_of

_WAIT = 30.0  # for another process to finish its transaction, in seconds
_TEXTS_AT_ONCE = 16  # a crawl that writes beside `index` waits for no longer than these take
_KEPT = (Outcome.OK, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE, Outcome.NOT_MODIFIED)

_UNINDEXED = (
    f"{rows.SELECT} INDEXED BY pages_unindexed "
    "WHERE text_id IS NULL AND outcome IN ('ok', 'not_modified') AND duplicate_of = '' AND file IS NOT NULL AND noindex = 0 "
    "ORDER BY id LIMIT ?"
)
_TOTALS = ("pages", "bytes", "bodies_cut", "links_cut", "pages_cut")
_TOTAL = (
    f"INSERT INTO totals (outcome, {', '.join(_TOTALS)}) VALUES (?, ?, ?, ?, ?, ?) "
    f"ON CONFLICT (outcome) DO UPDATE SET {', '.join(f'{name} = {name} + excluded.{name}' for name in _TOTALS)}"
)
_COPIES = "SELECT url FROM pages WHERE duplicate_of = ? AND duplicate_of <> '' ORDER BY id LIMIT ?"
_INHERIT = (
    "UPDATE pages SET duplicate_of = ?1 WHERE duplicate_of = ?2 AND duplicate_of <> '' AND url <> ?1 "
    "AND (digest <> ?3 OR digest = ?4)"
)
_NAMES = "INSERT INTO names (rowid, url, title) SELECT id, url, title FROM pages WHERE id >= ? AND id < ? AND noindex = 0"
_NAME = "INSERT INTO names (rowid, url, title) VALUES (?, ?, ?)"
_UNNAME = "INSERT INTO names (names, rowid, url, title) VALUES ('delete', ?, ?, ?)"


class SqliteCatalog:
    """Pages by key, searched by words, host, status, type and time."""

    def __init__(self, connection: sqlite3.Connection, path: Path, durable: bool, reading: str = "mode=ro") -> None:
        self._connection = connection
        self._path = path
        self._reading = reading  # how another connection is opened that only reads
        self._syncing = Syncing(self._sync, durable)
        self._backfill = Backfill(path)
        self._kinds = Kinds(connection)
        self._marks = Marks(connection)
        self._meets_again = False  # pages that are there already, mostly
        self._seal: Seal | None = None  # once something was written
        self._log: int | None = None  # descriptor of the write-ahead log, which is one file while a connection is open

    @classmethod
    async def open(cls, location: Location, durable: bool) -> "SqliteCatalog":
        """Open the catalog of a crawl, or make it."""
        return cls.open_at(location.on_disk, durable)

    @classmethod
    async def exists(cls, location: Location) -> bool:
        """Tell whether there is a catalog at a location."""
        return location.on_disk.exists()

    @classmethod
    def open_at(cls, path: Path, durable: bool = True) -> "SqliteCatalog":
        """Open or create the catalog; `durable`: what was added outlives a power loss."""
        if path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            return cls._open_to_read(path)
        seal = seal_of(path)
        with _in_our_words(path):
            connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None)
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

    @classmethod
    def _open_to_read(cls, path: Path) -> "SqliteCatalog":
        """Open a catalog that cannot be written."""
        is_written = Path(f"{path}-wal").exists()  # by somebody, or it was when the last one was killed
        reading = "mode=ro" if is_written else "mode=ro&immutable=1"
        seal = seal_of(path)
        with _in_our_words(path):
            connection = _connect_to_read(path, reading)
            try:
                check_structure(connection, seal, path)
                if not is_made(connection, path):
                    raise CrawlReadOnly(f"{path} is empty, and can only be read here; look at a copy of the crawl")
            except BaseException:
                connection.close()
                raise
        return cls(connection, path, durable=False, reading=reading)

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

    async def get(self, key: str) -> Page | None:
        """Return the page of a key."""
        with _in_our_words(self._path):
            row = self._connection.execute(f"{rows.SELECT} WHERE key = ?", (key,)).fetchone()
        return rows.page_of(row) if row else None

    async def get_by_id(self, name: int) -> Page | None:
        """Return the page whose key has a fingerprint."""
        with self._reading_now() as reader:
            key = marks.find(reader, name)
        return None if key is None else await self.get(key)

    async def page_list(self, query: PageQuery, limit: int, cursor: str = "") -> PageSlice:
        """Return a slice of the pages that match a query."""
        with self._reading_now() as reader:
            return slices.page_slice(reader, query, limit, cursor)

    async def pages(self, query: PageQuery = EVERY_PAGE, limit: int | None = None) -> AsyncIterator[Page]:
        """Walk over pages that match a query, as they were when the walk began, whatever is added meanwhile."""
        with self._reading_now() as reader:
            for row in slices.walk(reader, query, rows.WHOLE, limit):
                yield rows.page_of(row)

    async def items(
        self, query: PageQuery = EVERY_PAGE, *, key: str = "", reader: str = "", limit: int | None = None, after: int = 0
    ) -> AsyncIterator[KeptItem]:
        """Walk over items by number; the walk sees the catalog as it was when it began."""
        with self._reading_now() as connection:
            for item in items.walk(connection, query, key, reader, after, limit):
                yield item

    async def problems(self, *, key: str = "", limit: int | None = None, after: int = 0) -> AsyncIterator[KeptProblem]:
        """Walk over what went wrong in readers by number."""
        with self._reading_now() as connection:
            for problem in items.walk_problems(connection, key, after, limit):
                yield problem

    async def columns(
        self, fields: Sequence[str], at_once: int, query: PageQuery = EVERY_PAGE, limit: int | None = None
    ) -> AsyncIterator[list[list[Any]]]:
        """Walk over some fields of pages: nothing else is read, and no page is made."""
        chosen = rows.ChosenFields(fields)
        with self._reading_now() as reader:
            found = slices.walk(reader, query, chosen.columns, limit)
            while some := list(islice(found, at_once)):
                yield chosen.values(some)

    async def copies(self, url: str, limit: int) -> list[str]:
        """Return the URLs of pages that are copies of this one, exact ones and near ones."""
        with _in_our_words(self._path):
            return [copy for (copy,) in self._connection.execute(_COPIES, (url, limit))]

    async def counts(self) -> dict[str, int]:
        """Return pages by outcome."""
        with _in_our_words(self._path):
            return dict(self._connection.execute("SELECT outcome, pages FROM totals WHERE pages > 0").fetchall())

    async def totals(self) -> Totals:
        """Return how many pages were kept, and the bytes of all bodies received with the last visit of each URL; and cuts."""
        with _in_our_words(self._path):
            sums = self._connection.execute(f"SELECT outcome, {', '.join(_TOTALS)} FROM totals").fetchall()
        kept = sum(row[1] for row in sums if row[0] in _KEPT)
        length, cut, links, pages = (sum(row[column] for row in sums) for column in range(2, 6))
        return Totals(kept, length, bodies_cut=cut, links_cut=(links, pages))

    async def versions(self, key: str) -> list[Version]:
        """Return every kept capture of a page, newest first."""
        with _in_our_words(self._path):
            return versions.of_page(self._connection, key)

    async def excess(self, keep: int, after: Version | None = None) -> AsyncIterator[Version]:
        """Walk over captures beyond the newest `keep` of each page; never what the page itself shows."""
        with self._reading_now() as reader:
            for version in versions.excess(reader, keep, after):
                yield version

    async def uses(self, file: str) -> bool:
        """Tell whether any capture is in a file of the archive."""
        with _in_our_words(self._path):
            return versions.uses(self._connection, file)

    async def move(self, file: str, target: str, offsets: Mapping[int, int], gone: Collection[int] = ()) -> None:
        """Let what was in one file be in another, and forget captures that are gone; on the disk when it returns."""
        with self._transaction():
            versions.move(self._connection, file, target, offsets, gone)
        await asyncio.to_thread(self._sync)  # also when the crawl is only `fast`: the old file is removed next

    async def unindexed(self, limit: int) -> list[Page]:
        """Return kept pages whose text, as it is now, is not indexed."""
        with _in_our_words(self._path):
            return [rows.page_of(row) for row in self._connection.execute(_UNINDEXED, (limit,))]

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

    async def checkpoint(self, target: Shelving) -> None:
        """Write a consistent copy into a new file."""
        async with target.path(self._path) as path:
            with _in_our_words(path), closing(sqlite3.connect(path)) as copy:
                self._connection.backup(copy)
            seal_of(path).close([path])

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
    def _reading_now(self) -> Iterator[sqlite3.Connection]:
        """Open a connection that sees the catalog as it is now, until it is closed."""
        with _in_our_words(self._path), closing(_connect_to_read(self._path, self._reading)) as connection:
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _in_our_words(self._path):
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


def _connect_to_read(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=_WAIT, isolation_level=None)


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Switch to WAL mode; SQLite's own waiting for a lock does not cover this switch, so two that open at once wait here."""
    until = time.monotonic() + _WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(0.01)


@contextmanager
def _in_our_words(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _failure(error, path) from error
    except OSError as error:  # of its seal
        if error.errno in (ENOSPC, EDQUOT):
            raise DiskFull(f"no space is left for {path}; free some and resume") from error
        if error.errno in (EROFS, EACCES, EPERM):
            raise CrawlReadOnly(f"{path} cannot be written; check its permissions") from error
        raise StoreError(f"the catalog {path} failed: {error.strerror}; look at the disk") from error


def _failure(error: sqlite3.Error, path: Path) -> GossamerError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return DiskFull(f"no space is left for {path}; free some and resume")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return CrawlReadOnly(f"{path} cannot be written; check its permissions")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return CrawlInUse(f"{path} is in use by another process; wait for it or end it")
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return StoreError(f"{path} is damaged or no catalog at all; restore it from a copy")
    return StoreError(f"the catalog {path} failed: {error}")
