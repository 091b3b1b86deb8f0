"""XML, and gzip files: what is inside decides who reads it. What is no sitemap and no XHTML page has no links."""

from msgspec.structs import replace

from gossamer.document.sniff import HEAD, is_sitemap, sniff
from gossamer.processors.html import HtmlProcessor
from gossamer.processors.plain import PlainProcessor
from gossamer.processors.sitemap import SitemapProcessor, unpack
from gossamer.protocols import Processor
from gossamer.records import Document, Extract

_XHTML = "application/xhtml+xml"


class XmlProcessor:
    """Implements `protocols.Processor` by handing over."""

    def __init__(self, max_links: int, agent: str = "gossamer", meta: bool = True) -> None:
        self._html = HtmlProcessor(max_links, agent, meta)
        self._plain = PlainProcessor(max_links, agent, meta)
        self._sitemap = SitemapProcessor()

    def process(self, document: Document) -> Extract:
        """Let whoever knows the root element read the document."""
        inside = _unpacked(document)
        processor = self._reader(inside)
        return processor.process(inside) if processor is not None else Extract(charset=document.charset)

    def text(self, document: Document) -> str:
        """Return the text of a page; other XML has none."""
        inside = _unpacked(document)
        processor = self._reader(inside)
        return processor.text(inside) if processor is not None else ""

    def _reader(self, document: Document) -> Processor | None:
        head = document.content[:HEAD]
        if is_sitemap(head):
            return self._sitemap
        if document.mime == "text/plain":
            return self._plain
        return self._html if document.mime == _XHTML else None


def _unpacked(document: Document) -> Document:
    """Return the document inside a gzip file, with the type its content has."""
    content = unpack(document.content)
    declared = "application/xml" if content is document.content else ""
    return replace(document, content=content, mime=sniff(declared, content[:HEAD]))
