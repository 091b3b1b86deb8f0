"""Several connections to a host, on a busy machine: its delay holds when requests leave, and its wish to be left alone too."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
import saboteur
from crawling import CLEAN, GOSSAMER, run_gossamer, simweb_running
from serving import Answer, Asked, page, site_running

DELAY = 0.05
REQUESTS = int(os.environ.get("GOSSAMER_SOAK_PACE", "300"))  # make soak asks for 5,000
HOSTS = 10
SLOW_COMMITS = json.dumps({"place": "commit", "late": 0.3})


@contextmanager
def busy(loops: int = 2) -> Iterator[None]:
    """Keep the machine busy."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait(10)


@pytest.mark.parametrize("workers", [1, 2])
def test_requests_over_several_connections_leave_a_delay_apart_on_a_busy_machine(tmp_path: Path, workers: int) -> None:
    web = {"hosts": HOSTS, "pages": REQUESTS, "min_bytes": 2_000, "max_bytes": 6_000, "plain": True, "wait": 0.08}
    with simweb_running(tmp_path, **web, stamped=True) as running, busy():
        options = ["--delay", DELAY, "--connections", 64, "--workers", workers, "--json", *running.crawl_options]
        result = run_gossamer("crawl", "--dir", tmp_path / "crawl", *options, timeout=40 + REQUESTS / 10)
        assert result.returncode == 0, result.stderr
        seen = running.ledger()
    assert len(seen) >= REQUESTS
    gaps = [
        two["start"] - one["start"]
        for host in {request["host"] for request in seen}
        for one, two in pairwise([request for request in seen if request["host"] == host])
    ]
    assert [gap for gap in gaps if gap < DELAY - 0.005] == []
    assert json.loads(result.stdout)["too_soon"] == 0
    assert min(gaps) < 2 * DELAY  # the machine was busy, and the crawl no slower for it than it had to be


@pytest.mark.parametrize("workers", [1, 2])
def test_a_host_that_says_retry_after_is_left_alone_by_all_its_connections(tmp_path: Path, workers: int) -> None:
    """One of many requests under way is answered 429: whatever was leased by then, or is until that is settled, is not sent."""
    said: list[float] = []
    lock = threading.Lock()

    def slow(asked: Asked) -> Answer:
        time.sleep(0.4)  # so that several are under way
        return page(title=f"slow {asked.path}")

    def throttling(asked: Asked) -> Answer:
        with lock:
            if not said:
                said.append(time.monotonic())
                return 429, {"retry-after": "1"}, b""
        return page(title="at last")

    pages = {f"/{number}": slow for number in range(24)}
    environment = CLEAN | {"PYTHONPATH": saboteur.install(tmp_path / "plugin"), saboteur.VARIABLE: SLOW_COMMITS}
    with site_running({"/": page("/busy", *pages), **pages, "/busy": throttling}) as site:
        options = ["--delay", DELAY, "--connections", 8, "--workers", workers, "--allow-private", "127.0.0.0/8", "--quiet"]
        words = map(str, [*GOSSAMER, "crawl", site.url(), "--dir", tmp_path / "crawl", *options])
        result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=100, check=False)
        assert result.returncode == 0, result.stderr
    begin = said[0] + DELAY  # one may leave as the answer comes
    assert [asked.path for asked in site.asked if begin < asked.at < said[0] + 0.99] == []
    assert any(asked.at > begin for asked in site.asked) and site.paths.count("/busy") == 2
    assert sorted(set(site.paths)) == sorted(["/", "/busy", *pages]) and len(site.paths) == len(pages) + 3
