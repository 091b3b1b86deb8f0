"""Feeds: every dialect, dates, faults, and files that mean harm."""

import time
import tracemalloc
from pathlib import Path

import pytest

from gossamer.processors.feed import FeedProcessor
from gossamer.processors.html import HtmlProcessor
from gossamer.records.hints import Hint
from gossamer.records.page import Document, Extract

RSS = """<?xml version="1.0"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel>
<title>News &amp; more</title><link>https://site.test/</link><atom:link href="/blog/feed.xml" rel="self"/>
<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>
<image><title>no</title><link>https://no.test/</link></image>
<item><title>A</title><link>/a?x=1&amp;y=2</link><pubDate>Sat, 07 Sep 2002 00:00:01 GMT</pubDate></item>
<item><guid>https://site.test/b</guid><pubDate>some time ago</pubDate></item>
<item><guid isPermaLink="false">https://site.test/no</guid></item>
<item><link><![CDATA[ /c ]]></link><description><link>/no</link></description></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://other.test/x/"><title>T</title>
<link href="https://site.test/"/><link rel="next" href="?page=2"/><link rel="hub" href="/no"/>
<entry><link rel="edit" href="no"/><link href="one"/>
<published>2020-01-01</published><updated>2021-01-01T00:00:00Z</updated></entry>
<entry><source><link href="no"/><updated>2001-01-01</updated></source><link rel="alternate" href="two"/></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>R</title><link>https://site.test/</link></channel>
<image><link>https://no.test/</link></image><item><link>https://site.test/r</link><dc:date>2003-05-01</dc:date></item></rdf:RDF>"""


def read(content: str | bytes, max_links: int = 500) -> Extract:
    raw = content.encode() if isinstance(content, str) else content
    return FeedProcessor(max_links).process(
        Document(url="https://site.test/blog/feed.xml", mime="application/rss+xml", content=raw)
    )


def found(extract: Extract) -> list[tuple[str, str]]:
    return [(link.kind.value, link.url) for link in extract.links]


def test_rss_entries_are_links_with_their_dates() -> None:
    extract = read(RSS)
    assert extract.title == "News & more"
    assert found(extract) == [
        ("feed", "https://site.test/a?x=1&y=2"),
        ("feed", "https://site.test/b"),
        ("feed", "https://site.test/c"),
        ("alternate", "https://site.test/"),
    ]
    assert extract.hints == (
        Hint("https://site.test/a?x=1&y=2", 1031356801.0),
        Hint("https://site.test/blog/feed.xml", interval=1800.0),
    )


def test_atom_entries_are_links_by_their_alternate_and_the_update_counts() -> None:
    extract = read(ATOM)
    assert found(extract) == [
        ("feed", "https://other.test/x/one"),
        ("feed", "https://other.test/x/two"),
        ("alternate", "https://site.test/"),
        ("alternate", "https://other.test/x/?page=2"),
    ]
    assert extract.hints == (Hint("https://other.test/x/one", 1609459200.0),)


def test_rss_one_has_its_items_beside_the_channel() -> None:
    extract = read(RDF)
    assert found(extract) == [("feed", "https://site.test/r"), ("alternate", "https://site.test/")]
    assert extract.hints == (Hint("https://site.test/r", 1051747200.0),)


@pytest.mark.parametrize(("text", "interval"), [("30", 1800.0), ("0", None), ("soon", None), ("9" * 30, None), ("٣", None)])
def test_a_ttl_says_how_often_the_feed_changes(text: str, interval: float | None) -> None:
    hints = read(f"<rss><channel><ttl>{text}</ttl></channel></rss>").hints
    assert [hint.interval for hint in hints] == ([] if interval is None else [interval])


@pytest.mark.parametrize("fault", ["&nbsp;", " & ", "\x0b", "&#0;"], ids=["entity", "ampersand", "control", "nul"])
def test_a_feed_is_read_on_behind_a_fault(fault: str) -> None:
    content = f"<rss><channel><item><title>{fault}</title></item><item><link>/b</link></item></channel></rss>"
    assert ("feed", "https://site.test/b") in found(read(content))


def test_links_beyond_the_limit_are_counted() -> None:
    items = "".join(f"<item><link>/{number}</link></item>" for number in range(30))
    extract = read(f"<rss><channel>{items}</channel></rss>", max_links=10)
    assert (len(extract.links), extract.links_cut) == (10, 20)


BOMB = (
    b'<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + level, b"&%c;" % (97 + level) * 10) for level in range(9))
    + b'<!ENTITY x SYSTEM "file:///etc/hostname">]><rss><channel><title>&j;&x;</title><item><link>/a&x;&j;</link></item></channel></rss>'
)


@pytest.mark.parametrize(
    "content",
    [
        BOMB,
        b"<rss>" * 200_000,
        b"<rss><channel>" + b"<item><link>/a</lin>" * 50_000,
        b"<rss><channel><item>" + b"<link>" * 100_000,
        b"<rss><channel>" + b"<item><link>/x</link></item>" * 30_000,
        b"<rss><channel><item><link>" + b"x" * 10_000_000,
        b"<rss " + b" ".join(b'a%d="1"' % number for number in range(50_000)) + b"><channel/></rss>",
        b"<rss><channel><title>" + b"&nbsp;" * 200_000,
        bytes(range(256)) * 4000,
    ],
    ids=["entities", "deep", "never closed", "nested links", "many", "long", "attributes", "faults", "binary"],
)
def test_a_feed_that_means_harm_costs_little(content: bytes) -> None:
    tracemalloc.start()
    began = time.process_time()
    extract = read(content)
    spent = time.process_time() - began
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert spent < 5
    assert peak < 20_000_000
    assert all("root" not in link.url and len(link.url) < 100_000 for link in extract.links)


def test_nothing_is_read_from_the_disk(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden")
    content = (
        f'<!DOCTYPE rss [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">]>'
        "<rss><channel><title>T&x;</title><item><link>/a&x;</link></item></channel></rss>"
    )
    assert "hidden" not in repr(read(content))


def test_a_page_names_its_feeds_as_alternates() -> None:
    page = (
        b'<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        b"<link rel=alternate type=application/atom+xml href=atom>"
    )
    extract = HtmlProcessor(500).process(Document(url="https://site.test/", mime="text/html", content=page))
    assert found(extract) == [("alternate", "https://site.test/feed.xml"), ("alternate", "https://site.test/atom")]
