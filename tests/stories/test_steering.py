"""A running crawl, steered: seeded, paused, stopped, given other settings and lists while it runs; with one worker and two.

Asked over its socket, as any door asks it; what was acknowledged is there after kill -9.
"""

import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from crawling import run_gossamer, start_gossamer
from serving import Answer, Asked, Site, page, site_running

from gossamer.errors import UsageError
from gossamer.jobs.control import ask
from gossamer.jobs.directory import CrawlDirectory

DELAY = 0.02
OPTIONS = ["--allow-private", "127.0.0.0/8", "--quiet", "--resolve", "second.test:127.0.0.1", "--set", "robots.obey=false"]
PATIENCE = 60.0
ENDLESS = re.compile(r"/n/(\d+)$")


@dataclass
class Steered:
    """A crawl of a site without end."""

    site: Site
    directory: Path
    workers: int
    crawlers: list["subprocess.Popen[str]"] = field(default_factory=list)

    def begin(self) -> None:
        words = ["--dir", self.directory, "--delay", DELAY, "--workers", self.workers, *OPTIONS]
        self.crawlers.append(start_gossamer("crawl", self.site.url("/n/1"), *words))

    def go_on(self) -> None:
        socket = CrawlDirectory(self.directory).socket
        socket.unlink(missing_ok=True)
        self.crawlers.append(start_gossamer("resume", self.directory, "--quiet"))
        self.until(socket.exists)  # whoever asks before that opens the crawl, and is in its way

    def ask(self, operation: str, **arguments: Any) -> Any:
        return ask(CrawlDirectory.open(self.directory), operation, **arguments)

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so while the crawl runs."""
        end = time.monotonic() + PATIENCE
        while True:
            if is_so():
                return
            assert time.monotonic() < end and self.crawlers[-1].poll() is None, self.crawlers[-1].communicate()

    def until_fetched(self, more: int = 20) -> None:
        wanted = len(self.site.asked) + more
        self.until(lambda: len(self.site.asked) >= wanted)

    def kill(self) -> None:
        self.crawlers[-1].send_signal(signal.SIGKILL)
        self.crawlers[-1].communicate()

    def ended(self) -> int:
        self.crawlers[-1].communicate(timeout=PATIENCE)
        return self.crawlers[-1].returncode


@pytest.fixture(params=[1, 2])
def steered(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Steered]:
    """Begin a crawl of a site without end, and wait until it is under way."""

    def next_page(asked: Asked) -> Answer:
        found = ENDLESS.search(asked.path)
        number = int(found[1]) if found else 0
        return page(f"/n/{number + 1}", f"/n/{number * 2 + 2}", f"/skip/{number}", title=f"page {number}")

    routes: dict[str, Any] = {f"/n/{number}": next_page for number in range(1, 5_000)}
    routes |= {"/second": page("/second/deep"), "/second/deep": page(title="deep")}
    routes |= {f"/skip/{number}": page(title=f"skip {number}") for number in range(5_000)}
    with site_running(routes) as site:
        crawl = Steered(site, tmp_path / "crawl", request.param)
        crawl.begin()
        crawl.until_fetched()
        yield crawl
        for crawler in crawl.crawlers:
            crawler.kill()
            crawler.communicate()


def test_a_paused_crawl_asks_for_nothing_until_it_is_resumed_also_after_kill_9(steered: Steered) -> None:
    assert steered.ask("pause")["paused"] is True
    steered.until(lambda: steered.ask("pause")["under_way"] == 0)
    assert steered.ask("status")["state"] == "paused"
    paused = len(steered.site.asked)
    steered.kill()
    steered.go_on()
    steered.until(lambda: steered.ask("status")["state"] == "paused")
    began = time.monotonic()
    steered.until(lambda: len(steered.ask("workers")) == steered.workers and time.monotonic() > began + 2)
    assert len(steered.site.asked) == paused
    assert "pause" in run_gossamer("status", steered.directory).stdout
    assert run_gossamer("pause", steered.directory, "--off").stdout == "goes on\n"
    steered.until_fetched()
    assert steered.ask("status")["state"] == "running"


def test_a_crawl_that_is_told_to_stop_finishes_what_is_under_way_and_can_be_resumed(steered: Steered) -> None:
    assert steered.ask("stop")["stopping"] is True
    assert steered.ended() == 130
    fetched = sum(path in steered.site.routes for path in steered.site.paths)
    status = steered.ask("status")
    assert (status["state"], status["pages"], status["frontier"]["leased"]) == ("stopped", fetched, 0)
    steered.go_on()
    steered.until_fetched()


def test_further_seeds_and_their_sites_are_crawled_also_when_it_is_killed_at_once(steered: Steered) -> None:
    seed = steered.site.url("/second", "second.test")
    told = steered.ask("seed", urls=[seed, "nothing", "file:///etc/hostname"], priority="high")
    steered.kill()
    assert (told["added"], [one["index"] for one in told["refused"]]) == (1, [1, 2])
    assert (steered.directory / "seeds.txt").read_text().splitlines()[1:] == [seed]
    steered.go_on()
    steered.until(lambda: "/second/deep" in steered.site.paths)


def test_a_further_seed_widens_the_scope_of_a_crawl_while_it_runs(steered: Steered) -> None:
    steered.ask("seed", urls=[steered.site.url("/second", "second.test")])
    steered.until(lambda: "/second/deep" in steered.site.paths)
    steered.ask("stop")
    assert steered.ended() == 130


def test_a_limit_that_is_changed_ends_the_run_and_counts_for_the_next_one(steered: Steered) -> None:
    pages = steered.ask("status")["pages"]
    told = steered.ask("change_settings", changes={"crawl.max_pages": pages + 30})
    assert told == {"changed": {"crawl.max_pages": {"before": None, "after": pages + 30}}}
    with pytest.raises(UsageError, match=r"politeness\.delay cannot be changed while the crawl runs"):
        steered.ask("change_settings", changes={"politeness.delay": 0.0})
    assert "crawl.max_pages" in steered.ask("settings")["changeable"]
    assert steered.ended() == 0
    assert steered.ask("status")["pages"] == pages + 30
    assert CrawlDirectory.open(steered.directory).settings().crawl.max_pages == pages + 30


def test_a_pattern_that_is_blocked_while_it_runs_counts_within_a_second_for_every_worker(steered: Steered) -> None:
    log = steered.directory / "crawl.log"
    before = log.read_text().count("listsread")
    told = steered.ask("change_list", kind="block", add=["//skip/[0-9]+$/"])
    assert told["patterns"] == ["//skip/[0-9]+$/"]
    with pytest.raises(UsageError, match="look-around"):
        steered.ask("change_list", kind="block", add=["/(?=x)/"])
    steered.until(lambda: log.read_text().count("listsread") > before)
    began = time.monotonic()
    steered.until(lambda: time.monotonic() > began + 1.5)  # each worker looks around once a second
    last = max(int(found[1]) for path in steered.site.paths if (found := ENDLESS.search(path)))
    steered.until_fetched(60)
    steered.ask("stop")
    assert steered.ended() == 130
    late = [steered.site.url(f"/skip/{number}") for number in range(last + 20, last + 25)]
    answers = steered.ask("explain_all", urls=late)
    assert {answer["rule"] for answer in answers} == {"scope.block_file"}


def test_every_worker_says_how_it_stands(steered: Steered) -> None:
    steered.until(lambda: sum(row["pages"] for row in steered.ask("workers")) >= 20)
    rows = steered.ask("workers")
    assert len(rows) == steered.workers == len({row["pid"] for row in rows})
    now = time.time()
    for row in rows:
        assert row["rss"] > 10_000_000 and now - 60 < row["since"] <= row["last_seen"] <= now + 1
    status = steered.ask("status")
    counted = steered.ask("workers")
    assert sum(row["pages"] for row in counted) >= status["pages"] - 20
    assert sum(row["visits"] for row in counted) >= sum(row["pages"] for row in counted)
    assert sum(row["bytes"] for row in counted) > 0
    steered.ask("stop")
    assert steered.ended() == 130
    assert steered.ask("workers") == []
