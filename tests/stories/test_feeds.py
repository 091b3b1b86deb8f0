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
