"""XML, and gzip files: what is inside decides who reads it. What is no sitemap, feed or XHTML page has no links.

A sitemap inside a gzip file is unpacked by its reader, piece by piece. Of a text or a page inside one only the beginning is
unpacked and read, of anything else only as much as tells what it is.
"""

from msgspec.structs import replace

from gossamer.document.decode import decode
from gossamer.document.sniff import HEAD, is_gzip, is_sitemap, sniff
from gossamer.joints.documents import Processor
from gossamer.processors.feed import FeedProcessor
from gossamer.processors.html import HtmlProcessor
from gossamer.processors.plain import PlainProcessor
from gossamer.processors.sitemap import SitemapProcessor
from gossamer.records.page import Document, Extract
from gossamer.records.reason import because
from gossamer.records.rules import Rule

MOST_UNPACKED = 4 * 1024 * 1024
CUT = because(Rule.DOCUMENTS_UNPACKED, limit=MOST_UNPACKED)

_XHTML = "application/xhtml+xml"
_FEEDS = ("application/rss+xml", "application/atom+xml")


class XmlProcessor:
    """Implements `joints.documents.Processor` by handing over."""

    is_linear = False

    def __init__(self, max_links: int, agent: str = "gossamer", meta: bool = True) -> None:
        self._sitemap = SitemapProcessor()
        self._readers: dict[str, Processor] = {
            "text/plain": PlainProcessor(max_links, agent, meta),
            _XHTML: HtmlProcessor(max_links, agent, meta),
            **dict.fromkeys(_FEEDS, FeedProcessor(max_links, agent, meta)),
        }

    def process(self, document: Document) -> Extract:
        """Let whoever knows the root element read the document."""
        processor, inside = self._open(document)
        if processor is None:
            return Extract(charset=document.charset)
        extract = processor.process(inside)
        return replace(extract, cut=CUT) if inside.too_big and extract.cut is None else extract

    def skim(self, document: Document) -> Extract:
        """Let whoever knows the root element skim the document."""
        processor, inside = self._open(document)
        return processor.skim(inside) if processor is not None else Extract(charset=document.charset)

    def text(self, document: Document) -> str:
        """Return the text of a page; other XML has none."""
        processor, inside = self._open(document)
        return processor.text(inside) if processor is not None else ""

    def _open(self, document: Document) -> tuple[Processor | None, Document]:
        """Return the document, or the one inside a gzip file, and who reads it; nobody may."""
        content = document.content
        if not is_gzip(content):
            mime = sniff("application/xml", content[:HEAD])
            return self._sitemap if is_sitemap(content[:HEAD]) else self._readers.get(mime), replace(document, mime=mime)
        head = decode(content, "gzip", HEAD).content
        if is_sitemap(head):
            return self._sitemap, document
        mime = sniff("", head)
        if mime not in self._readers:
            return None, document
        inside = decode(content, "gzip", MOST_UNPACKED)
        return self._readers[mime], replace(document, content=inside.content, mime=mime, too_big=inside.too_big)
