"""Sudden death at every named point, and again at the same point while it is being recovered from: nothing is lost.

Each crawl dies twice at its point, first as `durable`, then as `fast`; it is left to finish, and is compared with what the
synthetic web says must come of it.
"""

import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from crawling import Simweb, run_gossamer, simweb_running
from faulting import QUICK, faults_found, fetched_too_often, run_faulty, surprises

from gossamer import faults

# Where the crawl dies at first, and where the resumed one does: at which time the point is reached.
DEATHS: dict[str, tuple[tuple[str, int], ...]] = {
    "after-append": (("after-append", 40), ("after-append", 1)),
    "after-sync": (("after-sync", 12), ("after-sync", 1)),
    "before-commit": (("before-commit", 1), ("before-commit", 12), ("before-commit", 2)),
    "after-commit": (("after-commit", 2), ("after-commit", 2)),
    "during-roll, before the rename": (("during-roll", 1), ("during-roll", 1)),
    "during-roll, before the index": (("during-roll", 2), ("during-roll", 2)),
    "during-recovery": (("after-append", 60), ("during-recovery", 1), ("during-recovery", 2)),
    "during-creation": (("during-creation", 2), ("during-creation", 5)),
}


@dataclass(frozen=True)
class Survivor:
    """A crawl that died and was left to finish."""

    directory: Path
    web: Simweb
    deaths: list[int]  # exit codes
    end: int
    said: str


def survive(place: Path, seed: int, deaths: tuple[tuple[str, int], ...]) -> Survivor:
    """Let a crawl die at every one of these points, then finish it."""
    directory = place / "crawl"
    codes = []
    with simweb_running(place, hosts=10, pages=60, seed=seed, min_bytes=2_000, max_bytes=20_000) as web:
        words: list[object] = ["crawl", "--dir", directory, *QUICK, *web.crawl_options]
        for point, times in deaths:
            codes.append(run_faulty({"crash": {point: times}}, *words).returncode)
            words = ["resume", directory, "--quiet", "--set", "storage.durability=fast"]
        last = run_gossamer(*words)
    return Survivor(directory, web, codes, last.returncode, last.stderr)


@pytest.fixture(scope="module")
def survivors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, "Future[Survivor]"]]:
    """All of them at once: most of the time they wait."""
    with ThreadPoolExecutor(4) as pool:
        places = [tmp_path_factory.mktemp("died") for _ in DEATHS]
        yield {
            name: pool.submit(survive, place, number, deaths)
            for number, (place, (name, deaths)) in enumerate(zip(places, DEATHS.items(), strict=True))
        }


def test_every_point_is_died_at() -> None:
    elsewhere = {"during-prune"}  # test_killed_prune.py
    elsewhere |= {"before-chronicle", "after-chronicle", "before-mark", "after-mark"}  # test_killed_chronicle.py
    elsewhere |= {"before-cursor", "after-cursor"}  # test_killed_sinks.py
    assert {point for deaths in DEATHS.values() for point, _ in deaths} == faults.POINTS - elsewhere


@pytest.mark.parametrize("name", DEATHS)
def test_a_crawl_that_died_twice_ends_as_if_nothing_had_happened(name: str, survivors: dict[str, "Future[Survivor]"]) -> None:
    survivor = survivors[name].result()
    assert survivor.deaths == [-signal.SIGKILL] * len(DEATHS[name])
    assert survivor.end == 0, survivor.said
    assert surprises(survivor.directory, survivor.web) == []
    assert faults_found(survivor.directory) == []
    assert fetched_too_often(survivor.web, len(survivor.deaths)) == 0
    files = {path.name.partition(".")[0] for path in survivor.directory.glob("warc/*.warc.gz")}
    assert {path.name for path in survivor.directory.glob("warc/*.cdxj")} == {f"{name}.cdxj" for name in (*files, "index")}
