"""The layout of the catalog: one SQL file and its number, which `PRAGMA user_version` of a database says.

There are no migrations: a catalog of another layout is refused with a sentence. It is made in one transaction, and the write
lock is taken before its number is read, so two processes that open at once do not both make it, and a crash in the middle
leaves none.
"""

import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from gossamer import faults
from gossamer.errors import CrawlError, CrawlTooNew

VERSION = 14  # of schema.sql


def is_made(connection: sqlite3.Connection, path: Path) -> bool:
    """Tell whether a database has our layout; an empty one has none yet, and one of another layout is refused."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    theirs = f"{path} has layout {version}, this gossamer reads and writes layout {VERSION}"
    if version > VERSION:
        raise CrawlTooNew(f"{theirs}; upgrade gossamer")
    if 0 < version < VERSION:
        raise CrawlError(f"{theirs}; finish with the older gossamer that wrote it, or crawl into a new directory")
    return bool(version)


def make(connection: sqlite3.Connection, path: Path) -> None:
    """Give an empty database our layout; the connection must be in autocommit mode."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not is_made(connection, path):  # nor by another process since
            for statement in _statements(files("gossamer.storage.catalog").joinpath("schema.sql").read_text("utf-8")):
                connection.execute(statement)
                faults.reach("during-creation")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """Take a script apart; sqlite3's own executescript would commit first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
