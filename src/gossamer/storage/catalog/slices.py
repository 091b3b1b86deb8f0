"""Slices of lists of pages: so many of a query, from a cursor on, in milliseconds however many pages there are.

A slice looks at a bounded number of pages. When these do not hold enough that match, as for a rare type on a large host, it has
fewer, and a cursor that goes on behind what was looked at: a door answers at once, and whoever wants more asks again.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from time import monotonic
from typing import Any

import msgspec

from gossamer.records.page import Page
from gossamer.records.pagequery import Order, PageQuery, PageSlice, cursor_of, position_in
from gossamer.storage.catalog import rows, words
from gossamer.storage.catalog.conditions import keys_of, of_keys, of_row
from gossamer.storage.catalog.ways import NEWEST_FIRST, ByKey, ByTime, IndexWalks, ways_of

LOOKED_AT = 2_000  # pages whose rows are read to tell whether they match; 10 ms when they are in memory
PASSED_OVER = 20_000  # pages of which the index tells
LONGEST = 0.02  # seconds, when a disk has to be read
_EVERY = 64  # pages between two looks at the clock


def page_slice(connection: sqlite3.Connection, query: PageQuery, limit: int, cursor: str) -> PageSlice:
    """Return a slice of the pages of a query; the connection is in a transaction."""
    slice_of, form = _SLICES[query.ordered, bool(query.words.strip())]
    ids, position = slice_of(connection, query, limit, position_in(query, cursor, form) if cursor else None)
    return PageSlice(tuple(pages_of(connection, ids)), "" if position is None else cursor_of(query, position))


def walk(connection: sqlite3.Connection, query: PageQuery, columns: str, limit: int | None) -> Iterator[tuple[Any, ...]]:
    """Walk over columns of all pages of a query; the connection is in a transaction."""
    if query.words.strip():
        found = _found_by_words(connection, query, columns, limit)
    elif query.host and query.ordered is Order.NEW:
        where = of_keys(query) + of_row(query)
        sql = f"SELECT {columns} FROM pages WHERE {where.sql} ORDER BY {NEWEST_FIRST}"
        found = connection.execute(sql, where.parameters)
    else:
        found = ways_of(connection, query).rows(connection, columns, limit)
    return islice(found, limit)


def _found_by_words(
    connection: sqlite3.Connection, query: PageQuery, columns: str, limit: int | None
) -> Iterator[tuple[Any, ...]]:
    slice_of, _ = _SLICES[query.ordered, True]
    at_once = words.HITS if limit is None else min(limit, words.HITS)
    position, is_over = None, False
    while not is_over:
        ids, position = slice_of(connection, query, at_once, position)
        yield from _rows(connection, ids, columns)
        is_over = position is None


def pages_of(connection: sqlite3.Connection, ids: Sequence[int]) -> Iterator[Page]:
    """Return pages by their numbers, in that order."""
    return map(rows.page_of, _rows(connection, ids, rows.WHOLE))


def _rows(connection: sqlite3.Connection, ids: Sequence[int], columns: str) -> Iterator[tuple[Any, ...]]:
    sql = f"SELECT pages.id, {columns} FROM pages WHERE pages.id IN (SELECT value FROM json_each(?))"
    found = {row[0]: row[1:] for row in connection.execute(sql, (msgspec.json.encode(ids).decode(),))}
    return (found[id_] for id_ in ids)


def _by_key(connection: sqlite3.Connection, query: PageQuery, limit: int, position: ByKey | None) -> words.Slice:
    return _walk(connection, ways_of(connection, query, position), limit)


def _newest(connection: sqlite3.Connection, query: PageQuery, limit: int, position: ByTime | None) -> words.Slice:
    """Of a small host all pages are read: the way by time may pass very many of others between two of them."""
    if not query.host or _count(connection, query.host, LOOKED_AT + 1) > LOOKED_AT:
        return _walk(connection, ways_of(connection, query, position), limit)
    where = of_keys(query) + of_row(query)
    sql = f"SELECT fetched_at, kind, id FROM pages WHERE {where.sql}"
    found = sorted(connection.execute(sql, where.parameters), reverse=True)
    if position is not None:
        found = [one for one in found if one < tuple(position)]
    some = found[:limit]
    return [id_ for *_, id_ in some], some[-1] if some and len(found) > limit else None


def _count(connection: sqlite3.Connection, host: str, most: int) -> int:
    """Count the keys of a host, up to so many."""
    count = 0
    for bounds in keys_of(host).ranges:
        sql = "SELECT count(*) FROM (SELECT 1 FROM pages WHERE key >= ? AND key < ? LIMIT ?)"
        count += connection.execute(sql, (*bounds, most - count)).fetchone()[0]
    return count


def _walk(connection: sqlite3.Connection, ways: IndexWalks, limit: int) -> words.Slice:
    """Walk until there are enough, or enough was looked at; return where it ended if there is more."""
    most = LOOKED_AT if ways.reads_pages else PASSED_OVER
    steps = ways.steps(connection, most + 1)
    until = monotonic() + LONGEST
    found: list[int] = []
    for number, (*position, id_, fits) in enumerate(steps, 1):
        if fits:
            found.append(id_)
        if len(found) == limit or number == most or (number % _EVERY == 0 and monotonic() > until):
            behind = (*position, id_) if ways.merged else tuple(position)
            return found, None if next(steps, None) is None else behind
    return found, None


_SLICES: dict[tuple[Order, bool], tuple[Callable[..., words.Slice], Any]] = {  # by order, and whether there are words
    (Order.NEW, False): (_newest, ByTime),
    (Order.KEY, False): (_by_key, ByKey),
    (Order.NEW, True): (words.newest_slice, words.Newest),
    (Order.BEST, True): (words.best_slice, words.Best),
}
