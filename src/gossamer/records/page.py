"""A page: as a document to read, as what was found in it, and as a row of the catalog."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from msgspec import Struct

from gossamer.records.entry import Link
from gossamer.records.freshness import Freshness
from gossamer.records.hints import Hint
from gossamer.records.item import Harvest
from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason


class Document(Struct, frozen=True, kw_only=True):
    """A decoded document, ready for a processor."""

    url: str
    mime: str  # the type we act on
    content: bytes  # transfer and content coding removed
    charset: str = ""  # from BOM or header; empty: unknown
    cut: bool = False  # the content is only the beginning
    too_big: bool = False  # and that because there is more of it than the limit
    error: str = ""  # why it is not whole, or not decoded


class Directives(Struct, frozen=True):
    """The wishes of a page to robots: meta robots and X-Robots-Tag together."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False


class Extract(Struct, frozen=True, kw_only=True):
    """The links and facts that a processor found in a document."""

    links: tuple[Link, ...] = ()
    links_cut: int = 0  # links beyond the limit of a page
    cut: Reason | None = None  # why the document was not read the usual way
    title: str = ""
    language: str = ""
    charset: str = ""
    canonical: str = ""
    directives: Directives = Directives()
    text: str = ""  # what a reader sees, of types that have it; read and dropped (see `likeness.py`)
    asides: frozenset[str] = frozenset()  # of the links, those that say of themselves that they lead to no page
    hints: tuple[Hint, ...] = ()  # what a sitemap or a feed says about the URLs it lists
    harvest: Harvest | None = None  # what readers of scripts found; None: none was asked


class Place(Struct, frozen=True, array_like=True):
    """Where a record is: file name below the archive, offset and length of its compressed bytes."""

    file: str
    offset: int
    length: int


class Original(Struct, frozen=True, array_like=True):
    """The page that counts of those with some content: what a revisit record refers to."""

    url: str
    key: str
    fetched_at: float
    chunked: bool | None = None  # how its body is kept: a revisit that came the other way keeps no head (None: unknown)
    canonical: str = ""  # what it calls its canonical URL (`policy/canonical.py`)
    is_lesser: bool = False  # it is cut, or asks not to be indexed


class Page(Struct, frozen=True, kw_only=True, array_like=True):
    """One row of the catalog: the last visit of a URL."""

    url: str
    key: str
    host: str
    outcome: Outcome
    reason: Reason | None = None
    status: int = 0
    mime: str = ""
    digest: str = ""  # "sha1:" and base32, of the payload
    length: int = 0  # of the body on the wire
    title: str = ""
    language: str = ""
    charset: str = ""
    fetched_at: float = 0.0
    response_seconds: float = 0.0
    depth: int = 0
    via: str = ""
    canonical: str = ""
    duplicate_of: str = ""
    truncated: str = ""
    links: int = 0
    links_cut: int = 0
    place: Place | None = None
    noindex: bool = False
    noarchive: bool = False
    simhash: int | None = None  # of its text
    outlinks: int | None = None  # fingerprint of the set of its links
    captured_at: float = 0.0  # when what is at `place` was fetched: a visit that found nothing new leaves both alone
    freshness: Freshness | None = None  # how often it changes
    token: int = 0  # of the lease whose visit this is; set when it is committed


class Totals(Struct, frozen=True):
    """The totals of a crawl: pages whose content is known, and the bytes of all bodies; and what it cut."""

    pages: int
    bytes: int
    bodies_cut: int = 0  # that are not whole
    links_cut: tuple[int, int] = (0, 0)  # links beyond the limit of a page, and pages that had so many


def values_of(field: str, rows: Sequence[object]) -> list[Any]:
    """Return the values of a field of some rows; of a field with a dot those of its part, or None where there is none."""
    whole, _, part = field.partition(".")
    values = list(map(attrgetter(whole), rows))
    return [None if value is None else getattr(value, part) for value in values] if part else values
