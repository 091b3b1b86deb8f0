"""Statements over what readers found on pages, and over what went wrong in them.

A page's rows change in the transaction of its page and as a whole: the new ones take the place of the old ones.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from gossamer.records.item import Harvest, KeptItem, KeptProblem
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.pagequery import PageQuery
from gossamer.storage.catalog.conditions import Conditions, of_host, of_row

_TABLES = ("items", "problems")
_ITEM = "INSERT INTO items (page, captured_at, reader, content) VALUES (?, ?, ?, ?)"
_PROBLEM = "INSERT INTO problems (page, captured_at, reader, error, place, trace) VALUES (?, ?, ?, ?, ?, ?)"
_ID = "SELECT id FROM pages WHERE key = ?"
_INHERIT = f"DELETE FROM {{table}} WHERE page = ({_ID}) AND reader IN (SELECT reader FROM items WHERE page = ({_ID}))"
_ITEMS = (
    "SELECT items.number, pages.url, pages.host, items.captured_at, items.reader, items.content "
    "FROM items CROSS JOIN pages ON pages.id = items.page"  # in the order of numbers, whatever SQLite thinks of the conditions
)
_PROBLEMS = (
    "SELECT problems.number, pages.url, pages.host, problems.captured_at, reader, error, problems.place, trace "
    "FROM problems CROSS JOIN pages ON pages.id = problems.page"
)


def replace(connection: sqlite3.Connection, pages: Mapping[str, Page], harvests: Mapping[str, Harvest]) -> None:
    """Let pages that were just written have what their readers found now."""
    for key, harvest in harvests.items():
        page = pages.get(key)
        if page is None:
            continue  # whoever says so has lost its lease since
        (id_,) = connection.execute(_ID, (key,)).fetchone()
        for table in _TABLES:
            connection.execute(f"DELETE FROM {table} WHERE page = ?", (id_,))
        at = page.captured_at or page.fetched_at
        connection.executemany(_ITEM, [(id_, at, item.reader, item.content) for item in harvest.items])
        problems = [(id_, at, one.reader, one.error, one.where, one.trace) for one in harvest.problems]
        connection.executemany(_PROBLEM, problems)


def inherit(connection: sqlite3.Connection, former: Page, heir: Page) -> None:
    """Leave a page that is an exact copy of its heir now without what the same readers found on that."""
    if former.outcome is Outcome.DUPLICATE:
        for table in _TABLES:
            connection.execute(_INHERIT.format(table=table), (former.key, heir.key))


def walk(
    connection: sqlite3.Connection, query: PageQuery, key: str, reader: str, after: int, limit: int | None
) -> Iterator[KeptItem]:
    """Walk over items by number, behind one, of pages that match a query."""
    where = _bounded("items", key, after) + of_host(query) + of_row(query)
    if reader:
        where += Conditions(("items.reader = ?",), (reader,))
    for row in _rows(connection, _ITEMS, "items", where, limit):
        number, url, host, at, name, content = row
        yield KeptItem(number=number, url=url, host=host, fetched_at=at, reader=name, content=content)


def walk_problems(connection: sqlite3.Connection, key: str, after: int, limit: int | None) -> Iterator[KeptProblem]:
    """Walk over problems by number, behind one."""
    for row in _rows(connection, _PROBLEMS, "problems", _bounded("problems", key, after), limit):
        yield KeptProblem(**dict(zip(KeptProblem.__struct_fields__, row, strict=True)))


def _bounded(table: str, key: str, after: int) -> Conditions:
    behind = Conditions((f"{table}.number > ?",), (after,))
    return behind + Conditions((f"{table}.page = ({_ID})",), (key,)) if key else behind


def _rows(
    connection: sqlite3.Connection, select: str, table: str, where: Conditions, limit: int | None
) -> Iterator[tuple[Any, ...]]:
    sql = f"{select} WHERE {where.sql} ORDER BY {table}.number LIMIT ?"
    yield from connection.execute(sql, (*where.parameters, -1 if limit is None else limit))
