"""What travels in an export: what was asked for, and the rows of its tables that are no pages."""

from msgspec import Struct

from gossamer.document.body import Body
from gossamer.records.fetch import Fetched
from gossamer.records.page import Page


class ExportOptions(Struct, frozen=True, kw_only=True):
    """What a format is asked to write beside the rows of a table."""

    table: str = "pages"
    text: bool = False  # what a reader sees of each page
    html: bool = False  # the markup of each page
    links: bool = False  # the links of each page, with their words


class Edge(Struct, frozen=True):
    """A link from one page to another."""

    source: str
    target: str
    kind: str
    nofollow: bool


class WordedLink(Struct, frozen=True):
    """A link of a page, and the words that a reader sees where it is."""

    url: str
    kind: str
    nofollow: bool
    words: str


class PackedRecord(Struct, frozen=True):
    """A record of an archive and its request as WARC 1.1 has them, each a gzip member."""

    content: Body
    length: int  # of the record itself; behind it is its request


class KeptRecord(Struct, frozen=True, kw_only=True):
    """A record that belongs to an export: what is kept of a page, or the original that this refers to."""

    page: Page | None  # None: the original of a page that came before, and none that was asked for itself
    fetched: Fetched  # its body is closed
    digest: str
    is_revisit: bool
    packed: PackedRecord | None  # None: this record was given before, as the original of another page
