"""kill -9 of workers, again and again, while their node goes on: a dead worker costs nothing but its visits under way."""

import json
import os
import random
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from crawling import Simweb, outcomes_of, run_gossamer, simweb_running, start_gossamer, wrong_outcomes
from faulting import BRISK, QUICK, faults_found, fetched_too_often, run_faulty, surprises

KILLS = int(os.environ.get("GOSSAMER_SOAK_KILLS", "20")) // 2  # at most: a slow machine is done before
FEWEST = 3
DELAY = 0.1  # the largest host alone takes longer than this many kills do
HOSTS = 30  # one request at once each


@dataclass(frozen=True)
class Survived:
    """A crawl whose workers were killed, one after the other."""

    directory: Path
    web: Simweb
    killed: list[int]
    code: int
    said: str


def events_of(directory: Path) -> list[dict[str, Any]]:
    """Return what the log has so far, whole lines only."""
    with suppress(FileNotFoundError):
        return [json.loads(line) for line in (directory / "crawl.log").read_text().splitlines(True) if line.endswith("\n")]
    return []


def has_written(directory: Path, worker: str) -> bool:
    """Tell whether a worker has begun an archive file."""
    return any((directory / "warc").glob(f"*-{worker}.warc.gz.open"))


def kill_one(directory: Path, killed: list[int], chance: random.Random) -> None:
    """Kill a worker that is at work, if there is one now."""
    workers = {event["pid"]: event["worker"] for event in events_of(directory) if event["event"] == "workerbegan"}
    busy = [pid for pid, worker in workers.items() if pid not in killed and has_written(directory, worker)]
    if busy:
        victim = chance.choice(busy)
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)


@pytest.fixture(scope="module")
def survived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Survived]:
    """Kill workers of a crawl at moments spread over all of it."""
    place = tmp_path_factory.mktemp("workers")
    chance, killed = random.Random(9), list[int]()
    knobs = [word for knob in (*BRISK, "crawl.returns=1000") for word in ("--set", knob)]  # no page is to blame here
    with simweb_running(place, hosts=HOSTS, pages=900, seed=5) as web:
        directory = place / "crawl"
        words = ["--dir", directory, "--delay", DELAY, "--workers", 2, *knobs, *web.crawl_options, "--quiet"]
        crawler = start_gossamer("crawl", *words)
        while len(killed) < KILLS and crawler.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                crawler.wait(0.1 + 0.3 * chance.random())
                break
            kill_one(directory, killed, chance)
        _, errors = crawler.communicate(timeout=100)
        yield Survived(directory, web, killed, crawler.returncode, errors)


def test_the_crawl_goes_on_to_its_end(survived: Survived) -> None:
    assert survived.code == 0, survived.said
    assert FEWEST <= len(survived.killed) <= KILLS


def test_every_death_is_told_and_every_place_filled_again(survived: Survived) -> None:
    events = events_of(survived.directory)
    deaths = [event["what"] for event in events if event["event"] == "trouble" and "was killed by SIGKILL" in event["what"]]
    kills = len(survived.killed)
    assert kills - 1 <= len(deaths) <= kills  # the last one may have been about to end
    assert kills <= sum(event["event"] == "workerbegan" for event in events) <= kills + 2


def test_it_ends_with_the_manifests_outcomes_all_the_same(survived: Survived) -> None:
    assert wrong_outcomes(survived.web, outcomes_of(survived.directory, survived.web)) == []


def test_verify_finds_no_fault_and_no_host_was_pressed(survived: Survived) -> None:
    result = run_gossamer("verify", survived.directory, "--ledger", survived.web.ledger_file)
    assert result.returncode == 0, result.stdout


def test_no_more_is_fetched_than_the_kills_explain(survived: Survived) -> None:
    allowed = sum(entry.get("requests_max", 1) for entry in survived.web.manifest if entry["fetch"])
    pages = sum("robots" not in seen["path"] for seen in survived.web.ledger())
    assert pages <= allowed + len(survived.killed) * HOSTS


def test_every_archive_file_is_closed_and_has_its_index(survived: Survived) -> None:
    warc = survived.directory / "warc"
    files = {path.name.partition(".")[0] for path in warc.glob("*.warc.gz")}
    assert files
    assert list(warc.glob("*.open")) == []
    assert {path.name.partition(".")[0] for path in warc.glob("*.cdxj")} == files | {"index"}


@pytest.mark.parametrize(("point", "times"), [("after-append", 25), ("during-roll", 1)])
def test_workers_that_die_at_a_point_again_and_again_lose_nothing(point: str, times: int, tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    with simweb_running(tmp_path, hosts=10, pages=60, seed=times, min_bytes=2_000, max_bytes=20_000) as web:
        words = ["crawl", "--dir", directory, *QUICK, *web.crawl_options, "--workers", "2"]
        result = run_faulty({"crash": {point: times}}, *words)
    assert result.returncode == 0, result.stderr
    deaths = sum("was killed by SIGKILL" in event.get("what", "") for event in events_of(directory))
    assert deaths >= 2
    assert surprises(directory, web) == []
    assert faults_found(directory) == []
    assert fetched_too_often(web, deaths) == 0
