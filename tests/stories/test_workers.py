"""Several processes on one machine: the same crawl as in one, told by the manifest and the ledger; and what a worker may do."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawling import Crawled, outcomes_of, run_gossamer, simweb_running, wrong_outcomes
from faulting import BRISK
from serving import page, site_running

HERE = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet", "--workers", "2"]
PLUGIN = '''
import os
import signal

class Deadly:
    """Kills whoever judges a link of some name; or, of another, every worker that is made."""

    def __init__(self, settings):
        if "born" in settings.scope.block_prefixes[0] and os.getsid(0) == os.getpid():
            os.kill(os.getpid(), signal.SIGKILL)

    def judge(self, candidate):
        from gossamer.records.entry import Verdict
        from gossamer.records.reason import because
        if candidate.url.wire.endswith("/deadly"):
            os.kill(os.getpid(), signal.SIGKILL)
        return Verdict(True, because("deadly"))
'''


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl 20 hosts and 400 pages with two workers, 50 ms a request, once for all tests of this file."""
    place = tmp_path_factory.mktemp("workers")
    knobs = [word for knob in BRISK for word in ("--set", knob)]
    with simweb_running(place, hosts=20, pages=400, seed=11) as web:
        directory = place / "crawl"
        words = ["crawl", "--dir", directory, "--delay", "0.05", "--workers", "2", *knobs, *web.crawl_options, "--json"]
        yield Crawled(directory, web, run_gossamer(*words))


def began(directory: Path) -> dict[str, int]:
    """Return the workers that were started, by name, with their processes."""
    events = [json.loads(line) for line in (directory / "crawl.log").read_text().splitlines()]
    return {event["worker"]: event["pid"] for event in events if event["event"] == "workerbegan"}


def test_it_ends_with_the_outcomes_of_the_manifest(crawled: Crawled) -> None:
    assert crawled.result.returncode == 0, crawled.result.stderr
    assert json.loads(crawled.result.stdout)["end"] == "finished"
    assert wrong_outcomes(crawled.web, outcomes_of(crawled.directory, crawled.web)) == []


def test_every_host_is_treated_as_by_one_process_and_nothing_is_amiss(crawled: Crawled) -> None:
    result = run_gossamer("verify", crawled.directory, "--ledger", crawled.web.ledger_file)
    assert result.returncode == 0, result.stdout
    assert {"P11", "P12", "P13"} <= {line.split()[1] for line in result.stdout.splitlines() if line.startswith("passed")}


def test_both_workers_wrote_archive_files_and_no_process_is_left(crawled: Crawled) -> None:
    workers = began(crawled.directory)
    files = [path.name for path in (crawled.directory / "warc").glob("*.warc.gz*")]
    assert {name.rpartition("-")[2].partition(".")[0] for name in files} == set(workers) == {"w1", "w2"}
    assert [name for name in files if name.endswith(".open")] == []
    assert [pid for pid in workers.values() if Path(f"/proc/{pid}").exists()] == []


def test_no_page_more_is_kept_than_allowed(tmp_path: Path) -> None:
    links = [f"/{number}" for number in range(60)]
    with site_running({"/": page(*links), **{link: page(title=link) for link in links}}) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "crawl", *HERE, "--connections", "8", "--json"]
        first = json.loads(run_gossamer(*words, "--max-pages", "23").stdout)
        assert (first["end"], first["pages"]) == ("budget spent", 23)
        again = json.loads(run_gossamer("resume", tmp_path / "crawl", "--max-pages", "17", "--json").stdout)
        assert (again["end"], again["pages"]) == ("budget spent", 17)
    assert len(site.paths) == 40
    assert json.loads(run_gossamer("status", tmp_path / "crawl", "--json").stdout)["pages"] == 40


def run_with_plugin(place: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """Run gossamer beside a filter that kills."""
    meta = place / "plugin" / "deadly-1.0.dist-info"
    meta.mkdir(parents=True)
    (place / "plugin" / "deadly_plugin.py").write_text(PLUGIN)
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: deadly\nVersion: 1.0\n")
    (meta / "entry_points.txt").write_text("[gossamer.filter]\ndeadly = deadly_plugin:Deadly\n")
    environment = {**os.environ, "PYTHONPATH": str(place / "plugin")}
    command = [sys.executable, "-m", "gossamer", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=110, check=False)


def test_a_page_that_kills_its_workers_is_given_up_in_the_end(tmp_path: Path) -> None:
    pages = {"/": page("/poison", "/a", "/b"), "/poison": page("/deadly"), "/a": page(title="a"), "/b": page(title="b")}
    with site_running(pages) as site:
        knobs = ["--set", "crawl.returns=2", "--set", "scope.block_prefixes=http://nowhere/"]
        result = run_with_plugin(tmp_path, "crawl", site.url(), "--dir", tmp_path / "crawl", *HERE, *knobs)
        assert result.returncode == 0, result.stderr
        answer = json.loads(run_gossamer("explain", tmp_path / "crawl", site.url("/poison"), "--json").stdout)
    assert (answer["state"], answer["outcome"]) == ("dead", "bug")
    assert "died or froze 2 times" in answer["reason"]
    assert site.paths.count("/poison") == 2
    assert {"/a", "/b"} <= set(site.paths)
    log = (tmp_path / "crawl" / "crawl.log").read_text()
    assert log.count("was killed by SIGKILL") == 2
    assert run_gossamer("verify", tmp_path / "crawl").returncode == 0


def test_workers_that_die_as_they_are_born_end_the_crawl_with_a_word(tmp_path: Path) -> None:
    words = ["crawl", "http://127.0.0.1:9/", "--dir", tmp_path / "crawl", *HERE, "--set", "scope.block_prefixes=http://born/"]
    result = run_with_plugin(tmp_path, *words)
    assert result.returncode == 1
    assert "workers in a row ended before their first visit, the last one was killed by SIGKILL" in result.stderr
    assert "Traceback" not in result.stderr
