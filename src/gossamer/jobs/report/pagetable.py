"""The pages of a crawl in a table of their own, to be counted and ordered without holding them in memory.

A catalog is asked for pages and nothing else, whatever keeps it; so what a report counts is laid out once in a temporary SQLite
file, which goes with the connection, and every list is one statement.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from gossamer.errors import SpoolError
from gossamer.jobs.report.facts import Listing
from gossamer.records.page import Page
from gossamer.url.fingerprint import fingerprint
from gossamer.url.spelling import is_spelled

Row = TypeVar("Row")

KEPT = "outcome IN ('ok', 'duplicate', 'near_duplicate', 'not_modified')"
_PAGES = """
CREATE TABLE pages (name INTEGER, url TEXT, host TEXT, outcome TEXT, status INTEGER, mime TEXT, bytes INTEGER, seconds REAL,
    depth INTEGER, title TEXT, digest TEXT, copy_of TEXT, noindex INTEGER, reason TEXT, fetched_at REAL)
"""
_INSERT = f"INSERT INTO pages VALUES ({', '.join('?' * 15)})"
_AFTERWARDS = (
    "CREATE INDEX pages_url ON pages (url)",
    "CREATE INDEX pages_title ON pages (host, title)",
    "CREATE INDEX pages_copies ON pages (copy_of) WHERE copy_of <> ''",
    # hosts that something was kept of, or that a seed is of: any other one is only linked
    f"CREATE TABLE ours AS SELECT DISTINCT host FROM pages WHERE {KEPT} OR depth = 0",
)
_CACHE = 32 * 1024  # KiB of the table that are kept in memory
_SIGN = 1 << 63


class PageTable:
    """Pages, laid out for questions in SQL."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def opened(cls) -> Iterator["PageTable"]:
        """Give an empty table; it is gone afterwards."""
        connection = sqlite3.connect("", isolation_level=None)  # in a file that has no name
        try:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute(f"PRAGMA cache_size = -{_CACHE}")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(_PAGES)
            yield cls(connection)
        except sqlite3.Error as error:
            raise SpoolError(f"a temporary table failed ({error}); make room where TMPDIR points to") from error
        finally:
            connection.close()

    def fill(self, pages: Iterable[list[Page]], tick: Callable[[int], None]) -> None:
        """Lay out pages, some at a time, and say how many, again and again."""
        self._connection.execute("BEGIN")
        for some in pages:
            self._connection.executemany(_INSERT, map(_row, some))
            tick(len(some))
        for statement in _AFTERWARDS:
            self._connection.execute(statement)
        self._connection.execute("COMMIT")

    def add(self, table: str, columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Make one more table of some rows; its columns as SQL declares them."""
        self._connection.execute(f"CREATE TABLE {table} ({columns})")
        self._connection.execute("BEGIN")
        self._connection.executemany(
            f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * (columns.count(',') + 1))})", rows
        )
        self._connection.execute("COMMIT")

    def ask(self, sql: str, *parameters: object) -> Iterator[tuple[Any, ...]]:
        """Walk over the rows of a statement."""
        return self._connection.execute(sql, parameters)

    def count(self, sql: str, *parameters: object) -> int:
        """Return how many rows a statement has."""
        (count,) = self._connection.execute(f"SELECT count(*) FROM ({sql})", parameters).fetchone()
        return int(count)

    def listing(self, make: Callable[..., Row], limit: int | None, sql: str, *parameters: object) -> Listing[Row]:
        """Return the first rows of a statement, made into records, and how many there are."""
        rows = self.ask(f"{sql} LIMIT ?", *parameters, -1 if limit is None else limit)
        return Listing(self.count(sql, *parameters), tuple(make(*row) for row in rows))


def signed(name: int) -> int:
    """Return a fingerprint as SQLite takes it, which has no unsigned numbers."""
    return name - (1 << 64) if name & _SIGN else name


def _row(page: Page) -> tuple[object, ...]:
    key = page.key[:-1] if is_spelled(page.key) else page.key
    return (
        signed(fingerprint(key)),
        page.url,
        page.host,
        page.outcome.value,
        page.status,
        page.mime,
        page.length,
        page.response_seconds,
        page.depth,
        page.title.strip(),
        page.digest,
        page.duplicate_of,
        int(page.noindex),
        str(page.reason or ""),
        page.fetched_at,
    )
