"""kill -9 of a crawl with a script: every item is there, and once."""

import os
import random
import signal
import subprocess
from pathlib import Path

import pytest
from crawling import Simweb, run_gossamer, simweb_running, start_gossamer
from faulting import run_faulty
from shopping import expected, items, options

KILLS = int(os.environ.get("GOSSAMER_SOAK_KILLS", "3"))
SCRIPT = """\
from gossamer.script import reads

@reads("text/html", r"/item/\\d+")
def item(page):
    yield {"url": page.url, "name": page.css_first("h1").text(), "price": page.css_first(".price").text()}
"""


@pytest.mark.parametrize(("workers", "kills"), [(1, KILLS), (2, max(KILLS // 2, 2))])
def test_items_are_there_exactly_once_however_often_the_crawl_is_killed(tmp_path: Path, workers: int, kills: int) -> None:
    chance = random.Random(3)
    with simweb_running(tmp_path, hosts=1, pages=1, plain=True, shop=200) as web:
        knobs = ["--delay", "0.001", "--workers", workers, "--set", "crawl.returns=1000", "--set", "politeness.connections=8"]
        crawler = start_gossamer("crawl", *options(tmp_path, web, SCRIPT), *knobs)
        for kill in range(kills):
            _wait_until(web, web.expected * (kill + chance.random()) / (kills + 1), crawler)
            crawler.send_signal(signal.SIGKILL)
            crawler.communicate()
            crawler = start_gossamer("resume", tmp_path / "crawl", "--quiet")
        _, errors = crawler.communicate(timeout=100)
        assert crawler.returncode == 0, errors
    assert items(tmp_path) == expected(web)


@pytest.mark.parametrize("point", ["before-commit", "after-commit"])
def test_items_are_there_once_when_the_crawl_dies_between_catalog_and_frontier(tmp_path: Path, point: str) -> None:
    with simweb_running(tmp_path, hosts=1, pages=1, plain=True, shop=40) as web:
        words: list[object] = ["crawl", *options(tmp_path, web, SCRIPT), "--delay", "0"]
        for times in (2, 3, 1):
            assert run_faulty({"crash": {point: times}}, *words).returncode == -signal.SIGKILL
            words = ["resume", tmp_path / "crawl", "--quiet"]
        last = run_gossamer(*words)
        assert last.returncode == 0, last.stderr
    assert items(tmp_path) == expected(web)


def _wait_until(web: Simweb, requests: float, crawler: "subprocess.Popen[str]") -> None:
    """Return when the crawl has sent so many requests and one more."""
    while web.requests() <= requests:
        try:
            crawler.wait(0.01)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(crawler.communicate())
