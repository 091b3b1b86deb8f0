"""Brings what is in SQLite's write-ahead log into the database file, on a thread, beside a crawl that writes on.

Left to itself SQLite does so in the middle of a COMMIT, with two syncs, while the event loop waits: 10 us a page and more,
2 of them CPU. What is written meanwhile stays in the log, so the log begins anew only when the thread has caught up, or when
it is BACKSTOP pages long: then the writer does what is left. Nothing depends on it: what it cannot do is done the next time.
"""

import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

AFTER = 1_000  # pages of the crawl; about twice as many of the log
BACKSTOP = 4_000  # pages of the log: 16 MB


class Backfill:
    """The thread of one catalog; there is none before it is needed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread: ThreadPoolExecutor | None = None
        self._under_way: Future[None] | None = None
        self._connection: sqlite3.Connection | None = None
        self._count = 0

    def note(self, pages: int) -> None:
        """Take note that so many more pages are in the log."""
        self._count += pages
        if self._count >= AFTER and (self._under_way is None or self._under_way.done()):
            self._count = 0
            self._thread = self._thread or ThreadPoolExecutor(1, "backfill")
            self._under_way = self._thread.submit(self._run)

    def close(self) -> None:
        """Wait for what is under way."""
        if self._thread is not None:
            self._thread.shutdown()
        if self._connection is not None:
            self._connection.close()

    def _run(self) -> None:
        with suppress(sqlite3.Error):
            if self._connection is None:
                self._connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
