"""From a document to what is kept of it: links, facts, and what its text is like."""

import gzip

import pytest
from ways import WAYS

from gossamer.assemble import make_processors
from gossamer.config.sections import Settings
from gossamer.dedupe.simhash import likeness_of
from gossamer.processors.html import HtmlProcessor
from gossamer.readers.document import read_by
from gossamer.records.likeness import Likeness
from gossamer.records.page import Document, Extract

PAGE = b"""<html lang=en><head><title>Not the text</title><style>p { color: red }</style></head><body>
<p>What a reader <b>sees</b>,<a href=/more>and more</a> of it<script>hidden()</script><p>&eacute;tude</p></body></html>"""
TEXT = "What a reader sees,and more of it\n\xe9tude"


def read(content: bytes, mime: str, path: str = "/") -> tuple[Extract, Likeness | None]:
    return read_by(make_processors(Settings()), Document(url=f"http://a.test{path}", mime=mime, content=content))


@pytest.mark.parametrize("name", WAYS)
def test_links_and_text_of_a_page_are_read_together(name: str) -> None:
    processor = HtmlProcessor(500, way=WAYS[name])
    document = Document(url="http://a.test/", mime="text/html", content=PAGE)
    extract = processor.process(document)
    assert extract.text == processor.text(document) == TEXT
    assert [link.url for link in extract.links] == ["http://a.test/more"]
    assert processor.skim(document).text in ("", TEXT)


@pytest.mark.parametrize(
    ("content", "mime"),
    [
        (PAGE, "text/html"),
        (TEXT.encode(), "text/plain"),
        (gzip.compress(TEXT.encode()), "application/gzip"),
        (b"<?xml version='1.0'?>" + PAGE.replace(b"<html", b"<html xmlns='http://www.w3.org/1999/xhtml'"), "application/xml"),
    ],
    ids=["page", "text", "text in gzip", "xhtml"],
)
def test_a_text_is_dropped_for_what_it_is_like(content: bytes, mime: str) -> None:
    extract, likeness = read(content, mime)
    assert extract.text == ""
    assert likeness == likeness_of(TEXT) and likeness.words == 9


@pytest.mark.parametrize(
    ("content", "mime", "path"),
    [
        (b"", "text/html", "/"),
        (b"<title>title</title><body><p>...<img src=a.png>", "text/html", "/"),
        (b"http://a.test/1\nhttp://a.test/2\n", "text/plain", "/sitemap.txt"),
        (b"<urlset><url><loc>http://a.test/1</loc></url></urlset>", "application/xml", "/"),
        (b"<rss><channel>words of a feed</channel></rss>", "application/xml", "/"),
        (b"some words", "image/png", "/"),
    ],
    ids=["empty", "no words", "text sitemap", "sitemap", "other xml", "nobody's type"],
)
def test_what_has_no_words_is_like_nothing(content: bytes, mime: str, path: str) -> None:
    assert read(content, mime, path)[1] is None


def test_a_page_that_was_not_whole_says_so_and_is_like_what_there_is() -> None:
    document = Document(url="http://a.test/", mime="text/html", content=PAGE, cut=True, error="the gzip ends early")
    extract, likeness = read_by(make_processors(Settings()), document)
    assert str(extract.cut) == "the gzip ends early" and likeness == likeness_of(TEXT)
