"""XML and gzip files are read by whoever knows what is inside."""

import gzip

import pytest

from gossamer.processors.xml import CUT, MOST_UNPACKED, XmlProcessor
from gossamer.records.page import Document, Extract

SITEMAP = b"<urlset><url><loc>https://site.test/a</loc></url></urlset>"
XHTML = b'<?xml version="1.0"?><html xmlns="urn:x"><head><title/></head><body>Hi <a href="/a">a</a></body></html>'


def document(content: bytes, mime: str = "application/xml", path: str = "/x") -> Document:
    return Document(url=f"https://site.test{path}", mime=mime, content=content)


def read(content: bytes, mime: str = "application/xml", path: str = "/x") -> Extract:
    return XmlProcessor(500).process(document(content, mime, path))


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (SITEMAP, "sitemap"),
        (b"<?xml version='1.0'?><!-- c --><sitemapindex><sitemap><loc>/a</loc></sitemap></sitemapindex>", "sitemap"),
        (XHTML, "anchor"),
        (b"<rss><channel><item><link>https://site.test/a</link></item></channel></rss>", "feed"),
        (b"<feed><entry><link href='https://site.test/a'/></entry></feed>", "feed"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_the_root_element_decides(content: bytes, kind: str, pack: object) -> None:
    extract = read(pack(content))  # type: ignore[operator]
    assert [(link.url, link.kind.value) for link in extract.links] == [("https://site.test/a", kind)]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<data><loc>https://site.test/a</loc></data>",
        gzip.compress(b"<html><a href=/a>"),
        gzip.compress(b"\x00\x01\x02" * 100),
        gzip.compress(b"just words"),
        b"\x1f\x8b\x08 broken",
    ],
    ids=["empty", "data", "packed page", "packed binary", "packed text", "broken"],
)
def test_anything_else_has_no_links(content: bytes) -> None:
    assert read(content).links == ()


def test_a_packed_text_sitemap_is_read_by_its_name() -> None:
    assert len(read(gzip.compress(b"https://site.test/a\n"), "application/gzip", "/sitemap.txt.gz").links) == 1


def test_text_is_that_of_a_page() -> None:
    assert XmlProcessor(500).text(document(XHTML)) == "Hi a"
    assert XmlProcessor(500).text(document(SITEMAP)) == ""
    assert XmlProcessor(500).text(document(b"<data>x</data>")) == ""


def test_of_a_page_or_a_text_inside_a_gzip_file_the_beginning_is_read_and_the_cut_is_said() -> None:
    page = XHTML.removesuffix(b"</body></html>") + b"x" * MOST_UNPACKED + b'<a href="/late">late</a></body></html>'
    extract = read(gzip.compress(page, 1), "application/gzip")
    assert [link.url for link in extract.links] == ["https://site.test/a"] and extract.cut == CUT
    lines = b"https://site.test/a\n" + b"\n" * MOST_UNPACKED + b"https://site.test/late\n"
    extract = read(gzip.compress(lines, 1), "application/gzip", "/sitemap.txt.gz")
    assert [link.url for link in extract.links] == ["https://site.test/a"] and extract.cut == CUT
    assert read(gzip.compress(XHTML), "application/gzip").cut is None
