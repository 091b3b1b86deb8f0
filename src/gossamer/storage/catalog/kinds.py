"""The kinds of pages: outcome, rule, status, type, and whether the body is whole, as one small number.

A crawl has some dozens of them, and every list that is filtered by any of these five is a merge of the lists of some kinds. Who
writes keeps the numbers in memory; a kind that is met first gets its row in the transaction of its page. A server may call each
page another type: beyond MOST kinds the type of a new one is left out, and whoever asks for a type looks at those pages too.
"""

import sqlite3
from collections.abc import Sequence

from msgspec import Struct

from gossamer.records.pagequery import PageQuery
from gossamer.records.reason import Reason

COMMON = 1  # what nearly every page is
MOST = 1_000
ANY_TYPE = "*"
_INSERT = "INSERT OR IGNORE INTO kinds (outcome, rule, status, mime, cut) VALUES (?, ?, ?, ?, ?)"
_SELECT = "SELECT id FROM kinds WHERE outcome = ? AND rule = ? AND status = ? AND mime = ? AND cut = ?"


class Kinds:
    """The kinds of a catalog, for its writer."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[tuple[object, ...], int] = {}

    def of(self, outcome: str, reason: Reason | None, status: int, mime: str, truncated: str) -> int:
        """Return the number of a kind, in a transaction."""
        kind = (outcome, "" if reason is None else reason.rule, status, mime, int(truncated != ""))
        return self._known.get(kind) or self._learn(kind)

    def _learn(self, kind: tuple[str, str, int, str, int]) -> int:
        row = self._connection.execute(_SELECT, kind).fetchone()
        if row is None:
            (count,) = self._connection.execute("SELECT max(id) FROM kinds").fetchone()
            outcome, rule, status, mime, cut = kind
            told = (outcome, rule, status, ANY_TYPE if count >= MOST else mime, cut)
            self._connection.execute(_INSERT, told)
            row = self._connection.execute(_SELECT, told).fetchone()
        if len(self._known) >= 2 * MOST:  # one type more with every page
            self._known.clear()
        self._known[kind] = row[0]
        return int(row[0])

    def forget(self) -> None:
        """Forget what is known, after a transaction that failed: its kinds were not kept."""
        self._known.clear()


class Matching(Struct, frozen=True):
    """The kinds that match a query."""

    kinds: Sequence[int]
    whole: bool  # a page of these kinds matches; otherwise its type is to be looked at

    @property
    def has_common(self) -> bool:
        """Whether what nearly every page is matches."""
        return COMMON in self.kinds


def matching(connection: sqlite3.Connection, query: PageQuery) -> Matching | None:
    """Return the kinds that match a query; None: it does not ask for kinds."""
    wanted: dict[str, object] = {"outcome": query.outcome, "rule": query.rule, "status": query.status}
    conditions = {f"{name} = ?": value for name, value in wanted.items() if value not in ("", None)}
    parameters = list(conditions.values())
    terms = list(conditions)
    if query.mime:
        terms.append("mime IN (?, ?)")
        parameters += [query.mime, ANY_TYPE]
    if query.cut:
        terms.append("cut = 1")
    if not terms:
        return None
    found = connection.execute(f"SELECT id, mime FROM kinds WHERE {' AND '.join(terms)}", parameters).fetchall()
    return Matching([kind for kind, _ in found], not query.mime or all(mime != ANY_TYPE for _, mime in found))
