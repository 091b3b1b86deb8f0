"""Sitemaps and sitemap indexes in XML: every `loc` becomes a link, pages and nested sitemaps alike.

Read as a stream of events, without a tree, so that memory does not grow with the file. Namespaces may be missing or wrong, as
they often are. Nothing is loaded, and libxml2's limit on amplification keeps entities small. A broken file gives what was
read before the break. lastmod, changefreq and priority are not read. Standard: https://www.sitemaps.org/protocol.html, which
allows 50,000 URLs and 50 MiB a file; what is beyond is not read.
"""

from lxml import etree

from gossamer.document.decode import decode
from gossamer.document.sniff import is_gzip
from gossamer.processors.collect import Links
from gossamer.records import Document, Extract, LinkKind
from gossamer.url.parse import Base

MOST_URLS = 50_000
MOST_BYTES = 50 * 1024 * 1024
MOST_ELEMENTS = 1_000_000

_STEP = 64 * 1024


class SitemapProcessor:
    """Implements `protocols.Processor`; a file has the limits of the standard, not those of a page."""

    def process(self, document: Document) -> Extract:
        """Read the URLs of a sitemap or of a sitemap index, compressed or not."""
        content = unpack(document.content)
        locations = _read(content)
        links = Links()
        for location in locations:
            links.add(location, LinkKind.SITEMAP)
        found, cut = links.joined(Base(document.url), MOST_URLS)
        unread = content.count(b"<loc>") - len(locations) if len(locations) >= MOST_URLS else 0
        return Extract(links=found, links_cut=cut + max(unread, 0))

    def text(self, document: Document) -> str:
        """Return nothing: a sitemap is not there to be read."""
        return ""


def unpack(content: bytes) -> bytes:
    """Return what a gzip file holds, as far as a sitemap may be long; anything else as it is."""
    return decode(content, "gzip", MOST_BYTES).content if is_gzip(content) else content


class _Locations:
    """What the parser tells its events to: collects the `loc` of each entry, not those of an entry's images and videos."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.elements = 0
        self._depth = 0
        self._pieces: list[str] | None = None  # of the loc we are in

    def start(self, name: str, attributes: object) -> None:
        self.elements += 1
        self._depth += 1
        if self._depth == 3 and name.rpartition("}")[2] == "loc":
            self._pieces = []

    def data(self, text: str) -> None:
        if self._pieces is not None:
            self._pieces.append(text)

    def end(self, name: str) -> None:
        self._depth -= 1
        if self._pieces is not None and self._depth == 2:
            self.found.append("".join(self._pieces).strip())
            self._pieces = None

    def close(self) -> None:
        """Take the end of the file, as the parser's protocol has it."""


def _read(content: bytes) -> list[str]:
    content = content.lstrip()  # an XML declaration must come first, and often does not
    locations = _Locations()
    parser = etree.XMLParser(target=locations, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        for position in range(0, len(content), _STEP):
            parser.feed(content[position : position + _STEP])
            if len(locations.found) >= MOST_URLS or locations.elements >= MOST_ELEMENTS:
                break
        else:
            parser.close()
    except etree.XMLSyntaxError:
        pass  # what was read before the break counts
    return [location for location in locations.found if location]
