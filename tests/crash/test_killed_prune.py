"""Sudden death at every step of a prune: the crawl verifies right away, and the next prune ends what was begun."""

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawling import run_gossamer
from faulting import faults_found, run_faulty
from versioning import Grown, grown_crawl

from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.search import show_page, versions_of

STEPS = 6  # of one file
PAGES = ("/", "/always", "/steps", "/never", "/copy")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grown]:
    with grown_crawl(tmp_path_factory.mktemp("grown")) as grown:
        assert run_gossamer("index", grown.directory).returncode == 0
        yield grown


def kept(directory: Path, grown: Grown) -> dict[str, list[str]]:
    """Return the digests of the versions of every page; each of them can be shown."""
    crawl = CrawlDirectory.open(directory)
    found = {path: versions_of(crawl, grown.url(path)) for path in PAGES}
    for path, versions in found.items():
        texts = [show_page(crawl, grown.url(path), str(number + 1)).text for number in range(len(versions))]
        assert all(texts), f"a version of {path} has no text"
    return {path: [version.digest for version in versions] for path, versions in found.items()}


@pytest.fixture(scope="module")
def expected(original: Grown, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What an undisturbed prune leaves."""
    directory = tmp_path_factory.mktemp("calm") / "crawl"
    shutil.copytree(original.directory, directory)
    assert run_gossamer("prune", directory, "--versions", "1").returncode == 0
    return kept(directory, original)


@pytest.mark.parametrize("step", [*range(1, STEPS + 1), 2 * STEPS + 4, -1])
def test_a_prune_that_died_leaves_a_sound_crawl_and_is_finished_by_the_next(
    original: Grown, expected: dict[str, list[str]], step: int, tmp_path: Path
) -> None:
    directory = tmp_path / "crawl"
    shutil.copytree(original.directory, directory)
    if step < 0:  # the last of all: every file is done, but for the merged index
        told = json.loads(run_gossamer("prune", directory, "--versions", "1", "--dry-run", "--json").stdout)
        step = STEPS * len(told["files"])
    died = run_faulty({"crash": {"during-prune": step}}, "prune", directory, "--versions", "1")
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert all(digests[0] == expected[path][0] for path, digests in kept(directory, original).items()), (
        "before anybody opens it"
    )
    assert faults_found(directory) == []
    names = {path.name for path in (directory / "warc").iterdir()}
    assert [name for name in names if name.endswith(".part")] == [], "opening it did not clear up"
    again = run_gossamer("prune", directory, "--versions", "1")
    assert again.returncode == 0, again.stderr
    assert kept(directory, original) == expected
    assert faults_found(directory) == []
    warc = directory / "warc"
    files = {path.name for path in warc.glob("*.warc.gz")}
    assert {path.stem for path in warc.glob("*.cdxj")} == {name.removesuffix(".warc.gz") for name in files} | {"index"}
    lines = [json.loads(line.split(" ", 2)[2]) for line in (warc / "index.cdxj").read_text().splitlines()]
    assert {line["filename"] for line in lines} <= files
