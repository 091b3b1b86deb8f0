"""A crawl that cannot be written can be looked at: on read-only media, somebody else's, finished or killed."""

import json
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crawling import run_gossamer, start_gossamer
from readonly import as_somebody_else, on_read_only_media
from serving import Answer, Asked, page, site_running

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]
PROSE = " ".join(f"word{number}" for number in range(80))
Running = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module", params=["finished", "killed"])
def crawl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """Return a crawl of a few pages, and where it is from; once it ended by itself, once by a kill -9."""
    go = threading.Event()

    def held(asked: Asked) -> Answer:
        assert go.wait(60)
        return page()

    place = tmp_path_factory.mktemp("read-only") / "crawl"
    routes = {"/": page("/a", "/b/?x=1", "/gone", "/last"), "/a": page("/", title=PROSE), "/b/?x=1": page(title="b")}
    with site_running({**routes, "/last": held if request.param == "killed" else page(title="last")}) as site:
        crawler = start_gossamer("crawl", site.url(), "--dir", place, *QUICK)
        if request.param == "killed":
            site.wait_for("/last")
            site.wait_for("/gone")
            crawler.send_signal(signal.SIGKILL)
        crawler.communicate(timeout=60)
        go.set()
        if request.param == "finished":
            run_gossamer("status", place)  # what is opened a second time has files that are never changed again
            assert list((place / "frontier").rglob("*.sst"))
        yield place, site.url()


@pytest.fixture(params=[on_read_only_media, as_somebody_else])
def reading(request: pytest.FixtureRequest) -> Running:
    """Return the ways in which a directory can only be read."""
    return request.param  # type: ignore[no-any-return]


def contents(directory: Path) -> dict[str, tuple[int, int]]:
    """Return every file with its length and time of change."""
    files = (path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}


COMMANDS = [
    ["status"],
    ["pages"],
    ["pages", "--outcome", "ok"],
    ["pages", "--inlinks", "{url}a"],
    ["pages", "--near", "{url}a"],
    ["pages", "--versions", "{url}a"],
    ["show", "{url}a"],
    ["explain", "{url}a"],
    ["explain", "{url}never"],
    ["verify"],
    ["log"],
    ["graph"],
    ["export", "-", "--to", "csv", "--table", "links"],
    ["export", "-", "--to", "broken"],
    ["export", "-", "--to", "jsonl", "--text"],
    ["hosts"],
    ["host", "127.0.0.1"],
    ["traps", "--all"],
    ["rules", "--all"],
    ["freshness"],
    ["config"],
]


def test_everything_that_only_looks_works_and_writes_nothing(crawl: tuple[Path, str], reading: Running, tmp_path: Path) -> None:
    place, url = crawl
    copy = tmp_path / "crawl"
    shutil.copytree(place, copy, ignore=shutil.ignore_patterns("control.sock"))
    before = contents(copy)
    for command in COMMANDS if reading is on_read_only_media else COMMANDS[::3]:  # all once: each takes a start
        name, *rest = (word.format(url=url) for word in command)
        result = reading(copy, name, copy, *rest)
        assert result.returncode == 0, (command, result.stderr)
        assert result.stdout or name == "rules", command  # of which nothing was learned
        assert contents(copy) == before, command


def test_it_tells_the_same_as_where_it_can_be_written(crawl: tuple[Path, str], reading: Running, tmp_path: Path) -> None:
    place, url = crawl
    copies = [tmp_path / "one" / "crawl", tmp_path / "two" / "crawl"]
    for copy in copies:
        shutil.copytree(place, copy, ignore=shutil.ignore_patterns("control.sock"))
    for command in (["status", "--json"], ["explain", f"{url}last", "--json"], ["pages"], ["verify"], ["hosts", "--json"]):
        name, *rest = command
        wanted, found = run_gossamer(name, copies[0], *rest), reading(copies[1], name, copies[1], *rest)
        told = found.stdout.replace(str(copies[1]), str(copies[0]))
        if "--json" in rest:
            assert _timeless(told) == _timeless(wanted.stdout), command
        else:
            assert told == wanted.stdout, command


def _timeless(text: str) -> list[object]:
    """Return JSON lines without what depends on when they were asked for."""

    def kept(pairs: list[tuple[str, object]]) -> dict[str, object]:
        return {name: value for name, value in pairs if name not in ("next_time", "returns", "recent_hits", "bloom_misses")}

    return [json.loads(line, object_pairs_hook=kept) for line in text.splitlines()]


@pytest.mark.parametrize(
    "command", [["resume"], ["recrawl"], ["index"], ["prune"], ["host", "127.0.0.1", "--pause"], ["graph", "--compact"]]
)
def test_what_would_change_it_is_refused_in_one_sentence(
    command: list[str], crawl: tuple[Path, str], reading: Running, tmp_path: Path
) -> None:
    copy = tmp_path / "crawl"
    shutil.copytree(crawl[0], copy, ignore=shutil.ignore_patterns("control.sock"))
    before = contents(copy)
    name, *rest = command
    result = reading(copy, name, copy, *rest)
    assert result.returncode == 3, result.stderr
    assert "cannot be written" in result.stderr and "Traceback" not in result.stderr
    assert contents(copy) == before


def test_a_running_crawl_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    go = threading.Event()

    def held(asked: Asked) -> Answer:
        assert go.wait(60)
        return page()

    with site_running({"/": page("/held"), "/held": held}) as site:
        crawler = start_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *QUICK)
        site.wait_for("/held")
        listed = as_somebody_else(tmp_path / "crawl", "pages", tmp_path / "crawl")
        asked = as_somebody_else(tmp_path / "crawl", "status", tmp_path / "crawl")
        go.set()
        crawler.communicate(timeout=60)
    assert listed.returncode == 0 and site.url() in listed.stdout, listed.stderr
    assert asked.returncode == 3 and f"in use by process {crawler.pid}" in asked.stderr
    assert crawler.returncode == 0
