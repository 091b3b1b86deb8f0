"""Sudden death around the chronicle: what was settled is told, what was not is never told, and what was told stays told.

A crawl dies at every point, one after the other, as one process and with workers; whoever reads along does so after each death,
before anything is repaired. Witnesses are the frontier (`gossamer verify`) and the servers, who know what they were asked for.
"""

import json
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from crawling import Simweb, run_gossamer, simweb_running
from faulting import QUICK, faults_found, run_faulty, surprises

DEATHS = (("before-chronicle", 9), ("after-chronicle", 4), ("before-mark", 5), ("after-mark", 3), ("after-chronicle", 2))


@dataclass(frozen=True)
class Survivor:
    """A crawl that died and was left to finish: what was told after each death and at the end, and what was wrong with it."""

    directory: Path
    web: Simweb
    deaths: list[int]  # exit codes
    told: list[list[dict[str, Any]]]
    wrong: list[str]


def told_by(directory: Path) -> list[dict[str, Any]]:
    result = run_gossamer("log", directory, "--json")
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def survive(place: Path, workers: int) -> Survivor:
    """Let a crawl die at every point, then finish it."""
    directory, codes, told, wrong = place / "crawl", list[int](), [], list[str]()
    with simweb_running(place, hosts=6, pages=40, seed=workers, min_bytes=2_000, max_bytes=4_000) as web:
        words: list[object] = ["crawl", "--dir", directory, *QUICK, "--workers", workers, *web.crawl_options]
        for point, times in DEATHS:
            codes.append(run_faulty({"crash": {point: times}}, *words).returncode)
            told.append(told_by(directory))
            copy = shutil.copytree(directory, place / f"copy-{len(codes)}", ignore=shutil.ignore_patterns("control.sock"))
            wrong += faults_found(copy)  # what is repeated later hides what was never settled
            words = ["resume", directory, "--quiet"]
        assert run_gossamer(*words).returncode == 0
    return Survivor(directory, web, codes, [*told, told_by(directory)], wrong + faults_found(directory))


@pytest.fixture(scope="module")
def survivors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, "Future[Survivor]"]]:
    """Both at once: most of the time they wait."""
    with ThreadPoolExecutor(2) as pool:
        yield {workers: pool.submit(survive, tmp_path_factory.mktemp("told"), workers) for workers in (1, 2)}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_crawl_that_died_tells_what_was_settled_and_nothing_else(
    workers: int, survivors: dict[int, "Future[Survivor]"]
) -> None:
    survivor = survivors[workers].result()
    assert survivor.deaths == [-signal.SIGKILL] * len(DEATHS)
    assert surprises(survivor.directory, survivor.web) == []
    assert survivor.wrong == [], "what is told is not what was settled"
    *earlier, last = survivor.told
    ids = [event["id"] for event in last]
    assert ids == sorted(set(ids)), "ids are not in order, or used twice"
    for before in earlier:
        assert before == last[: len(before)], "what was told is told otherwise after a death"
    asked = Counter((request["host"], request["path"]) for request in survivor.web.ledger())
    answered = Counter[tuple[str, str]]()
    for said in [event["said"] for event in last if event["kind"] == "visit" and event["said"].get("status")]:
        parts = urlsplit(said["url"])
        answered[parts.hostname or "", parts.path + ("?" + parts.query if parts.query else "")] += 1
    assert answered and not answered - asked, "an answer is told that no server gave"
    kinds = [event["kind"] for event in last]
    assert (kinds.count("begun"), kinds.count("ended")) == (len(DEATHS) + 1, 1), "runs that died have no end"
