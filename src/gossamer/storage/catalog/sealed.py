"""The seal of a catalog: SQLite has no checksums of its own, so the whole file has one when nobody has it open.

While a log stands beside the catalog somebody writes it, or was killed doing so: then the seal says nothing. Several processes
may write one catalog; whoever closes it last, when the log is gone, seals it. A catalog that was not closed is asked for what
SQLite itself can see, if it is small.
"""

import sqlite3
from pathlib import Path

from gossamer.errors import StoreError
from gossamer.seal import RESTORE, Seal

MOST = 256 * 1024 * 1024  # bytes that are read when a catalog is opened: a tenth of a second; `verify` reads more
QUICK = 16 * 1024 * 1024  # bytes of a catalog whose structure is looked through


def seal_of(path: Path, checked: bool = True) -> Seal:
    """Return the seal of a catalog; refuse one that is not as its seal says."""
    seal = Seal(path.with_name(f"{path.name}.seal"), f"{RESTORE}, or remove {path.name}.seal to go on with it as it is")
    if checked and not has_log(path):
        seal.check(MOST)
        if seal.exists and not (path.is_file() and path.stat().st_size):
            raise StoreError(f"{path} is empty, and was not; {RESTORE}")
    return seal


def has_log(path: Path) -> bool:
    """Tell whether there is anything in the write-ahead log of a catalog."""
    log = Path(f"{path}-wal")
    return log.is_file() and log.stat().st_size > 0


def check_structure(connection: sqlite3.Connection, seal: Seal, path: Path) -> None:
    """Let SQLite look through a catalog that was not closed, unless it is large."""
    if path.stat().st_size > QUICK or (seal.is_closed and not has_log(path)):
        return
    for (problem,) in connection.execute("PRAGMA quick_check(1)"):
        if problem != "ok":
            raise StoreError(f"{path} is damaged ({' '.join(problem.split())}); {RESTORE}")
