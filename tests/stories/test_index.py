"""`index.cdxj` names every record that is kept: after a clean end, after a kill, and while the crawl runs."""

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from crawling import run_gossamer, start_gossamer
from serving import Answer, Asked, Site, page, site_running

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]


def indexed(directory: Path) -> list[str]:
    """Return the URLs of the index, after checking that each line leads to its record and all are in order."""
    lines = (directory / "warc" / "index.cdxj").read_text().splitlines()
    assert lines == sorted(lines)
    entries = [json.loads(line.split(" ", 2)[2]) for line in lines]
    for entry in entries:
        file = directory / "warc" / entry["filename"]
        with (file if file.exists() else file.with_name(f"{file.name}.open")).open("rb") as archive:
            archive.seek(int(entry["offset"]))
            assert archive.read(2) == b"\x1f\x8b"
    return [entry["url"] for entry in entries]


def kept(directory: Path) -> list[str]:
    """Return the URLs whose records the catalog knows: those are durable."""
    lines = run_gossamer("pages", directory, "-n", 0, "--json").stdout.splitlines()
    return [one["url"] for one in map(json.loads, lines) if one["place"]]


def missing(directory: Path) -> set[str]:
    """Return what is kept and not in the index."""
    return set(kept(directory)) - set(indexed(directory))


@dataclass
class Running:
    """A crawl that waits for one page when it has kept some."""

    site: Site
    go: threading.Event
    crawler: subprocess.Popen[str]
    directory: Path


@pytest.fixture(params=[1, 2], ids=["one process", "two workers"])
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    """Start a crawl that hangs at its last page."""
    go = threading.Event()

    def held(asked: Asked) -> Answer:
        assert go.wait(60)
        return page()

    links = [f"/{number}" for number in range(20)]
    with site_running({"/": page(*links, "/held"), **{link: page(title=link) for link in links}, "/held": held}) as site:
        words = ["--dir", tmp_path / "crawl", *QUICK, "--workers", request.param]
        crawler = start_gossamer("crawl", site.url(), *words)
        site.wait_for("/held")
        yield Running(site, go, crawler, tmp_path / "crawl")
        go.set()
        crawler.kill()
        crawler.communicate()


@pytest.mark.parametrize("workers", [1, 2])
def test_after_a_clean_end_it_has_everything(workers: int, tmp_path: Path) -> None:
    links = [f"/{number}" for number in range(30)]
    with site_running({"/": page(*links), **{link: page(title=link) for link in links}}) as site:
        words = ["--set", "storage.segment_bytes=2kB", "--workers", workers, *QUICK]
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "c", *words).returncode == 0
    assert len(list((tmp_path / "c" / "warc").glob("*.warc.gz"))) > 3
    assert missing(tmp_path / "c") == set() and len(kept(tmp_path / "c")) == 31
    assert [path.name for path in (tmp_path / "c" / "warc").iterdir() if path.name.endswith((".open", ".part"))] == []


def test_while_a_crawl_runs_it_has_everything_that_is_durable_when_asked_for(running: Running) -> None:
    assert run_gossamer("index", running.directory).returncode == 0
    assert running.crawler.poll() is None
    assert missing(running.directory) == set()
    assert running.site.url() in indexed(running.directory)


def test_it_is_brought_up_to_date_while_a_crawl_runs_without_being_asked(running: Running) -> None:
    index = running.directory / "warc" / "index.cdxj"
    while not index.exists() or missing(running.directory):  # the look at the catalog takes its time
        assert running.crawler.poll() is None
    assert running.site.url() in indexed(running.directory)


def test_after_a_kill_it_has_everything_when_asked_for_and_when_resumed(running: Running) -> None:
    running.crawler.send_signal(signal.SIGKILL)
    running.crawler.communicate()
    running.go.set()
    assert run_gossamer("index", running.directory).returncode == 0
    assert missing(running.directory) == set() and kept(running.directory)
    assert run_gossamer("resume", running.directory, "--quiet").returncode == 0
    assert missing(running.directory) == set() and len(kept(running.directory)) == 22


def test_an_interrupted_run_leaves_it_complete(running: Running) -> None:
    running.crawler.send_signal(signal.SIGINT)
    running.go.set()
    running.crawler.communicate(timeout=60)
    assert running.crawler.returncode == 130
    assert missing(running.directory) == set() and kept(running.directory)
