"""Pages are visited again on demand: unchanged ones cost a 304 or become a revisit, changed ones are kept anew.

What a crawl does that goes on for ever is told in `test_living_web.py`.
"""

import json
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from checking import FASTWARC, WARCIO
from crawling import run_gossamer
from faulting import run_faulty
from serving import Answer, Asked, Site, page, site_running

from gossamer.jobs.control import ask
from gossamer.jobs.directory import CrawlDirectory

LOCAL = ["--allow-private", "127.0.0.0/8", "--delay", "0", "--set", "traps.soft_404=false"]
ETAG = '"one"'


def tagged(asked: Asked) -> Answer:
    if asked.headers.get("if-none-match") == ETAG:
        return 304, {"etag": ETAG}, b""
    return 200, {"content-type": "text/html", "etag": ETAG}, page("/", title="with a tag")[2]


class Changing:
    """A page that says something else whenever it is asked for."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, asked: Asked) -> Answer:
        self.times += 1
        words = " ".join(f"word{self.times}x{number}" for number in range(200))
        return page("/", title=f"version {self.times} {words}")


@pytest.fixture
def site() -> Iterator[Site]:
    routes = {
        "/": page("/tagged", "/plain", "/changing", "/gone", title="home"),
        "/tagged": tagged,
        "/plain": page("/", title="never changes"),
        "/changing": Changing(),
        "/gone": page("/", title="soon gone"),
    }
    with site_running(routes) as running:
        yield running


def row(directory: Path, url: str) -> dict:
    (facts,) = ask(CrawlDirectory.open(directory), "explain_all", urls=[url])
    assert facts["page"] is not None, facts
    return facts["page"]


def test_a_recrawl_keeps_what_changed_and_confirms_the_rest(site: Site, tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    assert run_gossamer("crawl", site.url(), "--dir", crawl, *LOCAL, "--max-pages", "5").returncode == 0
    first = {path: row(crawl, site.url(path)) for path in ("/tagged", "/plain", "/changing")}
    site.routes["/gone"] = (404, {}, b"")
    result = run_gossamer("recrawl", crawl, "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["outcomes"] == {"not_modified": 3, "ok": 1, "gone": 1}
    again = {path: row(crawl, site.url(path)) for path in first}
    for path in ("/tagged", "/plain"):
        assert again[path]["outcome"] == "not_modified"
        assert again[path]["place"] == first[path]["place"], "what is kept of it was moved"
        assert again[path]["freshness"]["visits"] == 2 and again[path]["freshness"]["changes"] == 0
    assert again["/changing"]["outcome"] == "ok" and again["/changing"]["digest"] != first["/changing"]["digest"]
    assert again["/changing"]["freshness"]["changes"] == 1
    conditions = [one.headers.get("if-none-match") for one in site.asked if one.path == "/tagged"]
    assert conditions == [None, ETAG]
    assert "never changes" in run_gossamer("show", crawl, site.url("/plain")).stdout
    verified = run_gossamer("verify", crawl)
    assert verified.returncode == 0, verified.stdout
    files = sorted((crawl / "warc").rglob("*.warc.gz"))
    for judge, file in product((WARCIO, FASTWARC), files):
        judged = subprocess.run([*judge, str(file)], capture_output=True, text=True, check=False)
        assert judged.returncode == 0, judged.stdout + judged.stderr


def test_a_recrawl_takes_what_is_old_enough_and_no_more_than_it_may(site: Site, tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    assert run_gossamer("crawl", site.url(), "--dir", crawl, *LOCAL).returncode == 0
    before = len(site.paths)
    assert json.loads(run_gossamer("recrawl", crawl, "--older-than", "1h", "--json").stdout)["end"] == "finished"
    assert len(site.paths) == before
    assert json.loads(run_gossamer("recrawl", crawl, "--max-pages", "2", "--workers", "2", "--json").stdout)["pages"] == 2
    assert len(site.paths) == before + 2
    refused = run_gossamer("recrawl", crawl, "--older-than", "soon")
    assert refused.returncode == 2 and "--older-than 'soon' is no duration" in refused.stderr


def test_the_freshness_of_a_crawl_is_estimated(site: Site, tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    assert run_gossamer("crawl", site.url(), "--dir", crawl, *LOCAL).returncode == 0
    assert run_gossamer("recrawl", crawl).returncode == 0
    found = json.loads(run_gossamer("freshness", crawl, "--json").stdout)
    assert found["total"]["pages"] == 5 == sum(report["pages"] for report in found["classes"])
    assert 0.9 < found["total"]["fresh"] <= 1.0, "pages that were just visited are not fresh"
    (host,) = found["hosts"]
    assert (host["name"], host["pages"], host["late"]) == ("127.0.0.1", 5, 0)
    table = run_gossamer("freshness", crawl).stdout
    assert "one visit a change" in table and "127.0.0.1\t5" in table
    assert "100.0% of 5 important pages were fetched within 24 hours of their discovery; about 0 found longer ago" in table


def test_important_pages_that_wait_for_more_than_a_day_are_counted_and_stay_late(site: Site, tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    assert run_gossamer("crawl", site.url(), "--dir", crawl, *LOCAL, "--max-pages", "2").returncode == 0
    two_days = {"clock": 2 * 86400}

    def important() -> dict:
        return json.loads(run_faulty(two_days, "freshness", crawl, "--json").stdout)["important"]

    assert json.loads(run_gossamer("freshness", crawl, "--json").stdout)["important"]["share"] == 1.0, "nobody is late yet"
    assert important() == {"pages": 2, "within_a_day": 2, "overdue": 3, "share": 0.4}
    assert run_faulty(two_days, "resume", crawl, "--max-pages", "9").returncode == 0
    assert important() == {"pages": 5, "within_a_day": 2, "overdue": 0, "share": 0.4}
