"""A full disk, under the archive, under each store, under all of them: said in one sentence, nothing lost, and with room again
the crawl is completed (docs/decisions/0004 says where it pauses and where it ends).

The disk is a small tmpfs; where mounting is not allowed, a limit on the size of files does as well.
"""

import json
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import saboteur
from crawling import CLEAN, GOSSAMER, run_gossamer, start_gossamer
from faulting import faults_found
from serving import Route, Site, page, site_running
from smalldisk import SIZE, SmallDisk, small_disk

PRIVATE = ["--allow-private", "127.0.0.0/8", "--delay", "0", "--connections", "4"]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", SIZE) as small:
        yield small


@contextmanager
def ten_pages(size: int, links: int) -> Iterator[Site]:
    """Serve ten pages that hardly compress, with links that are not followed but remembered."""
    chance = random.Random(5)
    routes: dict[str, Route] = {"/": page(*(f"/{number}" for number in range(10)))}
    for number in range(10):
        elsewhere = [f"http://elsewhere.test/{chance.randbytes(60).hex()}" for _ in range(links)]
        routes[f"/{number}"] = page(*elsewhere, title=chance.randbytes(size).hex())
    with site_running(routes) as running:
        yield running


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """Pages that fill the archive and the frontier alike."""
    with ten_pages(60_000, 300) as running:
        yield running


def wait_for_words(process: subprocess.Popen[str], words: str) -> str:
    """Return the line with these words, or everything said when the process ended without it."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if words in line:
            return line
    process.wait(10)
    return said


def check_whole(directory: Path, links: int = 3_000) -> None:
    """Nothing is missing, nothing is torn."""
    assert faults_found(directory) == []
    numbers = json.loads(run_gossamer("status", directory, "--json").stdout)
    assert (numbers["pages"], numbers["frontier"]["dead"]) == (11, links)


def crawl_through_a_pause(disk: SmallDisk, site: Site, directory: Path, *where: str, links: int = 3_000) -> None:
    """Crawl until the disk is full, make room, and see it through."""
    process = disk.start("crawl", site.url(), "--dir", directory, *PRIVATE, *where)
    try:
        line = wait_for_words(process, "no space is left")
        assert line.count("\n") == 1 and "free some and resume" in line, line
        disk.make_room(process)
        assert "going on" in wait_for_words(process, "going on")
        said, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0 and said.splitlines()[-1] == "done: nothing waits", errors
    check_whole(directory, links)


def test_a_full_archive_pauses_the_crawl_until_there_is_room(disk: SmallDisk, tmp_path: Path, site: Site) -> None:
    crawl_through_a_pause(disk, site, tmp_path / "crawl", "--set", f"storage.archive=dir:{disk.path}")


@pytest.mark.parametrize(("how", "workers"), [("time", 1), ("signal", 2)])
def test_a_crawl_that_waits_for_room_still_ends_when_it_is_told_to(
    disk: SmallDisk, tmp_path: Path, site: Site, how: str, workers: int
) -> None:
    directory = tmp_path / "crawl"
    words = ["--set", f"storage.archive=dir:{disk.path}", "--set", "crawl.drain=2", "--workers", workers]
    words += ["--max-time", "4"] if how == "time" else []
    process = disk.start("crawl", site.url(), "--dir", directory, *PRIVATE, *words, "--set", "crawl.free_disk=0")
    try:
        assert "no space is left" in wait_for_words(process, "no space is left")
        begin = time.monotonic()
        if how == "signal":
            process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == (130 if how == "signal" else 0), said
    assert "stopping: up to 2 s for requests under way" in said and "Traceback" not in said
    assert time.monotonic() - begin < 4 + 2 + 5
    disk.make_room(process)
    assert run_gossamer("resume", directory, "--quiet", "--set", "crawl.max_seconds=none").returncode == 0
    check_whole(directory)


def test_a_full_catalog_pauses_the_crawl_until_there_is_room(tmp_path: Path, site: Site) -> None:
    with small_disk(tmp_path / "disk", 240 * 1024) as disk:
        crawl_through_a_pause(disk, site, tmp_path / "crawl", "--set", f"storage.catalog=sqlite:{disk.path}/catalog.db")


def test_a_limit_on_the_size_of_files_is_a_full_disk_too(tmp_path: Path) -> None:
    with ten_pages(120_000, 10) as bulky:  # no file but the archive's comes near the limit
        crawl_through_a_pause(SmallDisk(tmp_path, SIZE, mounted=False), bulky, tmp_path / "crawl", links=100)


def test_a_full_temporary_directory_holds_up_what_needs_it_and_nothing_else(tmp_path: Path) -> None:
    sign, directory, plan = tmp_path / "full", tmp_path / "crawl", {"full": str(tmp_path / "full")}
    sign.touch()
    environment = CLEAN | {"PYTHONPATH": saboteur.install(tmp_path / "plugin"), saboteur.VARIABLE: json.dumps(plan)}
    routes: dict[str, Route] = {"/": page("/long", "/short"), "/long": page(title="a long page " * 20_000), "/short": page()}
    with site_running(routes) as site:
        words = [*GOSSAMER, "crawl", site.url(), "--dir", str(directory), *PRIVATE]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            line = wait_for_words(process, "no space is left for a temporary file")
            assert line == "paused: no space is left for a temporary file; make room where TMPDIR points to\n"
            site.wait_for("/short")
            sign.unlink()
            assert "going on" in wait_for_words(process, "going on")
            said, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0 and said.splitlines()[-1] == "done: nothing waits", errors
    assert sorted(site.paths) == ["/", "/long", "/long", "/short"]
    assert json.loads(run_gossamer("status", directory, "--json").stdout)["pages"] == 3
    assert faults_found(directory) == []


def crawl_until_full(disk: SmallDisk, site: Site, directory: Path, *where: str) -> str:
    """Crawl until the disk is full and the crawl has ended; return what it said."""
    small_files = ["--set", "storage.segment_bytes=150k"]  # so that a limit on files is met by the frontier
    process = disk.start("crawl", site.url(), "--dir", directory, *PRIVATE, "--quiet", *small_files, *where)
    try:
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 4, said
    last = said.splitlines()[-1]
    assert last.startswith("gossamer: no space is left") and "Traceback" not in said
    disk.make_room(process)
    assert run_gossamer("resume", directory, "--quiet").returncode == 0
    return last


def test_a_full_frontier_ends_the_crawl_with_a_sentence_and_a_resume_completes_it(
    disk: SmallDisk, tmp_path: Path, site: Site
) -> None:
    said = crawl_until_full(disk, site, tmp_path / "crawl", "--set", f"frontier.uri=rocksdb:{disk.path}/frontier")
    assert said.endswith("; nothing that was done is lost; make room, then resume the crawl")
    check_whole(tmp_path / "crawl")


def test_a_disk_that_is_full_for_everything_pauses_or_ends_the_crawl_and_nothing_is_lost(disk: SmallDisk, site: Site) -> None:
    """Which store meets the limit first is chance: archive, catalog and graph wait for room, the frontier cannot."""
    directory = disk.path / "crawl"
    process = disk.start("crawl", site.url(), "--dir", directory, *PRIVATE, "--set", "crawl.free_disk=0")
    try:
        assert "no space is left" in wait_for_words(process, "no space is left")
        disk.make_room(process)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode in (0, 4) and "Traceback" not in said, said
    assert run_gossamer("resume", directory, "--quiet").returncode == 0
    check_whole(directory)


def test_below_the_floor_the_crawl_pauses_and_says_so(tmp_path: Path, site: Site) -> None:
    directory = tmp_path / "crawl"
    process = start_gossamer("crawl", site.url(), "--dir", directory, *PRIVATE, "--set", "crawl.free_disk=1000TB")
    try:
        line = wait_for_words(process, "bytes are free")
        assert "crawl.free_disk asks for 1000000000000000; make room to go on" in line
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130
    assert run_gossamer("resume", directory, "--quiet", "--set", "crawl.free_disk=0").returncode == 0
    check_whole(directory)
