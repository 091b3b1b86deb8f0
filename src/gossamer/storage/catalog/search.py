"""From what a user asks for to one SQL query over pages.

Words are searched in URL and title, and in the text of pages where it is indexed; every word must be found somewhere. What a
user types is never syntax: each word is quoted, and text in double quotes is a phrase. Copies, of which only URL and title are
searched, come last.
"""

import re
from typing import TypedDict

from msgspec import Struct

from gossamer.errors import UsageError
from gossamer.records.page import Page

_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")

# Pages that match, best first: bm25 is lower for better ones, and a word in a title counts more than one in a URL.
_RANKED = """
JOIN (
    SELECT id, sum(score) AS score FROM (
        SELECT rowid AS id, bm25(names, 1.0, 4.0) AS score FROM names WHERE names MATCH ?
        UNION ALL
        SELECT named.id, bm25(texts) FROM texts JOIN pages AS named ON named.text_id = texts.rowid WHERE texts MATCH ?
    ) GROUP BY id
) AS found ON found.id = pages.id"""
_CONTAINS = """pages.id IN (
    SELECT rowid FROM names WHERE names MATCH ?
    UNION
    SELECT named.id FROM texts JOIN pages AS named ON named.text_id = texts.rowid WHERE texts MATCH ?
)"""

_COMMON = {  # not indexed (0006_common.sql); who asks for anything else says so, or SQLite would not use its index
    "status": (200, "pages.status <> 200"),
    "outcome": ("ok", "pages.outcome <> 'ok'"),
    "mime": ("text/html", "pages.mime <> 'text/html'"),
    "rule": ("", "pages.rule <> ''"),
}
_SCHEMES = {"http": "80", "https": "443", "ftp": "21"}  # and the port that a URL need not name
_WITH_PORT = re.compile(r"([^:]+|\[.*\]):([0-9]+)")  # a host and one port of it
_BETWEEN = "pages.key >= ? AND pages.key < ?"
_CONDITIONS = {
    "status": "pages.status = ?",
    "outcome": "pages.outcome = ?",
    "mime": "pages.mime = ?",
    "rule": "pages.rule = ?",
    "since": "pages.fetched_at >= ?",
    "until": "pages.fetched_at < ?",
}


class Query(Struct, frozen=True):
    """The end of a SELECT over pages, and its parameters."""

    sql: str
    parameters: list[object]


class Filters(TypedDict, total=False):
    """What has to hold of a page's row; all that is given."""

    host: str
    status: int | None
    outcome: str
    mime: str
    rule: str
    cut: bool  # only those whose body is not whole
    since: float | None
    until: float | None
    limit: int | None


class Wanted(Filters, total=False):
    """The conditions of a search; all that are given must hold."""

    words: str
    after: Page | None


def build(wanted: Wanted) -> Query:
    """Build the query for pages that match everything wanted."""
    join, order = "", "ORDER BY pages.fetched_at DESC, pages.key DESC"
    found_by: list[str] = []
    parameters: list[object] = []
    if words := wanted.get("words", "").strip():
        found = terms(words)
        join, order = _RANKED, "ORDER BY pages.duplicate_of <> '', found.score, pages.fetched_at DESC, pages.key DESC"
        parameters += [" OR ".join(found) or '""'] * 2
        found_by.append("pages.noindex = 0")
        for term in found if len(found) > 1 else ():
            found_by.append(_CONTAINS)
            parameters += [term, term]
    matching, values = conditions(wanted)
    found_by += matching
    parameters += values
    if (after := wanted.get("after")) is not None:
        if words:
            raise UsageError("what is found by words is ordered by how well it matches, so it cannot go on after a page")
        found_by.append("(pages.fetched_at, pages.key) < (?, ?)")
        parameters += [after.fetched_at, after.key]
    where = f"WHERE {' AND '.join(found_by)}" if found_by else ""
    limit = wanted.get("limit")
    if limit is not None:
        order += " LIMIT ?"
        parameters.append(limit)
    return Query(f"{join} {where} {order}", parameters)


def conditions(wanted: Filters) -> tuple[list[str], list[object]]:
    """Return what has to hold of a page's row, words left out, and the parameters of that."""
    conditions: list[str] = []
    parameters: list[object] = []
    if host := wanted.get("host"):
        name, bounds = _of_host(host)
        conditions.append(f"({' OR '.join([_BETWEEN] * (len(bounds) // 2))}) AND pages.host = ?")
        parameters += [*bounds, name]
    for name, condition in _CONDITIONS.items():
        value = wanted.get(name)
        if value is not None and value != "":
            conditions.append(condition)
            parameters.append(value)
            common, other = _COMMON.get(name, (value, ""))
            if value != common:
                conditions.append(other)
    if wanted.get("cut"):
        conditions.append("pages.truncated <> ''")
    return conditions, parameters


def _of_host(text: str) -> tuple[str, list[str]]:
    """Return a host's name, and where its keys begin and end for every scheme: all of them, or those of one port.

    By its keys, which begin with scheme and host: an index over hosts as well was a quarter of what a page costs. Behind it
    stands a slash, or a colon and a port; a semicolon comes next after the colon, and a zero after the slash.
    """
    if found := _WITH_PORT.fullmatch(text):
        host, port = found.groups()
        served = [f"{scheme}://{host}:{port}" for scheme in _SCHEMES]
        served += [f"{scheme}://{host}" for scheme, usual in _SCHEMES.items() if port == usual]
        return host.strip("[]"), [f"{one}{mark}" for one in served for mark in "/0"]
    spelled = f"[{text}]" if ":" in text else text
    return text, [f"{scheme}://{spelled}{mark}" for scheme in _SCHEMES for mark in "/;"]


def terms(words: str) -> list[str]:
    """Return the words and phrases as FTS5 strings; what has neither letter nor digit is no word."""
    found = [phrase or word for phrase, word in _TERM.findall(_NOT_TEXT.sub(" ", words))]
    return [f'"{term}"' for term in found if any(map(str.isalnum, term))]
