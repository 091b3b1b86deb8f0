"""Pages that would stall a tree builder are told before parsing, and still give their links."""

import time

import pytest

from gossamer.processors import tree
from gossamer.processors.costly import is_costly, scan
from gossamer.processors.html import HtmlProcessor
from gossamer.records.page import Document

MANY = 20_000
LINK = b"<title>Trap &amp; co</title><title>another</title><base href=/b/><a rel=nofollow href='x?a&amp;b'>x</a>"
COSTLY = {
    "deep divs": b"<div>" * MANY,
    "deep and closed": b"<div>" * MANY + b"</div>" * MANY,
    "deep lists": b"<ul><li>" * MANY,
    "formatting": b"".join(b"<font size=%d>" % number for number in range(MANY)),
    "wrong ends": b"<div></p>" * MANY,
    "attributes": b"<i " + b" ".join(b"a%d=1" % number for number in range(MANY)) + b">",
    "roots": b"".join(b"<html a%d=1>" % number for number in range(MANY)),
}
CHEAP = {
    "options": b"<select>" + b"<option>x" * MANY,
    "breaks": b"<br>" * MANY,
    "rows": b"<table>" + b"<tr><td>x</td></tr>" * MANY,
    "open items": b"<ul>" + b"<li>x" * 5_000,
    "a long picture": b"<img src='data:image/png;base64," + b"A" * 200_000 + b"'>",
    "long text": b"<p>words " * 5_000,
    "anchors": b"<a href=x>a</a>" * MANY,
}


@pytest.mark.parametrize("name", COSTLY)
def test_a_costly_page_is_scanned_in_bounded_time(name: str) -> None:
    content = LINK + COSTLY[name]
    assert is_costly(content)
    begin = time.process_time()
    document = Document(url="https://site.test/", mime="text/html", content=content, charset="utf-8")
    extract = HtmlProcessor(500, way=tree).process(document)
    assert HtmlProcessor(500, way=tree).text(document) == ""
    assert time.process_time() - begin < 1.0
    assert extract.title == "Trap & co"
    assert [(link.url, link.nofollow) for link in extract.links] == [("https://site.test/b/x?a&b", True)]


@pytest.mark.parametrize("name", CHEAP)
def test_a_large_but_honest_page_is_parsed(name: str) -> None:
    assert not is_costly(LINK + CHEAP[name])
    begin = time.process_time()
    document = Document(url="https://site.test/", mime="text/html", content=CHEAP[name], charset="utf-8")
    HtmlProcessor(500, way=tree).process(document)
    assert time.process_time() - begin < 1.0


@pytest.mark.parametrize("content", ["<a" * 500_000, "<a href='" * 100_000, "<a href=x " * 100_000, "<title>" * 100_000])
def test_scanning_is_linear(content: str) -> None:
    begin = time.process_time()
    assert all(name in ("a", "title") for name, _ in scan(content))
    assert time.process_time() - begin < 2.0


def test_scanning_reads_attributes_as_they_are_written() -> None:
    html = "<A HREF=\"/x\" rel='nofollow' href=/y checked><img src=a.png/><meta name=robots content='noindex, nofollow'>"
    assert list(scan(html)) == [
        ("a", {"href": "/x", "rel": "nofollow", "checked": None}),
        ("img", {"src": "a.png/"}),
        ("meta", {"name": "robots", "content": "noindex, nofollow"}),
    ]
