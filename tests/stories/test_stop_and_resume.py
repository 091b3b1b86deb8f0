"""Stopping is safe: once drains, twice stops at once, both resume; two processes never work on one crawl."""

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawling import run_gossamer, start_gossamer
from serving import Answer, Asked, Site, page, site_running

OPTIONS = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]


@pytest.fixture(params=[1, 2], ids=["one process", "two workers"])
def options(request: pytest.FixtureRequest) -> list[str]:
    """How every crawl here is run."""
    return [*OPTIONS, "--workers", str(request.param)]


class Held:
    """A page that is not answered until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def __call__(self, asked: Asked) -> Answer:
        assert self.go.wait(60)
        return page("/after", title="held")


@pytest.fixture
def held() -> Iterator[tuple[Site, Held]]:
    """A site whose second page waits."""
    hold = Held()
    with site_running({"/": page("/held"), "/held": hold, "/after": page(title="after")}) as site:
        yield site, hold
        hold.go.set()


def finish(process: subprocess.Popen[str]) -> str:
    """Wait for a command and return what it printed."""
    printed, _ = process.communicate(timeout=60)
    return printed


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_asked_once_it_finishes_what_is_under_way(
    held: tuple[Site, Held], tmp_path: Path, options: list[str], number: int
) -> None:
    site, hold = held
    crawler = start_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *options)
    site.wait_for("/held")
    crawler.send_signal(number)
    hold.go.set()
    printed = finish(crawler)
    assert crawler.returncode == 130
    assert printed.splitlines()[-1].startswith("interrupted: 1 URLs wait")
    pages = run_gossamer("pages", tmp_path / "crawl", "--json").stdout
    assert len(pages.splitlines()) == 2


def test_asked_twice_it_stops_at_once_and_resume_repeats_the_visit(
    held: tuple[Site, Held], tmp_path: Path, options: list[str]
) -> None:
    site, hold = held
    crawler = start_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *options)
    site.wait_for("/held")
    crawler.send_signal(signal.SIGTERM)
    while run_gossamer("status", tmp_path / "crawl", "--json").returncode != 0:
        pass
    crawler.send_signal(signal.SIGTERM)
    finish(crawler)
    assert crawler.returncode == 130
    hold.go.set()
    result = run_gossamer("resume", tmp_path / "crawl", "--json")
    assert json.loads(result.stdout)["end"] == "finished"
    assert site.paths == ["/", "/held", "/held", "/after"]
    assert run_gossamer("verify", tmp_path / "crawl").returncode == 0


def test_a_second_process_is_refused_and_may_ask(held: tuple[Site, Held], tmp_path: Path, options: list[str]) -> None:
    site, hold = held
    crawler = start_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *options)
    site.wait_for("/held")
    second = run_gossamer("resume", tmp_path / "crawl")
    assert second.returncode == 3
    assert str(crawler.pid) in second.stderr
    status = json.loads(run_gossamer("status", tmp_path / "crawl", "--json").stdout)
    assert status["state"] == "running"
    assert status["frontier"]["leased"] == 1
    answer = json.loads(run_gossamer("explain", tmp_path / "crawl", site.url("/held"), "--json").stdout)
    assert (answer["state"], answer["found"]["via"]) == ("leased", site.url())
    hold.go.set()
    assert "done: nothing waits" in finish(crawler)


def test_a_copied_crawl_is_the_crawl(tmp_path: Path) -> None:
    with site_running({"/": page("/a", "/b"), "/a": page(title="a"), "/b": page(title="b")}) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "one", *OPTIONS, "--max-pages", "2"]
        assert run_gossamer(*words).returncode == 0
        (tmp_path / "one").rename(tmp_path / "two")
        result = run_gossamer("resume", tmp_path / "two", "--max-pages", "10", "--json")
        assert json.loads(result.stdout)["end"] == "finished"
    assert sorted(site.paths) == ["/", "/a", "/b"]
    listed = [json.loads(line) for line in run_gossamer("status", tmp_path, "--json").stdout.splitlines()]
    assert [(Path(one["directory"]).name, one["state"], one["pages"]) for one in listed] == [("two", "finished", 3)]


def test_a_checkpoint_of_a_running_crawl_can_be_resumed_elsewhere(
    held: tuple[Site, Held], tmp_path: Path, options: list[str]
) -> None:
    site, hold = held
    crawler = start_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *options)
    site.wait_for("/held")
    made = run_gossamer("checkpoint", tmp_path / "crawl", tmp_path / "copy")
    assert made.returncode == 0, made.stderr
    hold.go.set()
    assert "done: nothing waits" in finish(crawler)
    assert site.paths == ["/", "/held", "/after"]
    result = run_gossamer("resume", tmp_path / "copy", "--json")
    assert json.loads(result.stdout)["pages"] == 2
    assert site.paths == ["/", "/held", "/after", "/held", "/after"]
    assert run_gossamer("verify", tmp_path / "copy").returncode == 0
    again = run_gossamer("checkpoint", tmp_path / "crawl", tmp_path / "copy")
    assert again.returncode == 3
    assert "exists already" in again.stderr
