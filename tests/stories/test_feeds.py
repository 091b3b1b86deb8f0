"""Feeds in a crawl: found on a page, told by what they are and not by what they are called, their entries visited."""

import json
from pathlib import Path

from crawling import run_gossamer
from serving import Answer, page, site_running

HERE = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]
HOME = (
    b'<title>home</title><link rel="alternate" type="application/rss+xml" href="/rss">'
    b'<link rel="alternate" type="application/atom+xml" href="/atom"><link rel="alternate" href="/called-xml">'
)
RSS = "<rss><channel><title>news</title><item><link>/{}</link><pubDate>7 Sep 2002 00:00:01 GMT</pubDate></item></channel></rss>"
ATOM = '<feed xmlns="http://www.w3.org/2005/Atom"><title>more</title><entry><link href="/of-atom"/></entry></feed>'


def answer(content: str, mime: str) -> Answer:
    return 200, {"content-type": mime}, content.encode()


def test_the_entries_of_every_feed_are_visited(tmp_path: Path) -> None:
    routes = {
        "/": (200, {"content-type": "text/html"}, HOME),
        "/rss": answer(RSS.format("of-rss"), "application/rss+xml; charset=utf-8"),
        "/atom": answer(ATOM, "application/atom+xml"),
        "/called-xml": answer(RSS.format("of-xml"), "text/xml"),
        **{path: page(title=path) for path in ("/of-rss", "/of-atom", "/of-xml")},
    }
    with site_running(routes) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *HERE).returncode == 0
        entries = [site.url(path) for path in ("/of-rss", "/of-atom", "/of-xml")]
        told = run_gossamer("explain", tmp_path / "crawl", "-", "--json", stdin="\n".join(entries)).stdout.splitlines()
    assert {"/of-rss", "/of-atom", "/of-xml"} <= set(site.paths)
    assert [json.loads(line)["outcome"] for line in told] == ["ok"] * 3
    assert all('"feed"' in line for line in told)
    feeds = run_gossamer("pages", tmp_path / "crawl", "news", "--json").stdout
    assert {json.loads(line)["mime"] for line in feeds.splitlines()} == {"application/rss+xml"}


ARTICLES = [f"/article?{by}&a={number}" for by in ("atom", "rss", "guid", "rdf", "about", "map") for number in (1, 2)]
ATOM_ENTRY = '<entry><link rel="alternate" href="{}"/></entry>'
RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
    "<channel rdf:about='/rdf'><title>R</title><items><rdf:Seq>{}</rdf:Seq></items></channel>{}</rdf:RDF>"
)


def escaped(by: str) -> tuple[str, str]:
    """Return the two articles of a feed, each with its ampersand in another spelling."""
    return f"/article?{by}&amp;a=1", f"/article?{by}&#x26;a=2"


def test_an_ampersand_in_a_link_is_an_ampersand(tmp_path: Path) -> None:
    listed = [f'<rdf:li rdf:resource="{href}"/>' for href in escaped("rdf")]
    linked = [f'<item rdf:about="{href}"><link>{href}</link></item>' for href in escaped("rdf")]
    named = [f'<item rdf:about="{href}"/>' for href in escaped("about")]
    feeds = {
        "/atom": answer(f"<feed>{''.join(map(ATOM_ENTRY.format, escaped('atom')))}</feed>", "application/atom+xml"),
        "/rss": answer(
            "<rss><channel><item><title>Q&A & more&nbsp;</title></item>"
            f"<item><link>{escaped('rss')[0]}</link></item><item><link><![CDATA[/article?rss&a=2]]></link></item>"
            "{}</channel></rss>",
            "text/rss",
        ),
        "/rdf": answer(RDF.format("".join(listed), "".join(linked + named)), "application/rdf+xml"),
        "/map": answer(
            f"<urlset>{''.join(f'<url><loc>{href}</loc></url>' for href in escaped('map'))}</urlset>", "application/xml"
        ),
    }
    home = "".join(f'<link rel="alternate" href="{path}">' for path in feeds).encode()
    with site_running({"/": (200, {"content-type": "text/html"}, home), **feeds}) as site:
        status, headers, body = feeds["/rss"]
        items = "".join(f"<item><guid>{site.url(href)}</guid></item>" for href in escaped("guid")).encode()
        site.routes["/rss"] = status, headers, body.replace(b"{}", items)
        site.routes |= {path: page(title=path) for path in ARTICLES}
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *HERE).returncode == 0
    assert sorted(path for path in site.paths if path.startswith("/article")) == sorted(ARTICLES)
