"""The tables of an export, column by column: what a row has, whatever the format.

A column of pages is called as in Common Crawl's columnar index where it means the same
(https://commoncrawl.org/blog/index-to-warc-files-and-urls-in-columnar-format). What is not known is None, not an empty text.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from gossamer.records.page import values_of
from gossamer.storage.archive.cdxj import url_key
from gossamer.url.host import registrable_domain

Kind = Literal["text", "small", "integer", "number", "time", "flag"]


class Column(NamedTuple):
    """One column: its values, of the values of some fields of the rows. A time is in milliseconds since 1970."""

    name: str
    kind: Kind
    fields: tuple[str, ...]
    make: Callable[..., list[Any]]


class ExportTable(NamedTuple):
    """The columns of a table, and what they are made of."""

    columns: tuple[Column, ...]

    @property
    def fields(self) -> list[str]:
        """Every field that some column is made of, once."""
        return list(dict.fromkeys(field for column in self.columns for field in column.fields))

    def made(self, values: Sequence[list[Any]]) -> list[list[Any]]:
        """Return the columns of some rows, given the values of each of their fields."""
        known = dict(zip(self.fields, values, strict=True))
        return [column.make(*(known[field] for field in column.fields)) for column in self.columns]

    def of(self, rows: Sequence[Any]) -> list[list[Any]]:
        """Return the columns of some rows."""
        return self.made([values_of(field, rows) for field in self.fields])


def _as_it_is(name: str, kind: Kind, field: str) -> Column:
    return Column(name, kind, (field,), lambda values: values)


def _or_none(name: str, kind: Kind, field: str) -> Column:
    return Column(name, kind, (field,), lambda values: [value or None for value in values])


def _each(name: str, kind: Kind, field: str, make: Callable[[Any], Any]) -> Column:
    return Column(name, kind, (field,), lambda values: list(map(make, values)))


PAGES = ExportTable(
    (
        _each("url_surtkey", "text", "url", url_key),
        _as_it_is("url", "text", "url"),
        _as_it_is("url_host_name", "text", "host"),
        _each("url_host_registered_domain", "text", "host", registrable_domain),
        Column("url_path", "text", ("url",), lambda urls: ["/" + url.split("/", 3)[3].partition("?")[0] for url in urls]),
        Column("url_query", "text", ("url",), lambda urls: [url.partition("?")[2] if "?" in url else None for url in urls]),
        Column("fetch_time", "time", ("fetched_at",), lambda times: [int(at * 1000) or None for at in times]),
        _or_none("fetch_status", "small", "status"),
        Column("content_digest", "text", ("digest",), lambda digests: [one.removeprefix("sha1:") or None for one in digests]),
        _or_none("content_mime_detected", "text", "mime"),
        _or_none("content_charset", "text", "charset"),
        _or_none("content_truncated", "text", "truncated"),
        _as_it_is("warc_filename", "text", "place.file"),
        _as_it_is("warc_record_offset", "integer", "place.offset"),
        _as_it_is("warc_record_length", "integer", "place.length"),
        _as_it_is("outcome", "text", "outcome"),
        Column("rule", "text", ("reason",), lambda reasons: [reason and reason.rule for reason in reasons]),
        Column("reason", "text", ("reason",), lambda reasons: [reason and reason.text for reason in reasons]),
        _or_none("title", "text", "title"),
        _or_none("language", "text", "language"),
        _or_none("canonical", "text", "canonical"),
        _or_none("duplicate_of", "text", "duplicate_of"),
        Column("simhash", "text", ("simhash",), lambda bits: [None if one is None else f"{one:016x}" for one in bits]),
        _as_it_is("body_length", "integer", "length"),
        _as_it_is("response_seconds", "number", "response_seconds"),
        _as_it_is("link_count", "integer", "links"),
        _as_it_is("depth", "integer", "depth"),
        _or_none("via", "text", "via"),
    )
)

LINKS = ExportTable(
    (
        _as_it_is("source", "text", "source"),
        _as_it_is("target", "text", "target"),
        _as_it_is("kind", "text", "kind"),
        _as_it_is("nofollow", "flag", "nofollow"),
    )
)

ITEMS = ExportTable(
    (
        _as_it_is("url", "text", "url"),
        _as_it_is("url_host_name", "text", "host"),
        Column("fetch_time", "time", ("fetched_at",), lambda times: [int(at * 1000) or None for at in times]),
        _as_it_is("reader", "text", "reader"),
        _each("item", "text", "content", bytes.decode),
    )
)

TABLES: dict[str, ExportTable] = {"pages": PAGES, "links": LINKS, "items": ITEMS}
