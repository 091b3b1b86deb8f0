"""Pages found by words, in URL and title, and in the text of pages where it is indexed; every word must be found somewhere.

What a user types is never syntax: each word is quoted, and text in double quotes is a phrase. Hits come by the number of their
page, the highest first, which is the page that was first fetched last: FTS5 gives them in that order without sorting, wherever
one begins. A text's row is numbered by its page and by how many texts that had before, and has URL and title too, so all words
of a query are looked for in one index or the other, and both give pages in the same order.

The best match is looked for among the newest HITS hits, then among the next: those that have most words in their titles, of
these those where they stand together as they were typed, then the newest; copies come last. It takes only a page's own title to
tell, and no statistics, so that a list does not change its order while a crawl adds pages.
"""

import re
import sqlite3
import unicodedata
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice
from time import monotonic
from typing import Any

import msgspec

from gossamer.records.pagequery import PageQuery
from gossamer.storage.catalog.conditions import Conditions, of_host, of_row

HITS = 5_000  # among which the best are looked for, or those that match the rest of a query
LONGEST = 0.1  # seconds, after which a slice ends
TEXTS = 12  # bits: of a page that was indexed more often, an old text is searched too
_AT_ONCE = 250
_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
_TOKEN = re.compile(r"[^\W_]+")
_ASCII = {number: " " for number in range(128) if not chr(number).isalnum()}
_IN_NAMES = "SELECT rowid FROM names WHERE names MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC"
_IN_TEXTS = (
    f"SELECT pages.id FROM texts CROSS JOIN pages ON pages.id = texts.rowid >> {TEXTS} AND pages.text_id = texts.rowid "
    f"WHERE texts MATCH ? AND texts.rowid >= ? << {TEXTS} AND texts.rowid < ? << {TEXTS} ORDER BY texts.rowid DESC"
)
_FITTING = "SELECT id FROM pages WHERE id IN (SELECT value FROM json_each(?)) AND "
_TITLES = "SELECT id, duplicate_of <> '', title FROM pages WHERE id IN (SELECT value FROM json_each(?)) AND "

Newest = tuple[int]  # hits below a number
Rank = tuple[int, int, int, int]  # copy, words in the title, together, id: the least is the best
Best = tuple[int, int, Rank | None]  # hits below a number and not below another (-1: not known yet), behind a rank
Slice = tuple[list[int], tuple[object, ...] | None]  # numbers of pages, and where they end if there are more


def terms(words: str) -> list[str]:
    """Return the words and phrases as FTS5 strings; what has neither letter nor digit is no word."""
    found = [phrase or word for phrase, word in _TERM.findall(_NOT_TEXT.sub(" ", words))]
    return [f'"{term}"' for term in found if any(map(str.isalnum, term))]


def add_text(connection: sqlite3.Connection, id_: int, url: str, title: str, text: str) -> None:
    """Index the text of a page, in a transaction."""
    first, end = id_ << TEXTS, id_ + 1 << TEXTS
    (last,) = connection.execute("SELECT max(rowid) FROM texts WHERE rowid >= ? AND rowid < ?", (first, end)).fetchone()
    text_id = first if last is None else min(last + 1, end - 1)
    connection.execute("INSERT INTO texts (rowid, url, title, text) VALUES (?, ?, ?, ?)", (text_id, url, title, text))
    connection.execute("UPDATE pages SET text_id = ? WHERE id = ?", (text_id, id_))


def newest_slice(connection: sqlite3.Connection, query: PageQuery, limit: int, position: Newest | None) -> Slice:
    """Return the hits that were first fetched last."""
    (below,) = position or (_end(connection),)
    where = of_row(query) + of_host(query)
    until, looked_at = monotonic() + LONGEST, 0
    found: list[int] = []
    for some, rest in _hits(connection, _all(query), 0, below):
        fit = {id_ for (id_,) in _asked(connection, _FITTING, some, where)} if where.terms else some
        found += [id_ for id_ in some if id_ in fit]
        looked_at += len(some)
        if len(found) > limit:
            return found[:limit], (found[limit - 1],)
        if rest and (looked_at >= HITS or monotonic() > until):
            return found, (rest,)
    return found, None


def best_slice(connection: sqlite3.Connection, query: PageQuery, limit: int, position: Best | None) -> Slice:
    """Return the best of the newest hits, or of the next."""
    ceiling, floor, behind = position or (_end(connection), -1, None)
    hits, floor = _window(connection, _all(query), floor, ceiling)
    rank = _Ranking(query.words)
    found = _asked(connection, _TITLES, hits, of_row(query) + of_host(query))
    ranks = sorted([(copy, *rank.of(title), -id_) for id_, copy, title in found])
    ranks = ranks if behind is None else [rank for rank in ranks if rank > behind]
    ids = [-rank[-1] for rank in ranks[:limit]]
    if len(ranks) > limit:
        return ids, (ceiling, floor, ranks[limit - 1])
    return ids, (floor, -1, None) if floor else None


def _all(query: PageQuery) -> str:
    """Return what FTS5 is asked for; nothing is found by words that are none."""
    return " AND ".join(terms(query.words)) or '""'


def _end(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT coalesce(max(id), 0) + 1 FROM pages").fetchone()[0])


def _hits(connection: sqlite3.Connection, wanted: str, floor: int, below: int) -> Iterator[tuple[list[int], int]]:
    """Walk over hits, some at a time, the highest first; with the number below which more may be, 0 if there are none."""
    found = _in_order(connection, wanted, floor, below)
    while len(some := list(islice(found, _AT_ONCE))) == _AT_ONCE:
        yield some, some[-1]
    yield some, 0


def _in_order(connection: sqlite3.Connection, wanted: str, floor: int, below: int) -> Iterator[int]:
    last = 0
    names, texts = (connection.execute(sql, (wanted, floor, below)) for sql in (_IN_NAMES, _IN_TEXTS))
    for (id_,) in merge(names, texts, reverse=True):
        if id_ != last:
            yield id_
            last = id_


def _window(connection: sqlite3.Connection, wanted: str, floor: int, ceiling: int) -> tuple[list[int], int]:
    """Return the hits between two numbers; if the lower is not known, so many that the best are looked for, and the lower."""
    hits: list[int] = []
    until = monotonic() + LONGEST
    for some, rest in _hits(connection, wanted, max(floor, 0), ceiling):
        hits += some
        if floor < 0 and (len(hits) >= HITS or monotonic() > until):
            return hits, rest
    return hits, max(floor, 0)


def _asked(connection: sqlite3.Connection, sql: str, ids: Sequence[int], where: Conditions) -> list[tuple[Any, ...]]:
    """Ask for those of some pages that fit."""
    return connection.execute(f"{sql}{where.sql}", (msgspec.json.encode(ids).decode(), *where.parameters)).fetchall()


class _Ranking:
    """How well a title matches words."""

    def __init__(self, words: str) -> None:
        self._terms = [_told(term) for term in terms(words)]
        self._together = _told(" ".join(terms(words)))

    def of(self, title: str) -> tuple[int, int]:
        """Return a rank: how many words it has, and whether together; the least is the best."""
        told = _told(title)
        found = sum([term in told for term in self._terms])
        return -found, -(found > 0 and self._together in told)


def _told(text: str) -> str:
    """Take a text apart as the indexes do: its words, each between two spaces."""
    if text.isascii():
        return f" {' '.join(text.lower().translate(_ASCII).split())} "
    plain = "".join([each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each)])
    return f" {' '.join(_TOKEN.findall(plain.lower()))} "
