"""Sitemaps and sitemap indexes in XML: every `loc` becomes a link, pages and nested sitemaps alike.

Unpacked piece by piece and read as a stream of events, without a tree, so that memory does not grow with the file, nor with
what a small file unpacks to (`events.py`). Namespaces may be missing or wrong, as they often are. lastmod, changefreq and
priority become hints; what of them makes no sense is passed over. Standard: https://www.sitemaps.org/protocol.html, which
allows 50,000 URLs and 50 MiB a file; what is beyond is not read.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from gossamer.document.decode import unpacked
from gossamer.document.sniff import is_gzip
from gossamer.processors.collect import Links
from gossamer.processors.dates import parse_date
from gossamer.processors.events import tell
from gossamer.records.entry import LinkKind
from gossamer.records.hints import Hint
from gossamer.records.page import Document, Extract
from gossamer.url.parse import Base

MOST_URLS = 50_000
MOST_BYTES = 50 * 1024 * 1024
MOST_ELEMENTS = 1_000_000
MOST_CHARACTERS = 64 * 1024  # of a location; more than any URL has

INTERVALS = {  # seconds
    "always": 900.0,
    "hourly": 3600.0,
    "daily": 86400.0,
    "weekly": 7 * 86400.0,
    "monthly": 30 * 86400.0,
    "yearly": 365 * 86400.0,
    "never": 10 * 365 * 86400.0,
}

_STEP = 64 * 1024
_LOCATION = b"<loc>"
_NUMBER = re.compile(r"\d{0,2}(?:\.\d{0,8})?(?<=\d)", re.ASCII)


class SitemapProcessor:
    """Implements `joints.documents.Processor`; a file has the limits of the standard, not those of a page."""

    is_linear = False

    def process(self, document: Document) -> Extract:
        """Read the URLs of a sitemap or of a sitemap index, compressed or not."""
        locations, told, unread = _read(document.content)
        links = Links()
        for location in locations:
            links.add(location, LinkKind.SITEMAP)
        base = Base(document.url)
        found, cut = links.joined(base, MOST_URLS)
        hints = {url: Hint(url, **said) for location, said in told.items() if (url := base.join(location)) is not None}
        return Extract(links=found, links_cut=cut + unread, hints=tuple(hints.values()))

    def skim(self, document: Document) -> Extract:
        """Return nothing: a sitemap is read in no quicker way."""
        return Extract()

    def text(self, document: Document) -> str:
        """Return nothing: a sitemap is not there to be read."""
        return ""


def _pieces(content: bytes) -> Iterator[bytes]:
    """Walk over a file, or over what a gzip file holds, as far as a sitemap may be long."""
    if is_gzip(content):
        return unpacked(content, MOST_BYTES)
    return (content[position : position + _STEP] for position in range(0, min(len(content), MOST_BYTES), _STEP))


class _Counted:
    """The pieces of a file; counts the locations that went by."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.locations = 0
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        before = b""
        for piece in self._pieces:
            seen = before + piece
            self.locations += seen.count(_LOCATION)
            before = seen[-len(_LOCATION) + 1 :]
            yield piece


class _Locations:
    """The receiver of the parser's events: collects the `loc` of each entry, not those of an entry's images and videos."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.told: dict[str, dict[str, float]] = {}  # of a location: what is said about it, by the names of a hint
        self._said: dict[str, float] = {}  # about the entry we are in
        self._location = ""
        self._elements = 0
        self._depth = 0
        self._pieces: list[str] | None = None  # of the element we are in
        self._length = 0  # of these

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._elements += 1
        self._depth += 1
        if self._depth == 3 and tag.rpartition("}")[2] in _ELEMENTS:
            self._pieces, self._length = [], 0

    def data(self, text: str) -> None:
        if self._pieces is not None and self._length < MOST_CHARACTERS:
            self._pieces.append(text)
            self._length += len(text)

    def end(self, tag: str) -> None:
        self._depth -= 1
        if self._pieces is not None and self._depth == 2:
            self._take(tag.rpartition("}")[2], "".join(self._pieces).strip())
            self._pieces = None
        elif self._depth == 1:
            if self._said and self._location:
                self.told[self._location] = self._said
            self._said, self._location = {}, ""

    def _take(self, name: str, text: str) -> None:
        if name == "loc":
            self.found.append(text)
            self._location = text
            return
        field, read = _HINTS[name]
        value = read(text)
        if value is not None:
            self._said[field] = value

    def close(self) -> None:
        """Take the end of the file, as the parser's protocol has it."""

    def are_enough(self) -> bool:
        """Tell whether no more are read."""
        return len(self.found) >= MOST_URLS or self._elements >= MOST_ELEMENTS


def _priority(text: str) -> float | None:
    """Read a number from 0 to 1."""
    return float(text) if _NUMBER.fullmatch(text) and float(text) <= 1 else None


def _read(content: bytes) -> tuple[list[str], dict[str, dict[str, float]], int]:
    """Return the locations that are read, what is said about them, and how many more there are."""
    locations = _Locations()
    counted = _Counted(_pieces(content))
    pieces = iter(counted)
    tell(pieces, locations, locations.are_enough)
    found = [location for location in locations.found if location]
    if len(found) < MOST_URLS:
        return found, locations.told, 0
    for _ in pieces:
        pass  # only counted
    return found, locations.told, max(counted.locations - len(found), 0)


_HINTS: dict[str, tuple[str, Callable[[str], float | None]]] = {  # element: field of a hint, how it is read
    "lastmod": ("modified_at", parse_date),
    "changefreq": ("interval", lambda text: INTERVALS.get(text.lower())),
    "priority": ("priority", _priority),
}
_ELEMENTS = frozenset({"loc", *_HINTS})
