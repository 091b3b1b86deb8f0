"""The server beside a crawl: what a program sees of it, running and stopped."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from crawling import run_gossamer, simweb_running, start_gossamer


class Door:
    """A running server, as a program with a token sees it."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.token = token

    def get(self, path: str, token: str | None = None) -> tuple[int, Any]:
        """Return status and body."""
        headers = {"Authorization": f"Bearer {self.token if token is None else token}"}
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + path, headers=headers), timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


@contextmanager
def serving(place: Path) -> Iterator[Door]:
    """Serve a place for a while."""
    server = start_gossamer("serve", place, "--port", 0, "--json")
    try:
        assert server.stdout is not None
        ready = json.loads(server.stdout.readline())
        yield Door(ready["url"], ready["token"])
    finally:
        server.terminate()
        server.communicate(timeout=20)


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
