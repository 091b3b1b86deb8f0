"""Bring a database to the newest layout: numbered SQL files, each applied once, all in one transaction.

`PRAGMA user_version` is the number of the last file applied. The write lock is taken before it is read, so two processes that
open at once do not both migrate. A crash in the middle leaves the old layout.
"""

import re
import sqlite3
from collections.abc import Iterator, Sequence
from importlib.resources import files

from gossamer import faults
from gossamer.errors import CrawlTooNew

_NAME = re.compile(r"(\d{4})_\w+\.sql")


def shipped() -> list[tuple[int, str]]:
    """Return number and text of every migration of ours, in order."""
    folder = files("gossamer.storage.catalog") / "migrations"
    found = ((_NAME.fullmatch(file.name), file) for file in folder.iterdir())
    return sorted((int(name[1]), file.read_text(encoding="utf-8")) for name, file in found if name)


def migrate(connection: sqlite3.Connection, migrations: Sequence[tuple[int, str]]) -> None:
    """Apply the migrations that are missing; the connection must be in autocommit mode."""
    newest = migrations[-1][0]
    if is_current(connection, migrations):
        return  # without the write lock: a reader beside a running crawl gets this far
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _version(connection)
        if version > newest:
            raise CrawlTooNew(f"the catalog has layout {version}, this gossamer knows up to {newest}; use the newer gossamer")
        for number, script in migrations:
            if number > version:
                for statement in _statements(script):
                    connection.execute(statement)
                    faults.reach("during-migration")
        connection.execute(f"PRAGMA user_version = {newest}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def is_current(connection: sqlite3.Connection, migrations: Sequence[tuple[int, str]]) -> bool:
    """Tell whether a database has the newest layout."""
    return _version(connection) == migrations[-1][0]


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _statements(script: str) -> Iterator[str]:
    """Take a script apart; sqlite3's own executescript would commit first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
