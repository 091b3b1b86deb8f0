"""Ways through the catalog: from a query to walks along its indexes, each in the order of its rows.

Newest first a query leads along the index over time, which passes over kinds that do not match without reading their pages;
or, if it does not ask for what nearly every page is, along the lists of its kinds, which are merged. By key it leads along the
keys, of all pages or of a host. No way is sorted, and each can be taken up anywhere, so a list costs what its slice costs.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import chain
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gossamer.records.pagequery import Order, PageQuery
from gossamer.storage.catalog.conditions import Conditions, keys_of, of_host, of_kind, of_row, of_time
from gossamer.storage.catalog.kinds import COMMON, Matching, matching

ByTime = tuple[float, int, int]  # fetched at, kind, id
ByKey = tuple[str]
_HIGHEST = 2**63 - 1
_BY_TIME = "pages.fetched_at, pages.kind, pages.id"
NEWEST_FIRST = "pages.fetched_at DESC, pages.kind DESC, pages.id DESC"


class IndexWalk(Struct, frozen=True):
    """A walk along one index."""

    source: str
    bounds: Conditions  # where it begins and ends
    order: str


class IndexWalks(Struct, frozen=True):
    """Walks that are merged by what they are sorted by, or follow one another; and what to look at on the way."""

    ways: Sequence[IndexWalk]
    sorted_by: str  # columns
    merged: bool
    fits: Conditions = Conditions()
    reads_pages: bool = False  # to tell whether one fits

    def rows(self, connection: sqlite3.Connection, columns: str, limit: int | None = None) -> Iterator[tuple[Any, ...]]:
        """Walk over columns of pages that fit."""
        if not self.merged or len(self.ways) == 1:
            yield from chain.from_iterable(self._selected(connection, way, columns, limit) for way in self.ways)
            return
        own = self.sorted_by.count(",") + 1
        walks = [self._selected(connection, way, f"{self.sorted_by}, {columns}", limit) for way in self.ways]
        for row in merge(*walks, key=lambda row: row[:own], reverse=True):
            yield row[own:]

    def steps(self, connection: sqlite3.Connection, most: int) -> Iterator[tuple[Any, ...]]:
        """Walk over so many pages, whether they fit or not: what they are sorted by, and whether they fit."""
        walks = [self._stepped(connection, way, most) for way in self.ways]
        return merge(*walks, reverse=True) if self.merged and len(walks) > 1 else chain.from_iterable(walks)

    def _selected(
        self, connection: sqlite3.Connection, way: IndexWalk, columns: str, limit: int | None
    ) -> Iterator[tuple[Any, ...]]:
        where = way.bounds + self.fits
        sql = f"SELECT {columns} FROM {way.source} WHERE {where.sql} ORDER BY {way.order} LIMIT ?"
        yield from connection.execute(sql, (*where.parameters, -1 if limit is None else limit))

    def _stepped(self, connection: sqlite3.Connection, way: IndexWalk, most: int) -> Iterator[tuple[Any, ...]]:
        sql = stepping(way, self.sorted_by, self.fits)
        yield from connection.execute(sql, (*self.fits.parameters, *way.bounds.parameters, most))


def stepping(way: IndexWalk, columns: str, fits: Conditions) -> str:
    """Return the statement of a walk that tells of each page whether it fits."""
    return f"SELECT {columns}, {fits.sql} FROM {way.source} WHERE {way.bounds.sql} ORDER BY {way.order} LIMIT ?"


def ways_of(connection: sqlite3.Connection, query: PageQuery, position: ByTime | ByKey | None = None) -> IndexWalks:
    """Return the ways to the pages of a query without words; those behind a position, if it is given."""
    if query.ordered is Order.KEY:
        return _by_key(query, *(position or ("",)))
    return _by_time(query, matching(connection, query), position)


def _by_key(query: PageQuery, after: str) -> IndexWalks:
    keys = keys_of(query.host) if query.host else None
    fits = of_row(query)
    if keys is not None:
        fits += Conditions(("pages.host = ?",), (keys.name,))
    ways = [
        IndexWalk("pages", _behind(after, first, end), "pages.key")
        for first, end in (keys.ranges if keys is not None else (("", ""),))
        if not end or after < end
    ]
    return IndexWalks(ways, "pages.key, pages.id", merged=False, fits=fits, reads_pages=bool(fits.terms))


def _behind(after: str, first: str, end: str) -> Conditions:
    begin = Conditions(("pages.key > ?",), (after,)) if after >= first else Conditions(("pages.key >= ?",), (first,))
    return begin + Conditions(("pages.key < ?",), (end,)) if end else begin


def _by_time(query: PageQuery, wanted: Matching | None, position: Any) -> IndexWalks:
    fits, bounds = of_host(query), of_time(query if position is None else replace(query, until=None))  # it is below that
    if wanted is not None and not wanted.whole:
        fits += of_kind(query)
    reads_pages = bool(fits.terms)
    if wanted is None or wanted.has_common:
        if wanted is not None:
            fits += Conditions((f"pages.kind IN ({', '.join(map(str, wanted.kinds))})",))
        if position is not None:
            bounds += Conditions((f"({_BY_TIME}) < (?, ?, ?)",), position)
        return IndexWalks([IndexWalk("pages INDEXED BY pages_time", bounds, NEWEST_FIRST)], _BY_TIME, True, fits, reads_pages)
    ways = [_of_kind(kind, bounds, position) for kind in wanted.kinds]
    return IndexWalks(ways, _BY_TIME, True, fits, reads_pages)


def _of_kind(kind: int, bounds: Conditions, position: ByTime | None) -> IndexWalk:
    """Return the way along the pages of one kind; the index over kinds is without the common one."""
    bounds += Conditions(("pages.kind = ?", f"pages.kind <> {COMMON}"), (kind,))
    if position is not None:
        fetched_at, its_kind, id_ = position
        last = id_ if kind == its_kind else _HIGHEST if kind < its_kind else -1  # of the same time higher kinds come first
        bounds += Conditions(("(pages.fetched_at, pages.id) < (?, ?)",), (fetched_at, last))
    return IndexWalk("pages INDEXED BY pages_kind", bounds, "pages.fetched_at DESC, pages.id DESC")
