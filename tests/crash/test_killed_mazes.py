"""kill -9 of a crawl that learns, again and again: what it learned is there after each death, and so are its verdicts."""

import json
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from crawling import Simweb, run_gossamer, simweb_running, start_gossamer

from gossamer.jobs.control import ask
from gossamer.jobs.conversation import listed
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.search import find_pages
from gossamer.simweb import ledger
from gossamer.simweb.mazes.spent import PROBE, Spent, spent

MAZES = "session-query,session-path,soft404,tracking,archive,ordinary-one,repository"
SCALE = 0.01
KILLED_AT = {1: (70, 170, 300), 2: (100, 300)}  # requests served, of about 760, by number of processes that fetch
AWAKE = 5  # requests after which a resumed crawl answers questions
KNOBS = ("--delay", 0.02, "--set", "storage.durability=fast", "--set", "crawl.returns=1000")
LOOK = 0.01  # seconds between two looks at how far it is
COUNTERS = ("fetched", "fresh", "refused", "same", "other", "merged", "found")
BLOCKED = ("session-path.maze.sim", "template", "/never/{n}")

Known = dict[tuple[str, str, str], dict[str, Any]]


@dataclass
class Survived:
    """A crawl that was killed again and again, what it knew around each death, and what it knew in the end."""

    directory: Path
    web: Simweb
    deaths: list[tuple[Known, Known]] = field(default_factory=list)  # asked while it ran, and when it was dead
    trapped: set[str] = field(default_factory=set)  # URLs that a learned rule had ended by then


def lessons(directory: Path) -> Known:
    """Ask a crawl, running or not, what it has learned."""
    rows = listed(CrawlDirectory.open(directory), "lessons")
    return {(row["host"], row["kind"], row["name"]): row for row in rows}


def ended_by_rules(directory: Path) -> set[str]:
    """Return the URLs that learned rules have ended without a request."""
    return {
        page.url
        for page in find_pages(CrawlDirectory.open(directory))
        if page.reason is not None and page.reason.rule.startswith("traps.") and not page.status
    }


def wait_until(web: Simweb, requests: int, crawler: "subprocess.Popen[str]") -> None:
    """Return when so many requests were served."""
    while web.requests() <= requests:
        with suppress(subprocess.TimeoutExpired):
            crawler.wait(LOOK)
            raise AssertionError(crawler.communicate())


@pytest.fixture(scope="module", params=[1, 2], ids=["one process", "two workers"])
def survived(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Survived]:
    """Kill a crawl of mazes at points spread over it, resume it each time, and let it end; of several processes, the node."""
    place = tmp_path_factory.mktemp("killed")
    with simweb_running(place, hosts=1, pages=1, plain=True, mazes=MAZES, maze_scale=SCALE) as web:
        it = Survived(place / "crawl", web)
        words = ["--dir", it.directory, *KNOBS, "--workers", request.param, *web.crawl_options, "--quiet"]
        crawler, served = start_gossamer("crawl", *words), 0
        for number in KILLED_AT[request.param]:
            wait_until(web, max(number, served + AWAKE), crawler)
            if not it.deaths:
                host, kind, name = BLOCKED
                assert ask(CrawlDirectory.open(it.directory), "rule", host=host, kind=kind, name=name, ruling="block")
            running = lessons(it.directory)
            crawler.send_signal(signal.SIGKILL)
            crawler.communicate()
            served = web.requests()
            it.deaths.append((running, lessons(it.directory)))
            it.trapped |= ended_by_rules(it.directory)
            crawler = start_gossamer("resume", it.directory, "--quiet")
        _, errors = crawler.communicate(timeout=100)
        assert crawler.returncode == 0, errors
        yield it


@pytest.fixture(scope="module")
def lines(survived: Survived) -> dict[str, Spent]:
    """What was spent on every host."""
    return spent(ledger.read(survived.web.ledger_file), mazes=MAZES, scale=SCALE)


def test_it_is_finished_and_found_what_there_is(survived: Survived, lines: dict[str, Spent]) -> None:
    status = json.loads(run_gossamer("status", survived.directory, "--json").stdout)
    assert status["state"] == "finished"
    assert {host: line.coverage for host, line in lines.items() if line.coverage < 0.99} == {}


def test_verify_finds_no_fault_and_no_host_was_pressed(survived: Survived) -> None:
    result = run_gossamer("verify", survived.directory, "--ledger", survived.web.ledger_file)
    assert result.stdout.splitlines()[-1] == "13 passed, 0 failed", result.stdout


def test_nothing_learned_is_lost_and_no_count_shrinks(survived: Survived) -> None:
    known: list[Known] = [state for death in survived.deaths for state in death]
    known.append(lessons(survived.directory))
    assert len(known[-1]) > len(known[0]) > 1
    for before, after in pairwise(known):
        assert set(before) - set(after) == set()
        shrunk = [
            (name, counter, row[counter], after[name][counter])
            for name, row in before.items()
            for counter in COUNTERS
            if counter in row and row[counter] > after[name][counter]
        ]
        assert shrunk == []
    assert [state[BLOCKED]["ruling"] for state in known] == ["block"] * len(known)


def test_what_a_rule_has_ended_stays_ended(survived: Survived) -> None:
    assert survived.trapped
    assert survived.trapped - ended_by_rules(survived.directory) == set()


def test_mazes_win_nothing_by_it(survived: Survived, lines: dict[str, Spent]) -> None:
    kills = len(survived.deaths)
    again = sum(line.wasted for line in lines.values() if line.exhibit in ("archive", "ordinary-one"))
    assert again <= 2 * kills + 1  # one visit of each was under way, and one page may have looked like a soft 404
    assert sum(line.requests for line in lines.values()) <= 900  # about 580 without a death
    probes = Counter((seen["host"], seen["path"]) for seen in survived.web.ledger() if PROBE in seen["path"])
    assert probes and max(probes.values()) <= 1 + kills
