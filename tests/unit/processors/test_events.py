"""XML as events: every reference means what it means, in text and in attributes, whatever else is wrong; none does harm."""

import codecs
import time
import tracemalloc
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.processors.events import spelled_out, tell
from gossamer.processors.feed import FeedProcessor
from gossamer.processors.html import HtmlProcessor
from gossamer.processors.sitemap import SitemapProcessor
from gossamer.records.page import Document

SPELLINGS = {
    "&amp;": "&",
    "&#38;": "&",
    "&#038;": "&",
    "&#x26;": "&",
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&apos;": "'",
    "&#39;": "'",
    "&#xe9;": "é",
    "&#233;": "é",
    "&eacute;": "é",
    "&": "&",
    "&b=2": "&b=2",
    "&copy=2": "&copy=2",
    "&#;": "&#;",
    "&amp;lt;": "&lt;",
    "&amp;amp;": "&amp;",
    "&#38;#38;": "&#38;",
}
FAULT = "<title>R&D &nbsp; &undefined;</title>"


class Heard:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.values: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.values += attributes.values()

    def data(self, text: str) -> None:
        self.texts.append(text)

    def end(self, tag: str) -> None: ...

    def close(self) -> None: ...


def heard(*pieces: bytes) -> Heard:
    target = Heard()
    tell(pieces, target, lambda: False)
    return target


@pytest.mark.parametrize("before", ["", FAULT], ids=["sound", "behind a fault"])
@pytest.mark.parametrize("written", SPELLINGS)
def test_every_spelling_of_a_character_means_it(written: str, before: str) -> None:
    target = heard(f"<x>{before}<a b='/p?a=1{written}'/><c>|/p?a=1{written}</c></x>".encode())
    assert target.values == [f"/p?a=1{SPELLINGS[written]}"]
    assert "".join(target.texts).rpartition("|")[2] == f"/p?a=1{SPELLINGS[written]}"


def test_a_section_of_plain_text_is_left_as_it_is() -> None:
    target = heard(b"<x><!-- a & b &amp; --><![CDATA[/p?a&amp;b&c<d>]]></x>")
    assert "".join(target.texts) == "/p?a&amp;b&c<d>"


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "iso-8859-1", "shift_jis", "iso-2022-jp"])
def test_references_are_read_in_every_charset(charset: str) -> None:
    letters = "é" if charset == "iso-8859-1" else "Φヲ"  # in ISO-2022-JP one of its bytes is that of an ampersand
    letters = letters if charset != "utf-16" else "é"
    content = f"<?xml version='1.0' encoding='{charset}'?><x a='{letters}?a&amp;b'>{letters}?a&#38;b</x>".encode(charset)
    target = heard(content)
    assert target.values == [f"{letters}?a&b"]
    assert "".join(target.texts) == f"{letters}?a&b"


@given(
    st.lists(st.sampled_from(["&", "&amp;", "&#38;", "a", "<", "<![CDATA[", "]]>", "]", "<!--", "-->", ";", "é", ">"])),
    st.lists(st.integers(0, 40)),
)
def test_where_the_pieces_end_makes_no_difference(words: list[str], ends: list[int]) -> None:
    content = ("<x>" + "".join(words)).encode()
    cuts = sorted({0, len(content), *(end for end in ends if end < len(content))})
    pieces = [content[start:end] for start, end in pairwise(cuts)]
    assert b"".join(spelled_out(pieces)) == b"".join(spelled_out([content]))


def test_what_is_blank_before_the_beginning_is_passed_over() -> None:
    assert heard(b"", b" \n", b"\n<?xml version='1.0'?><x a='b'/>").values == ["b"]
    assert heard(codecs.BOM_UTF8 + b"<?xml version='1.0'?><x a='b'/>").values == ["b"]


def laughs(levels: int) -> str:
    return '<!ENTITY e0 "ha">' + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, levels + 1))


BOMBS = {
    "laughs": (laughs(9), "&e9;"),
    "quadratic": (f'<!ENTITY e "{"x" * 50_000}">', "&e;" * 2_000),
    "itself": ('<!ENTITY e "&f;"><!ENTITY f "&e;">', "&e;"),
    "parameter": ("<!ENTITY % p \"<!ENTITY e '&#37;p;'>\"> %p;", "&e;"),
    "attributes": ('<!ENTITY e "x">' + "<!ATTLIST a b CDATA '&e;'>" * 10_000, "&e;"),
    "many": ("".join(f'<!ENTITY e{number} "x">' for number in range(50_000)), "&e1;"),
}


@pytest.mark.parametrize("place", ["<a b='{}'/>", "<a>{}</a>"], ids=["attribute", "text"])
@pytest.mark.parametrize("name", BOMBS)
def test_entities_cannot_grow(name: str, place: str) -> None:
    declared, used = BOMBS[name]
    content = f"<!DOCTYPE x [{declared}]><x>{place.format(used) * 50}</x>".encode()
    tracemalloc.start()
    began = time.process_time()
    target = heard(content)
    spent = time.process_time() - began
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert spent < 2
    assert peak < 20 * 1024 * 1024 + 2 * len(content)
    assert sum(map(len, target.texts + target.values)) < 2_000_000 + 10 * len(content)


@pytest.mark.parametrize("place", ["<a b='/{}'/>", "<a>/{}</a>"], ids=["attribute", "text"])
def test_nothing_outside_is_read(tmp_path: Path, place: str) -> None:
    (tmp_path / "secret").write_text("hidden")
    (tmp_path / "more.dtd").write_text('<!ENTITY d "hidden"><!ATTLIST a c CDATA "hidden">')
    secret, more = (tmp_path / "secret").as_uri(), (tmp_path / "more.dtd").as_uri()
    for doctype in (
        f'[<!ENTITY d SYSTEM "{secret}">]',
        f'SYSTEM "{more}"',
        f'PUBLIC "-//x//y" "{more}"',
        f'[<!ENTITY % m SYSTEM "{more}"> %m;]',
    ):
        target = heard(f"<!DOCTYPE x {doctype}><x>{place.format('&d;')}</x>".encode())
        assert "hidden" not in repr((target.texts, target.values))


@pytest.mark.parametrize("piece", [b"&", b"<", b"<!--", b"<![CDATA[", b"<!ENTITY", b"&amp", b"]]>", b"<![CDATA[]]>", b"&x;"])
def test_to_spell_references_out_takes_linear_time(piece: bytes) -> None:
    content = b"<x>" + piece * (4_000_000 // len(piece))
    began = time.process_time()
    for _ in spelled_out(content[start : start + 65536] for start in range(0, len(content), 65536)):
        pass
    assert time.process_time() - began < 10


FEED_URL = "https://site.test/feed"
READERS = {
    "atom": ("<feed><entry><link href='{}'/></entry></feed>", FeedProcessor(500)),
    "rss": ("<rss><channel><item><link>{}</link></item></channel></rss>", FeedProcessor(500)),
    "guid": ("<rss><channel><item><guid>{}</guid></item></channel></rss>", FeedProcessor(500)),
    "enclosure": ("<rss><channel><item><enclosure url='{}'/></item></channel></rss>", FeedProcessor(500)),
    "rdf": (
        "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><item r:about='{}'/></r:RDF>",
        FeedProcessor(500),
    ),
    "sitemap": ("<urlset><url><loc>{}</loc></url></urlset>", SitemapProcessor()),
    "index": ("<sitemapindex><sitemap><loc>{}</loc></sitemap></sitemapindex>", SitemapProcessor()),
    "xhtml": ("<html xmlns='x'><head><title/></head><body><a href='{}'>a</a></body></html>", HtmlProcessor(500)),
}


@pytest.mark.parametrize("written", ["&amp;", "&#38;", "&#x26;", "&#038;", "&"])
@pytest.mark.parametrize("reader", READERS)
def test_a_link_is_whole_in_every_document(reader: str, written: str) -> None:
    template, processor = READERS[reader]
    content = template.format(f"https://site.test/p?a=1{written}b=2&amp;c=%26").encode()
    mime = "application/xhtml+xml" if reader == "xhtml" else "application/xml"
    extract = processor.process(Document(url=FEED_URL, mime=mime, content=content))
    assert [link.url for link in extract.links] == ["https://site.test/p?a=1&b=2&c=%26"]


@pytest.mark.parametrize("reader", ["rss", "guid", "sitemap", "index"])
def test_a_link_may_stand_in_a_section_of_plain_text(reader: str) -> None:
    template, processor = READERS[reader]
    content = template.format("<![CDATA[https://site.test/p?a=1&b=2]]>").encode()
    extract = processor.process(Document(url=FEED_URL, mime="application/xml", content=content))
    assert [link.url for link in extract.links] == ["https://site.test/p?a=1&b=2"]
