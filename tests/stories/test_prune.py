"""Old versions of pages are listed, shown and removed, and what stays is whole."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from checking import WARCIO
from crawling import run_gossamer
from fastwarc.warc import ArchiveIterator
from faulting import faults_found
from versioning import ROUNDS, Grown, grown_crawl, said

from gossamer.errors import UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.search import show_page, versions_of

PAGES = ("/", "/always", "/steps", "/never", "/copy")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grown]:
    with grown_crawl(tmp_path_factory.mktemp("grown")) as grown:
        assert run_gossamer("index", grown.directory).returncode == 0
        yield grown


@pytest.fixture
def grown(original: Grown, tmp_path: Path) -> Grown:
    """A copy to be changed."""
    shutil.copytree(original.directory, tmp_path / "crawl")
    return Grown(tmp_path / "crawl", original.site, original.round)


def digests(grown: Grown, path: str) -> list[str]:
    return [version.digest for version in versions_of(CrawlDirectory.open(grown.directory), grown.url(path))]


def shown(grown: Grown, path: str, which: str = "") -> str:
    return show_page(CrawlDirectory.open(grown.directory), grown.url(path), which).text


def prune(grown: Grown, *more: str) -> dict:
    result = run_gossamer("prune", grown.directory, "--json", *more)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def records(grown: Grown) -> list[tuple[str, str, str, str, str]]:
    """Return type, URL, date, and what it refers to, of every record."""
    fields = "warc-type,warc-target-uri,warc-date,warc-refers-to-target-uri,warc-refers-to-date"
    files = sorted(map(str, (grown.directory / "warc").glob("*.warc.gz")))
    warcio = [*WARCIO[:-1], "index", "-f", fields, *files]
    lines = subprocess.run(warcio, capture_output=True, text=True, check=True).stdout.splitlines()
    return [tuple(json.loads(line).get(field, "") for field in fields.split(",")) for line in lines]  # type: ignore[misc]


def check(grown: Grown) -> None:
    """Assert that the crawl is sound by its own word and by that of others, and that the index names what is there."""
    assert faults_found(grown.directory) == []
    warc = grown.directory / "warc"
    files = sorted(warc.glob("*.warc.gz"))
    judged = subprocess.run([*WARCIO, *map(str, files)], capture_output=True, text=True, check=False)
    assert judged.returncode == 0, judged.stdout + judged.stderr
    for file in files:
        with file.open("rb") as stream:
            assert all(record.verify_block_digest() for record in ArchiveIterator(stream, parse_http=False))
    names = {file.name.removesuffix(".warc.gz") for file in files}
    assert {path.name for path in warc.iterdir()} - {file.name for file in files} == {
        "index.cdxj",
        "seal",
        *(f"{name}.cdxj" for name in names),
    }
    lines = [json.loads(line.split(" ", 2)[2]) for line in (warc / "index.cdxj").read_text().splitlines()]
    assert {line["filename"] for line in lines} <= {file.name for file in files}
    found = records(grown)
    captures = {(url, date) for kind, url, date, *_ in found if kind == "response"}
    assert [one for one in found if one[0] == "revisit" and one[3:] not in captures] == [], "a revisit confirms nothing"


def test_every_capture_is_a_version_and_can_be_shown(original: Grown) -> None:
    assert len(digests(original, "/always")) == ROUNDS
    assert len(digests(original, "/steps")) == ROUNDS // 2
    assert len(digests(original, "/never")) == len(digests(original, "/copy")) == 1
    for number in range(1, ROUNDS + 1):
        assert f"always {ROUNDS + 1 - number} " in shown(original, "/always", str(number))
    assert "always 1 " in shown(original, "/copy"), "a copy shows what its original says now, not what it copied"


def test_versions_are_listed_and_shown_by_number_and_by_date(original: Grown) -> None:
    url = original.url("/always")
    table = run_gossamer("pages", original.directory, "--versions", url).stdout.splitlines()
    number, captured, status, *_ = table[2].split("\t")
    assert (number, status) == ("3", "200")
    third = run_gossamer("show", original.directory, url, "--version", "3", "--part", "text").stdout
    assert f"always {ROUNDS - 2} " in third
    moment = run_gossamer("show", original.directory, url, "--version", captured, "--json").stdout
    listed = [
        json.loads(line) for line in run_gossamer("pages", original.directory, "--versions", url, "--json").stdout.splitlines()
    ]
    until = listed[2]["captured_at"] // 1 + 1
    assert json.loads(moment)["version"] == next(one for one in listed if one["captured_at"] < until)


@pytest.mark.parametrize(
    ("which", "told"),
    [
        ("0", "there is no version 0; 6 are kept, 1 is the newest"),
        ("7", "there is no version 7"),
        ("1999-12-31", "nothing is kept from 1999-12-31 or before"),
        ("yesterday", "'yesterday' is neither a number nor a date"),
    ],
)
def test_a_version_that_is_none_is_told(original: Grown, which: str, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        shown(original, "/always", which)


def test_prune_keeps_the_newest_versions_and_what_copies_refer_to(grown: Grown) -> None:
    before = {path: digests(grown, path) for path in PAGES}
    size = sum(file.stat().st_size for file in (grown.directory / "warc").glob("*.warc.gz"))
    told = prune(grown, "--versions", "2")
    check(grown)
    after = {path: digests(grown, path) for path in PAGES}
    always = before["/always"]
    assert after["/always"] == [*always[:2], always[-1]], "the first one is held by its copy, the others are gone"
    assert after == {path: after[path] if path == "/always" else before[path][:2] for path in PAGES}
    assert told["captures"] == sum(len(before[path]) - len(after[path]) for path in PAGES) == 4
    assert (told["held"], told["confirmations"]) == (1, 1)
    assert told["bytes"] == size - sum(file.stat().st_size for file in (grown.directory / "warc").glob("*.warc.gz")) > 0
    assert "always 1 " in shown(grown, "/copy") and "always 1 " in shown(grown, "/always", "3")
    assert f"always {ROUNDS} " in shown(grown, "/always") and "never 1 " in shown(grown, "/never")
    again = prune(grown, "--versions", "2")
    assert (again["captures"], again["held"], again["files"]) == (0, 1, [])


def test_a_dry_run_tells_and_changes_nothing(grown: Grown) -> None:
    def state() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (grown.directory / "warc").iterdir()}

    before = state()
    told = prune(grown, "--versions", "1", "--dry-run")
    assert told["captures"] > 5 and told["bytes"] > 0 and state() == before
    assert len(digests(grown, "/always")) == ROUNDS
    done = prune(grown, "--versions", "1")
    for count in ("captures", "confirmations", "held"):
        assert done[count] == told[count]


def test_the_configuration_says_how_many_stay_and_people_get_a_table(grown: Grown) -> None:
    result = run_gossamer("prune", grown.directory)
    assert result.returncode == 0, result.stderr
    *rows, last, held = result.stdout.splitlines()
    assert all(row.split("\t")[0].endswith(".warc.gz") for row in rows) and rows
    assert "removed" in last and last.endswith("the newest 3 of each page stay")
    assert held == "1 older captures stay, because revisits that stay refer to them"
    assert len(digests(grown, "/always")) == 3 + 1


def test_content_that_was_removed_is_news_when_it_comes_back(grown: Grown) -> None:
    prune(grown, "--versions", "1")
    never, number = grown.site.routes["/never"], grown.round.number
    try:
        grown.site.routes["/never"] = said("steps", 1, "/")  # nobody has it any more
        grown.recrawl()
        assert "steps 1 " in shown(grown, "/never")
        assert len(digests(grown, "/never")) == 2
        assert faults_found(grown.directory) == []
        prune(grown, "--versions", "1")
        check(grown)
    finally:
        grown.site.routes["/never"], grown.round.number = never, number


def test_a_crawl_that_runs_is_left_alone(grown: Grown) -> None:
    with CrawlDirectory.open(grown.directory).lock():
        result = run_gossamer("prune", grown.directory)
    assert result.returncode == 3
    assert "is in use by process" in result.stderr and "stop it first" in result.stderr
