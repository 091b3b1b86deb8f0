"""What travels in an export: what was asked for, and the rows of its tables that are no pages."""

from msgspec import Struct


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
