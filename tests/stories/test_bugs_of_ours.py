"""A bug of ours costs what it strikes and no more: the crawl goes on, ends as any other, and says so (docs/decisions/0013)."""

import json
import subprocess
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import saboteur
from crawling import CLEAN, GOSSAMER, Simweb, outcomes_of, run_gossamer, simweb_running

DELAY = "0.03"


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Simweb]:
    """A few hosts whose pages are all there."""
    with simweb_running(tmp_path, hosts=3, pages=36, seed=5, min_bytes=2_000, max_bytes=6_000, plain=True) as running:
        yield running


def crawl_with(plan: dict[str, Any], web: Simweb, directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Crawl a web with a bug on purpose."""
    package = saboteur.install(directory.parent / "plugin")
    environment = CLEAN | {"PYTHONPATH": package, saboteur.VARIABLE: json.dumps(plan)}
    command = [*GOSSAMER, "crawl", "--dir", str(directory), "--delay", DELAY, *web.crawl_options, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment, check=False)


def a_leaf(web: Simweb) -> str:
    """Return the URL of a page that leads nowhere new."""
    leading = {entry["found_by"] for entry in web.manifest}
    return next(entry["url"] for entry in web.manifest if entry["url"] not in leading and entry["url"].endswith(".html"))


def check(directory: Path, web: Simweb, struck: set[str]) -> None:
    """All other URLs ended as they must, nobody was pressed, and everything that is promised of a crawl is true."""
    outcomes = outcomes_of(directory, web)
    wrong = {entry["url"]: outcomes[entry["url"]] for entry in web.manifest if outcomes[entry["url"]] != entry["outcome"]}
    assert wrong == dict.fromkeys(struck, "bug")
    verified = run_gossamer("verify", directory, "--ledger", web.ledger_file)
    assert verified.returncode == 0, verified.stdout


def traces(directory: Path) -> list[str]:
    lines = [json.loads(line) for line in (directory / "crawl.log").read_text().splitlines()]
    return [line["trace"] for line in lines if line.get("trace")]


@pytest.mark.parametrize(
    ("place", "how", "workers"),
    [
        ("study", {}, 1),
        ("catalog", {}, 1),
        ("settle", {}, 1),
        ("settle", {"pure": True}, 1),
        ("study", {}, 2),
        ("settle", {}, 2),
    ],
)
def test_a_bug_in_a_commit_costs_one_url(tmp_path: Path, web: Simweb, place: str, how: dict[str, bool], workers: int) -> None:
    poisoned, directory = a_leaf(web), tmp_path / "crawl"
    plan = {"place": place, "word": poisoned, **how}
    result = crawl_with(plan, web, directory, f"--workers={workers}", "--quiet")
    assert result.returncode == 0, result.stderr
    assert "bugs of ours ended 1 URL(s)" in result.stdout and str(directory / "crawl.log") in result.stdout
    assert result.stdout.splitlines()[-1] == "done: nothing waits"
    check(directory, web, {poisoned})
    assert any("ZeroDivisionError" in trace for trace in traces(directory))
    explained = json.loads(run_gossamer("explain", directory, poisoned, "--json").stdout)
    assert "ZeroDivisionError: a bug on purpose" in explained["reason"]


@pytest.mark.parametrize(("place", "workers"), [("read", 1), ("admit", 1), ("read", 2)])
def test_a_bug_in_reading_a_page_costs_what_it_says_but_not_its_bytes(
    tmp_path: Path, web: Simweb, place: str, workers: int
) -> None:
    poisoned, directory = a_leaf(web), tmp_path / "crawl"
    result = crawl_with({"place": place, "word": poisoned}, web, directory, f"--workers={workers}", "--quiet")
    assert result.returncode == 0, result.stderr
    assert "bugs of ours ended 1 URL(s)" in result.stdout
    check(directory, web, {poisoned})
    row = json.loads(run_gossamer("show", directory, poisoned, "--json").stdout)["page"]
    assert (row["outcome"], row["status"], row["place"] is None) == ("bug", 200, False)
    assert "ZeroDivisionError: a bug on purpose" in row["reason"]
    kept = run_gossamer("show", directory, poisoned, "--part", "body").stdout
    url = urlsplit(poisoned)
    server = HTTPConnection("127.0.0.1", url.port)
    server.request("GET", url.path, headers={"Host": url.netloc})
    assert kept == server.getresponse().read().decode()
    server.close()
    assert any("ZeroDivisionError" in trace for trace in traces(directory))


@pytest.mark.parametrize(
    ("place", "workers"),
    [("graph", 1), ("settle", 1), ("lease", 1), ("leased", 1), ("robots", 1), ("listener", 1), ("settle", 2), ("lease", 2)],
)
def test_a_bug_that_strikes_once_costs_no_url(tmp_path: Path, web: Simweb, place: str, workers: int) -> None:
    directory = tmp_path / "crawl"
    plan = {"place": place, "times": 1, "after": 3 if place != "robots" else 0}
    result = crawl_with(plan, web, directory, f"--workers={workers}", "--quiet", "--json")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert summary["end"] == "finished" and summary["bugs"] >= 1
    check(directory, web, set())
    assert any("ZeroDivisionError" in trace for trace in traces(directory))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bug_that_strikes_every_answer_of_a_host_costs_that_host(tmp_path: Path, web: Simweb, workers: int) -> None:
    host, directory = urlsplit(web.manifest[1]["url"]).hostname or "", tmp_path / "crawl"
    result = crawl_with({"place": "settle", "word": f"//{host}"}, web, directory, f"--workers={workers}", "--quiet")
    assert result.returncode == 0, result.stderr
    outcomes = outcomes_of(directory, web)
    theirs = {outcomes[entry["url"]] for entry in web.manifest if entry["host"] == host}
    others = {outcomes[entry["url"]] for entry in web.manifest if entry["host"] != host}
    assert theirs <= {"bug", None} and "bug" in theirs and others == {"ok"}
    assert run_gossamer("verify", directory, "--ledger", web.ledger_file).returncode == 0


@pytest.mark.parametrize(("place", "workers"), [("settle anything", 1), ("lease", 1), ("settle anything", 2)])
def test_a_bug_that_strikes_everything_ends_the_crawl_with_a_sentence_and_resume_goes_on(
    tmp_path: Path, web: Simweb, place: str, workers: int
) -> None:
    directory = tmp_path / "crawl"
    result = crawl_with({"place": place, "after": 5}, web, directory, f"--workers={workers}", "--quiet")
    assert result.returncode == 1 and result.stdout == ""
    last = result.stderr.splitlines()[-1]
    assert "ZeroDivisionError" in last and "nothing that was done is lost" in last and "gossamer resume" in last
    assert "Traceback" not in result.stderr
    assert run_gossamer("resume", directory, "--quiet").returncode == 0
    check(directory, web, set())
