"""What a crawl did is told line by line, beside it and after it, and a line cannot be changed unseen."""

import json
import re
import shutil
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from crawling import Crawled, run_gossamer, simweb_running, start_gossamer
from faulting import QUICK, faults_found
from serving import Answer, Asked, page, site_running

LOCAL = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    place = tmp_path_factory.mktemp("chronicle")
    with simweb_running(place, hosts=4, pages=20, seed=3, min_bytes=2_000, max_bytes=4_000) as web:
        result = run_gossamer("crawl", "--dir", place / "crawl", *QUICK, *web.crawl_options)
    assert result.returncode == 0, result.stderr
    return Crawled(place / "crawl", web, result)


def told(directory: Path, *options: object) -> list[dict[str, Any]]:
    result = run_gossamer("log", directory, "--json", *options)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_every_request_that_the_servers_saw_is_told_and_no_other(crawled: Crawled) -> None:
    asked = Counter((request["host"], request["path"], request["status"]) for request in crawled.web.ledger())
    answered = Counter[tuple[str, str, int]]()
    for said in [event["said"] for event in told(crawled.directory) if event["kind"] == "visit" and "status" in event["said"]]:
        parts = urlsplit(said["url"])
        answered[parts.hostname or "", parts.path + (f"?{parts.query}" if parts.query else ""), said["status"]] += 1
    beside = ("/robots.txt", "gossamer")  # turns that were spent on something else than a page
    assert answered == Counter({seen: count for seen, count in asked.items() if not any(word in seen[1] for word in beside)})


def test_a_line_says_what_came_of_a_visit_and_where_it_is_kept(crawled: Crawled) -> None:
    visits = [event for event in told(crawled.directory) if event["kind"] == "visit"]
    kept = next(event for event in visits if event["said"]["outcome"] == "ok")
    said = kept["said"]
    assert set(said) >= {"url", "status", "bytes", "digest", "file", "offset", "length", "address", "worker", "token"}
    assert (said["version"], said["worker"], said["address"]) == ("new", "one", "127.0.0.1")
    assert (crawled.directory / "warc" / said["file"]).stat().st_size >= said["offset"] + said["length"]
    assert urlsplit(said["url"]).hostname == kept["host"]
    denied = next(event["said"] for event in visits if event["said"]["outcome"] == "robots_denied")
    assert denied["rule"] == "robots.txt" and "isallow" in denied["facts"]["line"], "the line of robots.txt is not told"
    blocks = [json.loads(line) for line in (crawled.directory / "chronicle/0000000001.jsonl").read_text().splitlines()]
    refused = Counter[str]()
    for head in blocks:
        refused.update(head.get("refused", {}))
    assert sum(refused.values()) > 0, "links that were refused are not counted"


def test_a_run_is_told_with_the_digest_of_its_settings(crawled: Crawled) -> None:
    first, *_, last = told(crawled.directory)
    assert (first["kind"], last["kind"], last["said"]["end"]) == ("begun", "ended", "finished")
    assert first["said"]["settings"].startswith("sha256:") and first["said"]["gossamer"]


def test_a_log_can_be_narrowed(crawled: Crawled) -> None:
    everything = told(crawled.directory)
    gone = told(crawled.directory, "--outcome", "gone")
    assert gone and {event["said"]["outcome"] for event in gone} == {"gone"}
    host = gone[0]["host"]
    assert {event["host"] for event in told(crawled.directory, "--host", host)} == {host}
    assert told(crawled.directory, "--limit", "3") == everything[:3]
    assert told(crawled.directory, "--since", "1h") == everything and told(crawled.directory, "--since", "2100-01-01") == []
    lines = run_gossamer("log", crawled.directory, "--outcome", "gone").stdout.splitlines()
    assert re.fullmatch(rf"\S+ \S+  gone +404 .* {re.escape(gone[0]['said']['url'])}.*", lines[0]), lines[0]


def test_bad_words_get_a_sentence(crawled: Crawled) -> None:
    for words, sentence in [
        (("log", crawled.directory, "--since", "soon"), "is neither a date"),
        (("audit", "look", crawled.directory), "there is no audit 'look'"),
        (("audit", "verify", crawled.directory, "--head", "x"), "is no head of a chronicle"),
        (("log", crawled.directory, "--outcome", "gine"), "there is no outcome 'gine'"),
    ]:
        result = run_gossamer(*words)
        assert (result.returncode, result.stderr.count("\n")) == (2, 1) and sentence in result.stderr, result.stderr


def test_a_chain_is_verified_and_its_head_says_what_it_does_not_prove(crawled: Crawled, tmp_path: Path) -> None:
    whole = run_gossamer("audit", "verify", crawled.directory)
    assert whole.returncode == 0 and whole.stdout.endswith("as they were written\n"), whole.stdout
    head = run_gossamer("audit", "head", crawled.directory)
    node, block, digest = head.stdout.split()
    assert int(block) > 1 and len(digest) == 64 and "does not stop its owner from writing all of it anew" in head.stderr
    assert run_gossamer("audit", "verify", crawled.directory, "--head", head.stdout).returncode == 0
    for other in (f"{node} {block} {'0' * 64}", f"{node} {int(block) + 1} {digest}", f"other {block} {digest}"):
        assert run_gossamer("audit", "verify", crawled.directory, "--head", other).returncode == 1, other
    copy = shutil.copytree(crawled.directory, tmp_path / "crawl", ignore=shutil.ignore_patterns("control.sock"))
    segment = copy / "chronicle" / "0000000001.jsonl"
    segment.write_bytes(segment.read_bytes().replace(b'"outcome":"gone"', b'"outcome":"okay"', 1))
    changed = run_gossamer("audit", "verify", copy)
    assert changed.returncode == 1 and re.match(r"0000000001\.jsonl:\d+: block \d+, ", changed.stdout), changed.stdout
    assert any("is not what was written" in fault for fault in faults_found(copy))


def test_an_operators_words_are_told_with_who_and_what_was_before(crawled: Crawled, tmp_path: Path) -> None:
    copy = shutil.copytree(crawled.directory, tmp_path / "crawl", ignore=shutil.ignore_patterns("control.sock"))
    host, url = next((event["host"], event["said"]["url"]) for event in told(copy) if event["kind"] == "visit")
    assert run_gossamer("host", copy, host, "--pause").returncode == 0
    assert run_gossamer("remove", copy, url).returncode == 0
    assert run_gossamer("status", copy).returncode == 0  # changes nothing
    *_, pause, removal = told(copy)
    assert pause["host"] == host and pause["said"]["who"]
    assert (pause["said"]["what"], pause["said"]["before"], pause["said"]["after"]) == (
        "set_policy",
        {"paused": False},
        {"paused": True},
    )
    assert (removal["said"]["what"], removal["said"]["before"], removal["said"]["after"]) == ("remove", "done", "removed")
    assert faults_found(copy) == []


def test_a_copy_goes_on_with_the_chain(crawled: Crawled, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    assert run_gossamer("checkpoint", crawled.directory, copy).returncode == 0
    before = told(crawled.directory)
    assert told(copy) == before
    assert run_gossamer("resume", copy, "--quiet").returncode == 0
    after = told(copy)
    assert after[: len(before)] == before and [event["kind"] for event in after[len(before) :]] == ["begun", "ended"]
    assert faults_found(copy) == []


def test_off_says_so_and_what_was_not_told_is_not_missed(tmp_path: Path) -> None:
    crawl, off = tmp_path / "crawl", ("--set", "chronicle.level=off")
    with site_running({"/": page("/a", "/b"), "/a": page(title="a"), "/b": page(title="b")}) as site:
        assert run_gossamer("crawl", site.url(), "--dir", crawl, *LOCAL, *off).returncode == 0
        assert not (crawl / "chronicle").exists()
        assert "none: chronicle.level is off" in run_gossamer("status", crawl).stdout
        refused = run_gossamer("log", crawl)
        assert refused.returncode == 2 and "chronicle.level is off" in refused.stderr
        again = ("recrawl", crawl, "--quiet", "--delay", "0")
        assert run_gossamer(*again, "--set", "chronicle.level=visits").returncode == 0
        assert run_gossamer(*again).returncode == 0  # off, as the crawl was made
        assert run_gossamer(*again, "--set", "chronicle.level=visits").returncode == 0
    config = crawl / "gossamer.toml"
    config.write_text(config.read_text().replace('"off"', '"visits"'))
    (crawl / "crawl.seal").unlink()
    kinds = [event["kind"] if event["kind"] != "word" else event["said"]["what"] for event in told(crawl)]
    runs = [kind for kind in kinds if kind != "visit"]
    assert runs == ["begun", "ended", "chronicle.level=off", "begun", "ended"], "that a run was not told is not told"
    assert {event["said"]["version"] for event in told(crawl) if event["kind"] == "visit" and "version" in event["said"]} == {
        "same"
    }
    assert faults_found(crawl) == []


def test_a_running_crawl_is_followed_and_audited(tmp_path: Path) -> None:
    go = threading.Event()

    def held(asked: Asked) -> Answer:
        assert go.wait(60)
        return page(title="last")

    crawl = tmp_path / "crawl"
    with site_running({"/": page("/a", "/held"), "/a": page(title="a"), "/held": held}) as site:
        crawler = start_gossamer("crawl", site.url(), "--dir", crawl, *LOCAL)
        site.wait_for("/held")
        reader = start_gossamer("log", crawl, "--follow", "--json")
        assert reader.stdout is not None
        seen: list[str] = []
        while site.url("/a") not in seen:
            seen.append(json.loads(reader.stdout.readline())["said"].get("url", ""))
        assert site.url("/held") not in seen
        assert run_gossamer("audit", "verify", crawl).returncode == 0
        assert run_gossamer("host", crawl, "127.0.0.1", "--max-qps", "5").returncode == 0
        go.set()
        while site.url("/held") not in seen:
            event = json.loads(reader.stdout.readline())
            seen.append(event["said"].get("url") or event["said"].get("what", ""))
        assert "set_policy" in seen, "a word to a running crawl is not told"
        assert crawler.wait(60) == 0
        reader.send_signal(signal.SIGINT)
        reader.communicate(timeout=20)
        assert reader.returncode == 130
        crawler.communicate()
    assert faults_found(crawl) == []
