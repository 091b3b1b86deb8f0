"""kill -9 at random moments: nothing is lost, nothing is fetched without need, every host keeps its peace."""

import json
import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from crawling import Simweb, outcomes_of, run_gossamer, simweb_running, start_gossamer, wrong_outcomes

KILLS = int(
    os.environ.get("GOSSAMER_SOAK_KILLS", "20")
)  # of one process, and half as many of a node; `make soak` asks for more
LOOK = 0.01  # seconds between two looks at how far it is
DELAY = 0.05


@dataclass(frozen=True)
class Survived:
    """A crawl that was killed again and again, and then left to finish."""

    directory: Path
    web: Simweb
    kills: int


@pytest.fixture(scope="module", params=[1, 2], ids=["one process", "two workers"])
def survived(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Survived]:
    """Kill a crawl at moments spread over all of it, and resume it each time; of several processes, the node."""
    place = tmp_path_factory.mktemp("killed")
    chance, kills = random.Random(20), KILLS // request.param
    with simweb_running(place, hosts=50, pages=2000, seed=7) as web:
        directory = place / "crawl"
        words = ["--dir", directory, "--delay", DELAY, "--workers", request.param, *web.crawl_options, "--quiet"]
        crawler = start_gossamer("crawl", *words, "--set", "crawl.returns=1000")  # no page is to blame for these deaths
        for kill in range(kills):
            wait_until(web, web.expected * (kill + chance.random()) / (kills + 1), crawler)
            crawler.send_signal(signal.SIGKILL)
            crawler.communicate()
            crawler = start_gossamer("resume", directory, "--quiet")
        _, errors = crawler.communicate(timeout=100)
        assert crawler.returncode == 0, errors
        yield Survived(directory, web, kills)


def wait_until(web: Simweb, requests: float, crawler: "subprocess.Popen[str]") -> None:
    """Return when the crawl has sent so many requests and one more."""
    while web.requests() <= requests:
        with suppress(subprocess.TimeoutExpired):
            crawler.wait(LOOK)
            raise AssertionError(crawler.communicate())


def test_it_ends_with_the_manifests_outcomes_all_the_same(survived: Survived) -> None:
    assert wrong_outcomes(survived.web, outcomes_of(survived.directory, survived.web)) == []


def test_verify_finds_no_fault_and_no_host_was_pressed(survived: Survived) -> None:
    result = run_gossamer("verify", survived.directory, "--ledger", survived.web.ledger_file)
    assert result.stdout.splitlines()[-1].endswith(" passed, 0 failed"), result.stdout
    assert result.returncode == 0


def test_no_more_is_fetched_than_the_kills_explain(survived: Survived) -> None:
    times = Counter((seen["host"], seen["path"]) for seen in survived.web.ledger())
    allowed = sum(entry.get("requests_max", 1) for entry in survived.web.manifest if entry["fetch"])
    robots = sum(count for (_, path), count in times.items() if "robots" in path)
    concurrency = len({entry["host"] for entry in survived.web.manifest if entry["fetch"]})  # one request a host at once
    assert sum(times.values()) - robots <= allowed + survived.kills * concurrency


def test_every_page_is_in_the_archive_files(survived: Survived) -> None:
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    kept = set()
    for path in (survived.directory / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, record_types=WarcRecordType.response | WarcRecordType.revisit):
                kept.add(record.headers["WARC-Target-URI"])
    lines = run_gossamer("pages", survived.directory, "--json", "-n", 0).stdout.splitlines()
    pages = [json.loads(line) for line in lines]
    missing = [page["url"] for page in pages if page["outcome"] in ("ok", "duplicate") and page["url"] not in kept]
    assert len(pages) > 1000
    assert missing == []
