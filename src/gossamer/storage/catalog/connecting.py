"""Connections to a catalog that only read, and what SQLite says when it fails, in our words."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EACCES, EDQUOT, ENOSPC, EPERM, EROFS
from pathlib import Path
from urllib.parse import quote

from gossamer.errors import CrawlInUse, CrawlReadOnly, DiskFull, GossamerError, StoreError

WAIT = 30.0  # for another process to finish its transaction, in seconds


def is_writable(path: Path) -> bool:
    """Tell whether a catalog can be written here."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a connection that only reads.

    SQLite wants to make files beside the catalog for that; where it cannot, it is told that nothing changes, or finds the log
    that somebody else is writing, or was when he was killed.
    """
    how = "mode=ro" if is_writable(path) or Path(f"{path}-wal").exists() else "mode=ro&immutable=1"
    return sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=WAIT, isolation_level=None)


@contextmanager
def in_our_words(path: Path) -> Iterator[None]:
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
