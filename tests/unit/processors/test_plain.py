"""Plain text, and sitemaps in plain text."""

import pytest

from gossamer.processors.plain import PlainProcessor
from gossamer.records.entry import LinkKind
from gossamer.records.page import Document


def document(content: bytes, path: str, charset: str = "") -> Document:
    return Document(url=f"https://site.test{path}", mime="text/plain", content=content, charset=charset)


LINES = (
    b"https://site.test/a\r\n\r\n  http://other.test/b  \nnot a URL\n/relative\nhttps://site.test/a\nhttps://site.test/a b\n"
)


@pytest.mark.parametrize("path", ["/sitemap.txt", "/x/SiteMap-2.TXT", "/my_sitemap.txt.gz"])
def test_a_text_named_like_a_sitemap_is_one(path: str) -> None:
    extract = PlainProcessor(500).process(document(LINES, path))
    assert [(link.url, link.kind) for link in extract.links] == [
        ("https://site.test/a", LinkKind.SITEMAP),
        ("http://other.test/b", LinkKind.SITEMAP),
    ]


@pytest.mark.parametrize("path", ["/notes.txt", "/sitemap/notes.txt", "/sitemap", "/sitemap.txt/x", "/x?sitemap.txt"])
def test_any_other_text_has_no_links(path: str) -> None:
    assert PlainProcessor(500).process(document(LINES, path)).links == ()


def test_a_byte_order_mark_hides_no_line() -> None:
    extract = PlainProcessor(500).process(document(b"\xef\xbb\xbfhttps://site.test/a\n", "/sitemap.txt", "utf-8"))
    assert [link.url for link in extract.links] == ["https://site.test/a"]


def test_text_is_the_text_in_its_charset() -> None:
    processor = PlainProcessor(500)
    assert processor.text(document("Привет, мир".encode("koi8-r"), "/x.txt", "koi8-r")) == "Привет, мир"
    assert processor.text(document("Größe".encode(), "/x.txt")) == "Größe"
    assert processor.process(document("Größe".encode(), "/x.txt")).charset == "utf-8"
