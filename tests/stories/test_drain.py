"""A crawl that is to end does, within the time that it says, however long a server takes; nothing is lost."""

import json
import re
import threading
import time
from pathlib import Path

import pytest
from crawling import run_gossamer
from faulting import faults_found
from serving import Answer, Asked, page, site_running

DRAIN = 2.0
SLACK = 4.0  # seconds: to begin and to close, on a busy machine
OPTIONS = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--set", f"crawl.drain={DRAIN:g}"]


def told(errors: str) -> float:
    """Return how long a crawl says that it takes to stop."""
    said = re.search(r"^stopping: up to ([0-9.]+) s for requests under way$", errors, re.MULTILINE)
    assert said is not None, errors
    return float(said[1])


@pytest.mark.parametrize("workers", [1, 2])
def test_a_crawl_ends_within_the_time_it_says_however_long_a_server_takes(tmp_path: Path, workers: int) -> None:
    go = threading.Event()

    def hanging(asked: Asked) -> Answer:
        assert go.wait(60)
        return page(title="at last")

    directory = tmp_path / "crawl"
    with site_running({"/": page("/hangs"), "/hangs": hanging}) as site:
        begin = time.monotonic()
        result = run_gossamer(
            "crawl", site.url(), "--dir", directory, *OPTIONS, "--max-time", 2, "--workers", workers, timeout=50
        )
        took = time.monotonic() - begin
        go.set()
        assert result.returncode == 0, result.stderr
        assert told(result.stderr) == DRAIN and took < 2 + DRAIN + SLACK
        assert "(--max-time 2s)" in result.stdout.splitlines()[-1]
        explained = json.loads(run_gossamer("explain", directory, site.url("/hangs"), "--json").stdout)
        assert explained["state"] == "waiting" and explained["reason"] == "the crawl was stopped"
        assert run_gossamer("resume", directory, "--quiet", "--set", "crawl.max_seconds=none").returncode == 0
    assert site.paths == ["/", "/hangs", "/hangs"]
    assert json.loads(run_gossamer("status", directory, "--json").stdout)["pages"] == 2
    assert faults_found(directory) == []
