"""A wiki is crawled again after some edits: only what was edited has a new version.

DokuWiki writes the time of the request into every page, as many applications do.
"""

import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest
from applications.dokuwiki import APPLICATION, edit
from applications.running import Running, running
from crawling import run_gossamer
from judging import PACE, crawl
from witnesses import not_judged

from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.search import find_pages, versions_of

EDITS = 5


def test_only_what_was_edited_has_a_new_version(tmp_path: Path) -> None:
    if lacking := APPLICATION.lacking:
        pytest.skip(not_judged(lacking))
    with running(APPLICATION) as app:
        crawl(app, tmp_path / "crawl", "--max-depth", "2")
        kept = CrawlDirectory.open(tmp_path / "crawl")
        articles = {url: name for url in urls(kept) if (name := article(url))}
        edited = set(sorted(articles.values())[:EDITS])
        edit(app.place, sorted(edited))
        wait_for_another_second(app, kept)
        assert run_gossamer("recrawl", tmp_path / "crawl", *PACE).returncode == 0
        again = {url for url in urls(kept) if len(versions_of(kept, url)) > 1}
    assert edited <= {articles[url] for url in again if url in articles}
    others = {url for url in again if not set(parse_qs(urlsplit(url).query).get("id", ["start"])) & edited}
    assert not others, f"{len(others)} others changed: {sorted(others)[:5]}"


def wait_for_another_second(app: Running, crawl: CrawlDirectory) -> None:
    """Look at the wiki until the time in its pages is no more that of the first crawl, which may have ended just now."""
    until = int(max(page.fetched_at for page in find_pages(crawl))) + 1
    while time.time() < until:
        urlopen(app.url(app.seed)).close()


def urls(crawl: CrawlDirectory) -> list[str]:
    """Return the pages that are kept."""
    return [page.url for page in find_pages(crawl) if page.place is not None]


def article(url: str) -> str:
    """Return the name of an article when a URL is its own."""
    asked = parse_qs(urlsplit(url).query)
    return asked["id"][0] if set(asked) == {"id"} else ""
