"""A crawl of the synthetic web, told by the manifest (what must be found) and the ledger (what the servers saw)."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from checking import FASTWARC, WARCIO
from crawling import Crawled, outcomes_of, run_gossamer, simweb_running, wrong_outcomes

DELAY = 0.05
TOLERANCE = 0.005


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl 50 hosts and 2,000 pages, 50 ms a request, once for all tests of this file."""
    place = tmp_path_factory.mktemp("whole")
    with simweb_running(place, hosts=50, pages=2000, seed=7) as web:
        directory = place / "crawl"
        result = run_gossamer("crawl", "--dir", directory, "--delay", DELAY, *web.crawl_options, "--json")
        yield Crawled(directory, web, result)


def test_it_ends_by_itself_with_a_summary(crawled: Crawled) -> None:
    assert crawled.result.returncode == 0, crawled.result.stderr
    summary = json.loads(crawled.result.stdout)
    assert summary["end"] == "finished"
    assert summary["frontier"]["waiting"] == summary["frontier"]["leased"] == 0
    assert summary["pages"] >= 1500
    assert summary["too_soon"] == 0


def test_every_url_ends_with_the_outcome_of_the_manifest(crawled: Crawled) -> None:
    outcomes = outcomes_of(crawled.directory, crawled.web)
    assert wrong_outcomes(crawled.web, outcomes) == []


def test_nothing_else_is_known(crawled: Crawled) -> None:
    status = json.loads(run_gossamer("status", crawled.directory, "--json").stdout)
    known = sum(status["frontier"][state] for state in ("waiting", "leased", "done", "dead", "removed"))
    assert known == len(crawled.web.manifest)


def test_no_two_requests_to_a_host_are_closer_than_its_delay(crawled: Crawled) -> None:
    last: dict[str, float] = {}
    close = []
    for seen in crawled.web.ledger():
        gap = seen["start"] - last.get(seen["host"], float("-inf"))
        if gap < DELAY - TOLERANCE:
            close.append((seen["host"], seen["path"], gap))
        last[seen["host"]] = seen["start"]
    assert close == []


def test_no_two_requests_to_a_host_overlap(crawled: Crawled) -> None:
    busy_until: dict[str, float] = {}
    overlapping = []
    for seen in crawled.web.ledger():
        if seen["start"] < busy_until.get(seen["host"], float("-inf")):
            overlapping.append((seen["host"], seen["path"]))
        busy_until[seen["host"]] = max(seen["end"], busy_until.get(seen["host"], 0.0))
    assert overlapping == []


def test_no_disallowed_path_is_requested(crawled: Crawled) -> None:
    requested = {(seen["host"], seen["path"]) for seen in crawled.web.ledger()}
    forbidden = {location(entry["url"]) for entry in crawled.web.manifest if not entry["fetch"]}
    assert forbidden
    assert requested & forbidden == set()


def test_no_url_is_requested_more_often_than_its_retries_allow(crawled: Crawled) -> None:
    times = Counter((seen["host"], seen["path"]) for seen in crawled.web.ledger())
    greedy = []
    for entry in crawled.web.manifest:
        if not entry["fetch"]:
            continue
        spellings = {location(url) for url in (entry["url"], *entry["aliases"])}
        count = sum(times[spelling] for spelling in spellings)
        if count > entry["requests_max"]:
            greedy.append((entry["url"], count))
    assert greedy == []


def test_verify_with_the_ledger_finds_no_fault(crawled: Crawled) -> None:
    result = run_gossamer("verify", crawled.directory, "--ledger", crawled.web.ledger_file)
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[-1].endswith(" passed, 0 failed")


def test_explain_gives_the_reason_of_the_manifest_for_every_url(crawled: Crawled) -> None:
    entries = crawled.web.manifest
    stdin = "".join(f"{entry['url']}\n" for entry in entries)
    result = run_gossamer("explain", crawled.directory, "-", "--json", stdin=stdin)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    wrong = []
    for entry, answer in zip(entries, answers, strict=True):
        expected = {entry["outcome"], "ok"} if entry.get("group") else {entry["outcome"]}
        if answer["outcome"] not in expected or (entry["rule"] and answer["rule"] != entry["rule"]):
            wrong.append((entry["url"], entry["outcome"], entry["rule"], answer["outcome"], answer["rule"], answer["reason"]))
    assert wrong == []


def test_every_archive_file_passes_warcio_and_fastwarc(crawled: Crawled) -> None:
    files = sorted(map(str, (crawled.directory / "warc").glob("*.warc.gz")))
    assert files
    assert not list((crawled.directory / "warc").glob("*.open"))
    for checker in (WARCIO, FASTWARC):
        for path in files:  # fastwarc takes one at a time
            result = subprocess.run([*checker, path], capture_output=True, text=True, check=False)
            assert result.returncode == 0, result.stdout + result.stderr


def test_every_body_is_whole_however_long(crawled: Crawled) -> None:
    lines = run_gossamer("pages", crawled.directory, "--json", "--limit", 0).stdout.splitlines()
    kept = {page["url"]: page for page in map(json.loads, lines)}
    assert [url for url, page in kept.items() if page["truncated"]] == []
    files = {entry["url"]: entry["length"] for entry in crawled.web.manifest if entry["length"]}
    assert files and {url: kept[url]["length"] for url in files} == files
    assert max(files.values()) > 10 * 1024 * 1024


def test_a_kept_page_is_what_the_server_sent_byte_for_byte(crawled: Crawled) -> None:
    from gossamer.simweb.settings import SimwebSettings
    from gossamer.simweb.web import build

    web = build(SimwebSettings(hosts=50, pages=2000, seed=7), crawled.web.port)
    kinds: Counter[str] = Counter()
    for entry in crawled.web.manifest:
        if entry["outcome"] != "ok" or entry["status"] != 200 or entry.get("group"):
            continue
        sent = web.answer(entry["url"]).wire
        kind = coding(sent)
        if kinds[kind] >= 3:
            continue
        kinds[kind] += 1
        shown = subprocess.run(
            [sys.executable, "-m", "gossamer", "show", str(crawled.directory), entry["url"], "--part", "wire"],
            capture_output=True,
            check=True,
        )
        assert shown.stdout == sent, entry["url"]
    assert {"plain", "chunked", "gzip", "br"} <= set(kinds)


def test_pages_are_listed_searched_and_shown(crawled: Crawled) -> None:
    listed = [json.loads(line) for line in run_gossamer("pages", crawled.directory, "--json", "-n", 5).stdout.splitlines()]
    assert len(listed) == 5
    gone = [
        json.loads(line) for line in run_gossamer("pages", crawled.directory, "--outcome", "gone", "--json").stdout.splitlines()
    ]
    assert {page["status"] for page in gone} <= {404, 410} and gone
    assert json.loads(run_gossamer("index", crawled.directory, "--json").stdout)["indexed"] > 1000
    assert json.loads(run_gossamer("index", crawled.directory, "--json").stdout)["indexed"] == 0
    page = next(page for page in listed if page["mime"] == "text/html" and page["outcome"] == "ok")
    text = run_gossamer("show", crawled.directory, page["url"], "--part", "text").stdout
    word = max(text.split(), key=len)
    found = [
        json.loads(line)["url"]
        for line in run_gossamer("pages", crawled.directory, word, "--json", "-n", 0).stdout.splitlines()
    ]
    assert page["url"] in found


def test_titles_in_legacy_charsets_are_read_right(crawled: Crawled) -> None:
    pages = {}
    for line in run_gossamer("pages", crawled.directory, "--json", "-n", 0).stdout.splitlines():
        page: dict[str, Any] = json.loads(line)
        pages[page["url"]] = page
    titled = [entry for entry in crawled.web.manifest if entry["outcome"] == "ok" and not entry["title"].isascii()]
    assert len(titled) >= 3
    for entry in titled:
        [page] = [pages[url] for url in (entry["url"], *entry["aliases"]) if url in pages]
        assert page["title"] == entry["title"]


def location(url: str) -> tuple[str, str]:
    """Return host and path the way a ledger writes them."""
    host, _, path = url.partition("://")[2].partition("/")
    return host.partition(":")[0], f"/{path}"


def coding(answer: bytes) -> str:
    """Tell how an answer is coded."""
    head = answer.partition(b"\r\n\r\n")[0].lower()
    for name in ("gzip", "br"):
        if f"content-encoding: {name}".encode() in head:
            return name
    return "chunked" if b"transfer-encoding: chunked" in head else "plain"
