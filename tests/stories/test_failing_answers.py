"""Answers that fail are the web's business: no mixture of them ends a crawl, or keeps the pages beside them from being kept."""

import json
from pathlib import Path

import pytest
from crawling import run_gossamer
from serving import Answer, Asked, Route, page, site_running

BROKEN: Answer = (500, {"content-type": "text/html"}, b"broken")
QUICK = ("--delay=0", "--set=retry.times=1", "--set=retry.wait=1", "--allow-private", "127.0.0.0/8", "--json")


@pytest.mark.parametrize("workers", [1, 2])
def test_one_answer_of_500_costs_one_url(tmp_path: Path, workers: int) -> None:
    routes: dict[str, Route] = {f"/{number}": page("/", title=f"page {number}") for number in range(150)}
    routes |= {"/": page("/broken", *routes), "/broken": BROKEN}
    with site_running(routes) as site:
        result = run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", f"--workers={workers}", *QUICK)
        assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert summary["end"] == "finished" and summary["pages"] == 151
    assert summary["outcomes"]["server_error"] == 1


@pytest.mark.parametrize("every", [2, 9, 40])
def test_every_page_between_failing_ones_is_kept(tmp_path: Path, every: int) -> None:
    """Each failing URL answers the second time, so that all of them are pages in the end."""
    failed: set[str] = set()

    def flaky(asked: Asked) -> Answer:
        if asked.path in failed:
            return page("/", title=f"late {asked.path}")
        failed.add(asked.path)
        return BROKEN

    count = 120
    good = {f"/{number}": page("/", title=f"page {number}") for number in range(count) if number % every}
    routes: dict[str, Route] = {**good, **{f"/{number}": flaky for number in range(0, count, every)}}
    routes["/"] = page(*routes)
    options = ("--set=breaker.failures=1000", "--set=breaker.error_share=1.0", "--set=traps.soft_404=false")
    with site_running(routes) as site:
        result = run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK, *options)
        assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["pages"] == count + 1
