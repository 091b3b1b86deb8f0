"""Every processor keeps the promises of its joint."""

import gzip
from collections.abc import Callable

import pytest

from gossamer.joints.documents import Processor
from gossamer.processors.feed import FeedProcessor
from gossamer.processors.html import HtmlProcessor
from gossamer.processors.plain import PlainProcessor
from gossamer.processors.sitemap import SitemapProcessor
from gossamer.processors.xml import XmlProcessor
from gossamer.records.page import Document
from gossamer.testing.processor import RULES, Rule

PAGE = (
    "<!DOCTYPE html><html lang=fr><head><meta charset=utf-8><title>Les étangs</title><base href=/pays/>"
    "<link rel=canonical href=étang><meta name=robots content=noarchive></head><body><p>L'été <a href='?q=é#x'>ici</a>"
    "<a href=mailto:a@b>là</a><img src=a.png srcset='b.png 2x'><script>var a = '<a href=no>'</script></body></html>"
).encode()
SITEMAP = b"<urlset><url><loc>https://site.test/a</loc></url><url><loc>https://site.test/b?c&amp;d</loc></url></urlset>"
XHTML = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><a href="/a">a</a></body></html>'
FEED = (
    b"<rss><channel><title>\xc3\xa9</title><item><link>/a?b&amp;c</link><pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate></item>"
    b"<item><guid>https://site.test/b</guid></item></channel></rss>"
)
LINES = b"https://site.test/a\nhttps://site.test/b\n"


def document(content: bytes, mime: str, path: str = "/dir/page") -> Document:
    return Document(url=f"https://site.test{path}", mime=mime, content=content)


PROCESSORS: dict[str, tuple[Callable[[], Processor], Document]] = {
    "html": (lambda: HtmlProcessor(500), document(PAGE, "text/html")),
    "xhtml": (lambda: HtmlProcessor(500), document(XHTML, "application/xhtml+xml")),
    "sitemap": (SitemapProcessor, document(SITEMAP, "application/xml")),
    "xml-sitemap": (lambda: XmlProcessor(500), document(SITEMAP, "application/xml")),
    "xml-page": (lambda: XmlProcessor(500), document(XHTML, "application/xml")),
    "gzip": (lambda: XmlProcessor(500), document(gzip.compress(SITEMAP), "application/gzip")),
    "feed": (lambda: FeedProcessor(500), document(FEED, "application/rss+xml")),
    "gzip-feed": (lambda: XmlProcessor(500), document(gzip.compress(FEED), "application/gzip")),
    "plain": (lambda: PlainProcessor(500), document(LINES, "text/plain", "/sitemap.txt")),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("name", PROCESSORS)
async def test_a_processor_keeps_its_promise(name: str, rule: Rule) -> None:
    open_processor, sample = PROCESSORS[name]
    assert isinstance(open_processor(), Processor)
    assert open_processor().process(sample).links, "a sample without links shows little"
    await rule(open_processor, sample)
