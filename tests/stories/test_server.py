"""The server beside a crawl: what a program sees of it, running and stopped."""

import json
from pathlib import Path

import pytest
from crawling import run_gossamer, simweb_running
from doors import serving


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one crawl that has ended."""
    place = tmp_path_factory.mktemp("served")
    with simweb_running(place, hosts=2, pages=10) as web:
        run = run_gossamer("crawl", "--dir", place / "home" / "small", *web.crawl_options, "--delay", "0", "--quiet")
        assert run.returncode == 0, run.stderr
    return place / "home"


def test_a_stopped_crawl_is_asked_through_a_keeper_that_yields_to_resume(home: Path) -> None:
    with serving(home) as door:
        status, stats = door.get("api/v1/stats")
        assert status == 200 and stats["state"] == "finished" and stats["pages"] > 0
        told = json.loads(run_gossamer("status", home / "small", "--json").stdout)
        assert (told["pages"], told["outcomes"]) == (stats["pages"], stats["outcomes"])
        resumed = run_gossamer("resume", home / "small", "--quiet")
        assert resumed.returncode == 0, resumed.stderr


def test_nobody_is_let_in_without_the_token(home: Path) -> None:
    with serving(home) as door:
        status, problem = door.get("api/v1/stats", token="guessed")
        assert status == 401 and problem["type"] == "urn:gossamer:problem:token"
