"""Sitemaps: every namespace, every coding, and files that mean harm."""

import gzip
import time
import tracemalloc

import pytest

from gossamer.processors import sitemap
from gossamer.processors.sitemap import MOST_URLS, SitemapProcessor
from gossamer.records.entry import LinkKind
from gossamer.records.hints import Hint
from gossamer.records.page import Document, Extract


def read(content: bytes | str, url: str = "https://site.test/sitemap.xml") -> Extract:
    raw = content.encode() if isinstance(content, str) else content
    return SitemapProcessor().process(Document(url=url, mime="application/xml", content=raw))


def urls(content: bytes | str) -> list[str]:
    return [link.url.removeprefix("https://site.test") for link in read(content).links]


def entry(path: str) -> str:
    return f"<url><loc>https://site.test{path}</loc><lastmod>2024-01-01</lastmod></url>"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entry("/a")}{entry("/b")}</urlset>', ["/a", "/b"]),
        (f"<urlset>{entry('/a')}</urlset>", ["/a"]),
        (f'<urlset xmlns="urn:wrong">{entry("/a")}</urlset>', ["/a"]),
        ('<s:urlset xmlns:s="x"><s:url><s:loc>https://site.test/a</s:loc></s:url></s:urlset>', ["/a"]),
        ("<sitemapindex><sitemap><loc>https://site.test/s.xml.gz</loc></sitemap></sitemapindex>", ["/s.xml.gz"]),
        (f'\n \n<?xml version="1.0"?><urlset>{entry("/a")}</urlset>', ["/a"]),
        (f'\ufeff<?xml version="1.0" encoding="utf-8"?><urlset>{entry("/a")}</urlset>', ["/a"]),
        ("<urlset><url><loc>\n https://site.test/a \n</loc></url></urlset>", ["/a"]),
        ("<urlset><url><loc><![CDATA[https://site.test/a?b&c]]></loc></url></urlset>", ["/a?b&c"]),
        ("<urlset><url><loc>https://site.test/a?b&amp;c</loc></url></urlset>", ["/a?b&c"]),
        ("<urlset><url><loc>/relative</loc></url><url><loc/></url><url><lastmod>x</lastmod></url></urlset>", ["/relative"]),
        (f"<urlset>{entry('/a')}{entry('/a')}{entry('/a#f')}</urlset>", ["/a"]),
        ("<urlset><url><loc>mailto:a@b</loc></url><url><loc>http://[</loc></url></urlset>", []),
        ("<urlset><url><loc>/a</loc><i:image xmlns:i='i'><i:loc>/i.png</i:loc></i:image></url></urlset>", ["/a"]),
        ("<rss><channel><item><link>https://site.test/a</link></item></channel></rss>", []),
        ("", []),
        ("not XML at all", []),
    ],
)  # fmt: skip
def test_every_loc_is_a_link(content: str, found: list[str]) -> None:
    assert urls(content) == found
    assert {link.kind for link in read(content).links} <= {LinkKind.SITEMAP}


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "iso-8859-1"])
def test_the_charset_is_the_one_declared(charset: str) -> None:
    content = f'<?xml version="1.0" encoding="{charset}"?><urlset>{entry("/é")}</urlset>'
    assert urls(content.encode(charset)) == ["/%C3%A9"]


@pytest.mark.parametrize(
    "tail", ["<url><loc>https://site.te", "<url></wrong>", "&nothing;", "<url><loc>a&b</loc>", "\x00", "<"]
)
def test_a_broken_file_gives_what_was_read_before_the_break(tail: str) -> None:
    assert urls(f"<urlset>{entry('/a')}{entry('/b')}{tail}{entry('/late')}</urlset>")[:2] == ["/a", "/b"]
    assert "/late" not in urls(f"<urlset>{entry('/a')}{tail}")


def test_a_gzip_file_is_opened_also_when_it_is_cut() -> None:
    content = f"<urlset>{''.join(entry(f'/{number}') for number in range(1000))}</urlset>".encode()
    packed = gzip.compress(content)
    assert len(urls(packed)) == 1000
    assert 0 < len(urls(packed[: len(packed) // 2])) < 1000


def test_a_file_has_the_limit_of_the_standard_and_the_cut_is_counted() -> None:
    content = f"<urlset>{''.join(entry(f'/{number}') for number in range(MOST_URLS + 2000))}</urlset>"
    extract = read(content)
    assert len(extract.links) == MOST_URLS
    assert extract.links_cut == 2000


def test_locations_are_counted_also_where_one_piece_ends_and_the_next_begins() -> None:
    content = f"<urlset>{''.join(entry(f'/{number}') for number in range(MOST_URLS + 30_000))}</urlset>".encode()
    for packed in (content, gzip.compress(content), b"  \n" + content, b"  \n" * 40_000 + content):
        extract = SitemapProcessor().process(Document(url="https://site.test/", mime="application/xml", content=packed))
        assert (len(extract.links), extract.links_cut) == (MOST_URLS, 30_000)


@pytest.mark.parametrize("opening", ["", "<urlset>", "<urlset><url><loc>https://site.test/"])
def test_a_small_file_that_unpacks_to_much_takes_little_memory(opening: str) -> None:
    packed = gzip.compress(opening.encode()) + gzip.compress(b" " * 40_000_000, 1)
    tracemalloc.start()
    assert urls(packed) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000


BOMBS = {
    "laughs": '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>",
    "quadratic": '<!DOCTYPE x [<!ENTITY j "' + "x" * 100_000 + '">]>',
    "file": '<!DOCTYPE x [<!ENTITY j SYSTEM "file:///etc/hostname">]>',
    "parameter": "<!DOCTYPE x [<!ENTITY % p \"<!ENTITY j 'x'>\"> %p;]>",
}


@pytest.mark.parametrize("name", BOMBS)
def test_entities_load_nothing_and_cannot_grow(name: str) -> None:
    begin = time.process_time()
    repeated = "&j;" * (10_000 if name == "quadratic" else 1)
    found = urls(f'<?xml version="1.0"?>{BOMBS[name]}<urlset><url><loc>https://site.test/{repeated}</loc></url></urlset>')
    assert found in ([], ["/"], ["/x"])
    assert time.process_time() - begin < 1.0


def test_a_bomb_of_elements_takes_no_memory() -> None:
    packed = gzip.compress(b"<urlset>" + b"<x/>" * 300_000, compresslevel=1)
    tracemalloc.start()
    assert urls(packed) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * 1024 * 1024


def test_a_file_of_too_many_elements_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "MOST_ELEMENTS", 20_000)
    assert urls(f"<urlset>{entry('/a')}{'<x/>' * 60_000}{entry('/late')}</urlset>") == ["/a"]


def test_deep_nesting_is_survived() -> None:
    assert urls("<urlset>" + "<x>" * 100_000) == []


def test_what_is_said_about_a_url_is_a_hint() -> None:
    content = """<urlset>
        <url><loc>/a</loc><lastmod>2026-01-02</lastmod><changefreq>Daily</changefreq><priority>0.8</priority></url>
        <url><priority>1</priority><loc>/b</loc></url>
        <url><loc>/c</loc></url>
        <url><loc>/d</loc><changefreq>never</changefreq><i:image xmlns:i="i"><i:lastmod>2020-01-01</i:lastmod></i:image></url>
        <url><lastmod>2026-01-02</lastmod></url>
    </urlset>"""
    assert read(content).hints == (
        Hint("https://site.test/a", 1767312000.0, 86400.0, 0.8),
        Hint("https://site.test/b", priority=1.0),
        Hint("https://site.test/d", interval=10 * 365 * 86400.0),
    )


def test_a_sitemap_of_an_index_has_a_date_too() -> None:
    content = "<sitemapindex><sitemap><loc>/s.xml</loc><lastmod>2026-01-02</lastmod></sitemap></sitemapindex>"
    assert read(content).hints == (Hint("https://site.test/s.xml", 1767312000.0),)


@pytest.mark.parametrize(
    "said",
    [
        "<lastmod>last week</lastmod>",
        "<lastmod/>",
        "<changefreq>often</changefreq>",
        "<priority>1.5</priority>",
        "<priority>-1</priority>",
        "<priority>nan</priority>",
        "<priority>high</priority>",
        "<priority>.</priority>",
        "<priority></priority>",
        f"<priority>{'1' * 10_000}</priority>",
    ],
)
def test_what_makes_no_sense_is_no_hint(said: str) -> None:
    extract = read(f"<urlset><url><loc>/a</loc>{said}</url></urlset>")
    assert extract.hints == () and len(extract.links) == 1
