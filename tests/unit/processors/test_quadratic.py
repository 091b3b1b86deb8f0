"""Pages built to take quadratic time end in time, small or large, with their links found."""

import time
from collections.abc import AsyncIterator

import pytest
from ways import WAYS

from gossamer.assemble import make_processors, make_reader_processes
from gossamer.config.sections import Settings
from gossamer.document.body import Body
from gossamer.processors import tree
from gossamer.processors.costly import is_costly
from gossamer.processors.html import COSTLY, HtmlProcessor
from gossamer.readers.reading import Reader
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.records.page import Document

MB = 1_000_000
SIZES = (MB // 4, MB, 10 * MB)
LINK = b"<title>Trap</title><a href=/way-out>out</a>"


def filled(unit: bytes, size: int) -> bytes:
    return unit * (size // len(unit))


def numbered(unit: bytes, size: int) -> bytes:
    return b"".join(unit % number for number in range(size // (len(unit) + 4)))


def hidden_ends(size: int) -> bytes:
    """Return attributes of one tag, now and then with a `>` that does not end it."""
    return b" ".join(b"a%d=%s" % (number, b"1" if number % 100 else b"'>'") for number in range(size // 10))


FAMILIES = {
    "nested div": lambda size: filled(b"<div>", size),
    "nested and closed": lambda size: filled(b"<div>", size // 2) + filled(b"</div>", size // 2),
    "ul and li": lambda size: filled(b"<ul><li>", size),
    "foster parenting": lambda size: b"<table>" + filled(b"<div>x</div><tr>", size),
    "tables in tables": lambda size: filled(b"<table><div>", size),
    "attributes": lambda size: b"<i " + numbered(b"a%d=1 ", size) + b">",
    "attributes with quoted ends": lambda size: b"<i " + hidden_ends(size) + b">",
    "attributes of the root": lambda size: numbered(b"<html a%d=1></html>", size),
    "options": lambda size: b"<select>" + filled(b"<option selected>x", size),
    "font": lambda size: numbered(b"<font size=%d>", size),
    "font in paragraphs": lambda size: numbered(b"<p><font size=%d>", size),
    "ends in comments": lambda size: filled(b"<div><!--</div>-->", size),
    "ends in attributes": lambda size: filled(b"<div a='</div>'>", size),
    "ends in scripts": lambda size: filled(b"<div><script></div></script>", size),
    "ends in nothing": lambda size: filled(b"<div><!</div>", size),
    "UTF-16": lambda size: filled(b"<div>", size // 2).decode().encode("utf-16le"),
}


def page(name: str, size: int) -> Document:
    charset = "utf-16le" if name == "UTF-16" else "utf-8"
    content = LINK.decode().encode(charset) + FAMILIES[name](size)
    return Document(url="http://a.test/", mime="text/html", content=content, charset=charset)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("way", WAYS)
def test_a_quadratic_page_ends_in_two_seconds_with_its_links(way: str, name: str, size: int) -> None:
    document = page(name, size)
    begin = time.process_time()
    extract = HtmlProcessor(500, way=WAYS[way]).process(document)
    assert time.process_time() - begin < (2 if size >= MB else 0.5)  # the smallest may be read on the event loop
    assert [link.url for link in extract.links] == ["http://a.test/way-out"]
    assert extract.title == "Trap"
    assert extract.cut in (None, COSTLY if way == "tree" else None)


@pytest.fixture
async def reader() -> AsyncIterator[Reader]:
    settings = Settings()
    aside = make_reader_processes(settings)
    yield Reader(settings, make_processors(settings), aside)
    await aside.aclose()


@pytest.mark.parametrize("size", SIZES[1:])
async def test_a_crawl_reads_them_too(reader: Reader, size: int) -> None:
    for name in ("nested div", "attributes with quoted ends", "options"):
        document = page(name, size)
        body = Body()
        body.write(document.content)
        fetched = Fetched(url=document.url, outcome=Outcome.OK, body=body, headers=(("content-type", "text/html"),))
        extract = (await reader.read(fetched)).extract
        body.close()
        assert [link.url for link in extract.links] == ["http://a.test/way-out"], name


def test_more_tags_than_fit_into_memory_are_scanned() -> None:
    document = Document(url="http://a.test/", mime="text/html", content=LINK + b"<br>" * 600_000, charset="utf-8")
    for way in WAYS.values():
        extract = HtmlProcessor(500, way=way).process(document)
        assert (len(extract.links), extract.cut) == (1, COSTLY if way is tree else None)


def test_more_elements_than_are_read_are_counted_as_cut() -> None:
    content = b"<a href=/x>x</a><div>" * 120_000
    document = Document(url="http://a.test/", mime="text/html", content=content, charset="utf-8")
    extract = HtmlProcessor(500, way=tree).process(document)
    assert (extract.cut, len(extract.links), extract.links_cut) == (COSTLY, 1, 20_000)


HONEST = {
    "a book": b"<pre>"
    + b'It was the best of times, it was the worst of times, "it was" the age of wisdom\n' * 5_000
    + b"</pre>",
    "a long script": b"<script>"
    + b"if (a <b && c) { document.write('<div class=\"x\">text</div>') };\n" * 3_500
    + b"</script>",
    "upper case": b"<P>words<BR>\n<HR><IMG SRC=x></P>\n" * 4_000,
    "comments": b"<p>words<!-- <div> -->words</p>\n" * 5_000,
    "values with ends": b"<p title='a > b'>some <b>words</b></p>\n" * 5_000,
    "quotes in text": b'<p>it\'s "so" = "they" say=\'</p>\n' * 5_000,
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_page_is_parsed(name: str) -> None:
    assert not is_costly(LINK + HONEST[name])


@pytest.mark.parametrize(
    "unit",
    [b"<", b"<a ", b"<a x=", b"<a x='", b"<!--", b"<script>", b"<script", b"</", b'="', b"='>", b"<!", b"<a/", b"<title>"],
)
def test_telling_costly_pages_takes_linear_time(unit: bytes) -> None:
    begin = time.process_time()
    is_costly(filled(unit, 5 * MB))
    is_costly(filled(unit + b"some text  ", 5 * MB))  # few enough tags to be looked at
    assert time.process_time() - begin < 4


def test_titles_of_pictures_in_the_deep_take_no_time() -> None:
    content = b"<svg>" * 2_900 + b"<title>x</title>" * 1_400
    begin = time.process_time()
    for way in WAYS.values():
        document = Document(url="http://a.test/", mime="text/html", content=content, charset="utf-8")
        HtmlProcessor(500, way=way).process(document)
    assert time.process_time() - begin < 0.5
