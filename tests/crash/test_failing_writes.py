"""Every write and every sync of the archive fails once, the first, the second, and so on until none is left to fail.

The crawl then pauses and goes on, or ends with one sentence; resumed, it is complete, and `verify` finds nothing.
"""

import json
import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from crawling import run_gossamer
from faulting import faults_found, run_faulty
from serving import Site, page, site_running

from gossamer import faults
from gossamer.clock import SystemClock
from gossamer.config.load import load
from gossamer.config.sections import Settings
from gossamer.errors import GossamerError, StoreError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.run import run_crawl
from gossamer.jobs.search import find_pages
from gossamer.records.pagequery import PageQuery
from gossamer.run.pool import RunEnd
from gossamer.url.parse import parse
from gossamer.visit import settle
from gossamer.watch.events import Event, Paused, Resumed

LINKS = ("/one", "/two")
FLAGS = {"politeness.delay": 0, "fetch.allow_private": ("127.0.0.0/8",), "storage.segment_bytes": 2_000}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """Pages that do not compress, so that a file holds about one of them."""
    chance = random.Random(3)
    leaves = {link: page(title=chance.randbytes(800).hex()) for link in LINKS}
    with site_running({"/": page(*LINKS), **leaves}) as running:
        yield running


@pytest.fixture(autouse=True)
def disarmed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A full disk is looked at again soon, and no fault is left behind."""
    monkeypatch.setattr(settle, "DISK_WAIT", 0.01)
    yield
    faults.arm(None)


class Run:
    """One run of a crawl: how it ended, and what was said meanwhile."""

    def __init__(self, directory: CrawlDirectory, settings: Settings) -> None:
        self.heard: list[type[Event]] = []
        self.error: GossamerError | None = None
        self.end: RunEnd | None = None
        try:
            self.end = run_crawl(directory, settings, lambda crawl: crawl.events.subscribe(self._hear)).end
        except GossamerError as error:
            self.error = error

    def _hear(self, event: Event) -> None:
        self.heard.append(type(event))


def failing(call: str, how: str, place: Path, site: Site) -> Iterator[tuple[Run, CrawlDirectory, Settings]]:
    """Crawl anew with the first call gone wrong, then with the second, until none is left."""
    settings = load((), FLAGS, {})
    for number in count(1):
        faults.arm(json.dumps({"calls": {call: {"at": number, "how": how}}}))
        directory = CrawlDirectory.create(place / f"{number}", settings, [parse(site.url())], SystemClock().now())
        run = Run(directory, settings)
        if faults.counted(call) < number:
            break
        faults.arm(None)
        yield run, directory, settings
    assert number > 4 and run.end is RunEnd.FINISHED


def check_whole(directory: CrawlDirectory, site: Site) -> None:
    """Nothing is missing, nothing is torn."""
    assert faults_found(directory.path) == []
    kept = {row.url for row in find_pages(directory, PageQuery(outcome="ok"))}
    assert kept == {site.url(path) for path in ("/", *LINKS)}


@pytest.mark.parametrize(("call", "how"), [("archive.write", "EIO"), ("archive.write", "torn"), ("archive.sync", "EIO")])
def test_a_broken_disk_ends_the_crawl_with_a_sentence_and_nothing_is_lost(
    call: str, how: str, tmp_path: Path, site: Site
) -> None:
    for run, directory, settings in failing(call, how, tmp_path, site):
        assert isinstance(run.error, StoreError) and run.error.exit_code == 4
        assert "\n" not in str(run.error) and "gossamer-" in str(run.error)
        assert Run(directory, settings).end is RunEnd.FINISHED
        check_whole(directory, site)


def test_a_full_disk_pauses_the_crawl_until_there_is_room(tmp_path: Path, site: Site) -> None:
    for run, directory, _ in failing("archive.write", "ENOSPC", tmp_path, site):
        assert run.end is RunEnd.FINISHED
        assert [run.heard.count(kind) for kind in (Paused, Resumed)] == [1, 1]
        check_whole(directory, site)


def test_a_short_write_is_completed(tmp_path: Path, site: Site) -> None:
    for run, directory, _ in failing("archive.write", "short", tmp_path, site):
        assert run.end is RunEnd.FINISHED and Paused not in run.heard
        check_whole(directory, site)


def test_the_command_says_it_in_one_line(tmp_path: Path, site: Site) -> None:
    words = ["crawl", site.url(), "--dir", tmp_path / "crawl", "--delay", 0, "--allow-private", "127.0.0.0/8", "--quiet"]
    result = run_faulty({"calls": {"archive.write": {"at": 3, "how": "EIO"}}}, *words)
    assert result.returncode == 4
    assert result.stderr.startswith("gossamer: ") and result.stderr.endswith("cannot be written (Input/output error)\n")
    assert result.stderr.count("\n") == 1
    assert run_gossamer("resume", tmp_path / "crawl", "--quiet").returncode == 0
    assert faults_found(tmp_path / "crawl") == []
