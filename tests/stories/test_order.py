"""The right page first: what links say of a page that waits, what a sitemap says, and what an operator says of a host."""

import json
import threading
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from crawling import run_gossamer, start_gossamer
from serving import Answer, Asked, Route, Site, page, site_running

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--set", "traps.soft_404=false", "--quiet"]
PLAIN, HELD = 12, 4  # plain pages of a host, and which of them the host is slow to give
OTHERS = 30  # pages of another host


class Slow:
    """Plain pages, of which one is not given before somebody says so."""

    def __init__(self) -> None:
        self.go, self._numbers = threading.Event(), count(1)

    def __call__(self, asked: Asked) -> Answer:
        if next(self._numbers) == HELD:
            assert self.go.wait(60)
        return page(title=f"plain {asked.path}")


def routes_of(site: Site, plain: Route) -> dict[str, Route]:
    """Return a.test, with plain pages two hops from its home, and b.test, whose pages all link a deep page of a.test."""
    home, deep = site.url("/b/index", "b.test"), site.url("/deep", "a.test")
    return {
        "/": page("/index", title="a"),
        "/index": page(*(f"/plain/{number}" for number in range(PLAIN)), title="index of a"),
        "/deep": page(title="deep"),
        "/b": page(home, title="b"),
        "/b/index": page(*(f"/b/{number}" for number in range(OTHERS)), title="index of b"),
        **{f"/plain/{number}": plain for number in range(PLAIN)},
        **{f"/b/{number}": page(deep, title=f"b {number}") for number in range(OTHERS)},
    }


def crawl_of(site: Site, directory: Path, *options: object) -> list[object]:
    seeds = (site.url("/", "a.test"), site.url("/b", "b.test"))
    return ["crawl", *seeds, "--dir", directory, "--resolve", "*.test:127.0.0.1", *QUICK, *options]


def explained(crawl: Path, *urls: str) -> list[dict[str, Any]]:
    result = run_gossamer("explain", crawl, "-", "--json", stdin="\n".join(urls))
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_deep_page_that_many_link_is_fetched_before_plain_ones_that_are_nearer(tmp_path: Path, workers: int) -> None:
    crawl, plain = tmp_path / "crawl", Slow()
    with site_running({}) as site:
        site.routes.update(routes_of(site, plain))
        deep, last = site.url("/deep", "a.test"), site.url(f"/plain/{PLAIN - 1}", "a.test")
        crawler = start_gossamer(*crawl_of(site, crawl, "--workers", workers, "--set", "score.rank_after=20"))
        try:
            site.wait_for(f"/plain/{HELD - 1}")
            site.wait_for(f"/b/{OTHERS - 1}")
            while (known := explained(crawl, deep, last))[0]["queue"]["parts"]["links"] <= 0:
                assert crawler.poll() is None, "the crawl ended before what waits was ranked"
            linked, nearer = (each["queue"] for each in known)
            told = run_gossamer("explain", crawl, deep, "--all").stdout
        finally:
            plain.go.set()
            crawler.communicate(timeout=60)
    assert linked["priority"] == "high" and linked["rank"] > 0 and linked["score"] > nearer["score"]
    assert sum(linked["parts"].values()) == pytest.approx(linked["score"])
    assert "high, score 0." in told and "importance 0." in told and "links 0." in told
    order = [path for path in site.paths if path.startswith(("/plain", "/deep"))]
    assert order.index("/deep") == HELD, "it was not the next one"
    assert len(order) == len(set(order)) == PLAIN + 1


def test_without_ranking_a_deep_page_waits_for_all_that_are_nearer(tmp_path: Path) -> None:
    with site_running({}) as site:
        site.routes.update(routes_of(site, page(title="plain")))
        result = run_gossamer(*crawl_of(site, tmp_path / "crawl", "--set", "score.rank_after=0"))
    assert result.returncode == 0, result.stderr
    assert [path for path in site.paths if path.startswith(("/plain", "/deep"))][-1] == "/deep"


def test_a_sitemap_decides_among_the_pages_it_lists(tmp_path: Path) -> None:
    said = {"/a": "0.6", "/b": "0.9", "/c": None, "/d": "1.0"}
    with site_running({"/": page(title="home"), **{path: page(title=path) for path in said}}) as site:
        words = {path: f"<priority>{priority}</priority>" if priority else "" for path, priority in said.items()}
        listed = "".join(f"<url><loc>{site.url(path)}</loc>{word}</url>" for path, word in words.items())
        site.routes["/robots.txt"] = (200, {}, f"Sitemap: {site.url('/map.xml')}\n".encode())
        site.routes["/map.xml"] = (200, {"content-type": "text/xml"}, f"<urlset>{listed}</urlset>".encode())
        result = run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK)
    assert result.returncode == 0, result.stderr
    assert [path for path in site.paths if path in said] == ["/d", "/b", "/a", "/c"]


def test_a_host_has_a_depth_a_class_and_an_interval_of_its_own(tmp_path: Path) -> None:
    crawl = tmp_path / "crawl"
    routes: dict[str, Route] = {"/": page("/a", "/b"), "/a": page("/deeper", title="a"), "/b": page(title="b")}
    with site_running(routes) as site:
        assert run_gossamer("crawl", site.url(), "--dir", crawl, *QUICK, "--max-pages", 1).returncode == 0
        decided = ["--crawl-depth", 1, "--priority", "low", "--interval", "6h"]
        assert run_gossamer("host", crawl, "127.0.0.1", *decided).returncode == 0
        assert run_gossamer("resume", crawl, "--max-pages", 100).returncode == 0
        assert sorted(site.paths) == ["/", "/a", "/b"]
        assert run_gossamer("recrawl", crawl, "--forever", "--max-pages", 3).returncode == 0
    home, a, b, deeper = explained(crawl, *map(site.url, ("/", "/a", "/b", "/deeper")))
    for known in (home, a, b):
        assert known["queue"]["due"] - known["page"]["fetched_at"] == pytest.approx(6 * 3600, abs=60)
        assert known["queue"]["parts"] == {"freshness": pytest.approx(1.0)}
    assert (deeper["outcome"], deeper["rule"], deeper["queue"]["priority"]) == ("out_of_scope", "policy.crawl_depth", "low")
    shown = json.loads(run_gossamer("host", crawl, "127.0.0.1", "--interval", "default", "--json").stdout)
    assert (shown["policy"]["interval"], shown["policy"]["crawl_depth"]) == (None, 1)
    wrong = run_gossamer("host", crawl, "127.0.0.1", "--interval", "0s")
    assert wrong.returncode == 2 and "is no time" in wrong.stderr
