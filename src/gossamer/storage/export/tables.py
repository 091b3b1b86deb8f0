"""The tables of an export, column by column: what a row has, whatever the format.

A column of pages is called as in Common Crawl's columnar index where it means the same
(https://commoncrawl.org/blog/index-to-warc-files-and-urls-in-columnar-format). What is not known is None, not an empty text.
"""

import re
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from gossamer.records.page import Page
from gossamer.storage.archive.cdxj import url_key
from gossamer.url.host import registrable_domain

Kind = Literal["text", "small", "integer", "number", "time", "flag"]

_REST = re.compile(r"[^:]*:(?://[^/?#]*)?([^?#]*)(?:\?([^#]*))?")


class Column(NamedTuple):
    """One column: of some rows its values, in their order. A time is in milliseconds since 1970."""

    name: str
    kind: Kind
    of: Callable[[Sequence[Any]], list[Any]]


def _texts(field: str) -> Callable[[Sequence[Any]], list[Any]]:
    take = attrgetter(field)
    return lambda rows: [take(row) or None for row in rows]


def _values(field: str) -> Callable[[Sequence[Any]], list[Any]]:
    take = attrgetter(field)
    return lambda rows: list(map(take, rows))


def _paths(pages: Sequence[Page]) -> list[str]:
    return [found[1] if (found := _REST.match(page.url)) else "" for page in pages]


def _queries(pages: Sequence[Page]) -> list[str | None]:
    return [found[2] if (found := _REST.match(page.url)) else None for page in pages]


def _in_place(field: str) -> Callable[[Sequence[Page]], list[Any]]:
    take = attrgetter(field)
    return lambda pages: [None if page.place is None else take(page.place) for page in pages]


PAGES = (
    Column("url_surtkey", "text", lambda pages: [url_key(page.url) for page in pages]),
    Column("url", "text", _values("url")),
    Column("url_host_name", "text", _values("host")),
    Column("url_host_registered_domain", "text", lambda pages: [registrable_domain(page.host) for page in pages]),
    Column("url_path", "text", _paths),
    Column("url_query", "text", _queries),
    Column("fetch_time", "time", lambda pages: [int(page.fetched_at * 1000) or None for page in pages]),
    Column("fetch_status", "small", lambda pages: [page.status or None for page in pages]),
    Column("content_digest", "text", lambda pages: [page.digest.removeprefix("sha1:") or None for page in pages]),
    Column("content_mime_detected", "text", _texts("mime")),
    Column("content_charset", "text", _texts("charset")),
    Column("content_truncated", "text", _texts("truncated")),
    Column("warc_filename", "text", _in_place("file")),
    Column("warc_record_offset", "integer", _in_place("offset")),
    Column("warc_record_length", "integer", _in_place("length")),
    Column("outcome", "text", lambda pages: [page.outcome.value for page in pages]),
    Column("rule", "text", lambda pages: [page.reason and page.reason.rule for page in pages]),
    Column("reason", "text", lambda pages: [page.reason and page.reason.text for page in pages]),
    Column("title", "text", _texts("title")),
    Column("language", "text", _texts("language")),
    Column("canonical", "text", _texts("canonical")),
    Column("duplicate_of", "text", _texts("duplicate_of")),
    Column("simhash", "text", lambda pages: [None if page.simhash is None else f"{page.simhash:016x}" for page in pages]),
    Column("body_length", "integer", _values("length")),
    Column("response_seconds", "number", _values("response_seconds")),
    Column("link_count", "integer", _values("links")),
    Column("depth", "small", _values("depth")),
    Column("via", "text", _texts("via")),
)

LINKS = (
    Column("source", "text", _values("source")),
    Column("target", "text", _values("target")),
    Column("kind", "text", _values("kind")),
    Column("nofollow", "flag", _values("nofollow")),
)

TABLES: dict[str, tuple[Column, ...]] = {"pages": PAGES, "links": LINKS}
