"""Statements over the captures of pages: one row each, found by page.

A page's own place always has a row here: it is added in the same transaction, and nothing takes it away.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from gossamer.errors import StoreError
from gossamer.records.page import Page, Place
from gossamer.records.versions import Version

_INTO = "INTO versions (page, file, record_offset, record_length, captured_at, digest, length, status, mime) "
_INSERT = f"INSERT OR IGNORE {_INTO} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # a place that was visited again may be there already
_INSERT_NEW = (
    f"INSERT OR IGNORE {_INTO} SELECT id, file, record_offset, record_length, "
    "CASE captured_at WHEN 0 THEN fetched_at ELSE captured_at END, digest, length, status, mime "
    "FROM pages WHERE id >= ? AND id < ? AND file IS NOT NULL"
)
_COLUMNS = ("captured_at", "digest", "file", "record_offset", "record_length", "length", "status", "mime")
_SELECT = f"SELECT pages.key, {', '.join(f'captures.{name}' for name in _COLUMNS)} FROM "
_OF_A_PAGE = (
    f"{_SELECT} versions AS captures JOIN pages ON pages.id = captures.page WHERE pages.key = ? "
    "ORDER BY captures.captured_at DESC, captures.file DESC, captures.record_offset DESC"
)
# An answer without content (gone, moved) must not push out the last content there was, so the two are counted apart.
_EXCESS = (
    f"{_SELECT} (SELECT *, row_number() OVER ("
    "PARTITION BY page, status BETWEEN 200 AND 299 ORDER BY captured_at DESC, file DESC, record_offset DESC) AS number "
    "FROM versions WHERE page IN (SELECT page FROM versions GROUP BY page HAVING count(*) > ?1)) AS captures "
    "JOIN pages ON pages.id = captures.page WHERE captures.number > ?1 "
    "AND NOT (captures.file IS pages.file AND captures.record_offset IS pages.record_offset) "
    "AND (pages.key, captures.captured_at, captures.file, captures.record_offset) > (?2, ?3, ?4, ?5) "
    "ORDER BY pages.key, captures.captured_at, captures.file, captures.record_offset"
)
_ITS_PLACE = "SELECT key FROM pages WHERE id = ? AND file = ? AND record_offset = ?"


def add(connection: sqlite3.Connection, pages: Sequence[tuple[int, Page]]) -> None:
    """Note where pages are kept, each with its id."""
    connection.executemany(_INSERT, [_row(id_, page, page.place) for id_, page in pages if page.place is not None])


def add_new(connection: sqlite3.Connection, ids: range) -> None:
    """Note where pages of some ids are kept."""
    connection.execute(_INSERT_NEW, (ids.start, ids.stop))


def of_page(connection: sqlite3.Connection, key: str) -> list[Version]:
    """Return the captures of a page, newest first."""
    return [_version(row) for row in connection.execute(_OF_A_PAGE, (key,))]


def excess(connection: sqlite3.Connection, keep: int, after: Version | None = None) -> Iterator[Version]:
    """Walk over captures beyond the newest `keep` of each page, but for its own place; those behind one, if it is given."""
    start = ("", 0.0, "", 0) if after is None else (after.key, after.captured_at, after.place.file, after.place.offset)
    for row in connection.execute(_EXCESS, (keep, *start)):
        yield _version(row)


def uses(connection: sqlite3.Connection, file: str) -> bool:
    """Tell whether any capture is in a file."""
    return connection.execute("SELECT 1 FROM versions WHERE file = ? LIMIT 1", (file,)).fetchone() is not None


def move(connection: sqlite3.Connection, file: str, target: str, offsets: Mapping[int, int], without: Collection[int]) -> None:
    """Let captures and pages of one file be in another; captures at offsets that it is `without` are forgotten."""
    rows = connection.execute("SELECT page, file, record_offset FROM versions WHERE file = ?", (file,)).fetchall()
    gone = [row for row in rows if row[2] in without]
    for row in rows:
        if row[2] not in offsets and row[2] not in without:
            raise StoreError(f"a capture in {file} at byte {row[2]} would be lost; run gossamer verify")
    for row in gone:
        if (page := connection.execute(_ITS_PLACE, row).fetchone()) is not None:
            raise StoreError(f"{page[0]} is kept in {file} at byte {row[2]}, which would be removed; run gossamer verify")
    connection.executemany("DELETE FROM versions WHERE page = ? AND file = ? AND record_offset = ?", gone)
    moved = [(target, offsets[row[2]], *row) for row in rows if row[2] not in without]
    for table, id_ in (("versions", "page"), ("pages", "id")):
        connection.executemany(
            f"UPDATE {table} SET file = ?, record_offset = ? WHERE {id_} = ? AND file = ? AND record_offset = ?", moved
        )


def _row(id_: int, page: Page, place: Place) -> tuple[Any, ...]:
    captured_at = page.captured_at or page.fetched_at
    return (
        id_,
        place.file,
        place.offset,
        place.length,
        captured_at,
        page.digest,
        page.length,
        page.status,
        page.mime,
    )


def _version(row: tuple[Any, ...]) -> Version:
    key, captured_at, digest, file, offset, record_length, length, status, mime = row
    place = Place(file, offset, record_length)
    return Version(key=key, captured_at=captured_at, digest=digest, place=place, length=length, status=status, mime=mime)
