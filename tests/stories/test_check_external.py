"""Links to other sites are asked for once and not followed: what the other site's server saw, and what is known afterwards."""

import csv
import json
import subprocess
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from crawling import run_gossamer, simweb_running, start_gossamer
from faulting import QUICK as BRISK
from serving import Answer, Asked, Site, page, site_running

from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.web import build
from gossamer.url.normalize import KeyRules
from gossamer.url.parse import parse

NAMES = ["--resolve", "*.test:127.0.0.1"]
QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet", *NAMES, "--set", "retry.wait=0.1"]


def theirs(site: Site, path: str = "/") -> str:
    return site.url(path, host="theirs.test")


def robots(asked: Asked) -> Answer:
    """Return a robots.txt that forbids something and names a sitemap."""
    return 200, {}, f"User-agent: *\nDisallow: /private\nSitemap: http://{asked.headers['host']}/map.xml\n".encode()


def other_site() -> dict[str, Any]:
    """Return the routes of a site that is only linked."""
    many = {f"/p{number}": page("/never", title=f"p{number}") for number in range(8)}
    return {
        "/robots.txt": robots,
        "/ok": page("/never", title="theirs"),
        "/moved": (301, {"location": "/never"}, b""),
        "/private": page(title="private"),
        "/large": (200, {"content-type": "text/html"}, b"<a href=/never>" + b"x" * 3_000_000),
        "/garbled": (200, {"content-length": "many"}, b"x"),
        **many,
    }


def crawl_linking(place: Path, links: list[str], *options: object) -> tuple[Site, subprocess.CompletedProcess[str]]:
    """Crawl a site whose second page has these links."""
    with site_running({"/": page("/deep", title="ours"), "/deep": page(*links, title="deep")}) as site:
        words = ["crawl", site.url(host="ours.test"), "--dir", place, *QUICK, "--check-external", *options]
        return site, run_gossamer(*words)


def explained(place: Path, url: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(run_gossamer("explain", place, url, "--json").stdout)
    return facts


def test_another_site_sees_one_request_a_link_and_none_beyond(tmp_path: Path) -> None:
    paths = ["/ok", "/gone", "/moved", "/private", "/large", *(f"/p{number}" for number in range(8))]
    with site_running(other_site()) as other:
        crawl = tmp_path / "crawl"
        links = [theirs(other, path) for path in paths]
        limits = ["--max-depth", 1, "--include", "/deep", "--max-pages", 3]
        site, result = crawl_linking(crawl, [*links, *links], *limits, "--set", "crawl.path_ascending=true")
        assert result.returncode == 0, result.stderr
        asked = Counter(one.path for one in other.asked)
    assert asked == Counter(["/robots.txt", *(path for path in paths if path != "/private")])
    assert Counter(site.paths) == Counter(["/", "/deep"])
    outcomes = {path: explained(crawl, theirs(other, path))["outcome"] for path in paths}
    dead = {"/gone": "gone", "/private": "robots_denied"}
    assert outcomes == dict.fromkeys(paths, "checked") | dead
    assert 0 < explained(crawl, theirs(other, "/large"))["page"]["length"] <= 16 * 1024, "the rest was not waited for"
    status = json.loads(run_gossamer("status", crawl, "--json").stdout)
    assert (status["pages"], status["bodies_cut"]) == (2, 0)
    learned = [json.loads(line) for line in run_gossamer("traps", crawl, "--all", "--json").stdout.splitlines()]
    assert {one["host"] for one in learned} == {"ours.test"}, "nothing is learned about a site that is not read"
    verified = run_gossamer("verify", crawl)
    assert verified.returncode == 0, verified.stdout


def test_a_dead_link_to_another_site_is_reported_with_its_source_and_explained_by_its_rule(tmp_path: Path) -> None:
    with site_running(other_site()) as other:
        crawl = tmp_path / "crawl"
        links = [theirs(other, path) for path in ("/ok", "/gone", "/garbled")]
        site, _ = crawl_linking(crawl, [*links, "http://nowhere.invalid/"])
    report = json.loads(run_gossamer("report", crawl, "--json").stdout)
    found = {row["url"]: row for row in report["broken"]["rows"]}
    assert {url: (row["status"], row["is_external"]) for url, row in found.items()} == {
        theirs(other, "/gone"): (404, True),
        theirs(other, "/garbled"): (0, True),
        "http://nowhere.invalid/": (0, True),
    }
    source = site.url("/deep", host="ours.test")
    assert all([one["url"] for one in row["sources"]["rows"]] == [source] for row in found.values())
    assert (report["external"], report["pages"], report["hosts"]["total"]) == (4, 2, 1)
    assert run_gossamer("export", crawl, "--to", "broken", tmp_path / "broken.csv").returncode == 0
    exported = list(csv.DictReader((tmp_path / "broken.csv").open(encoding="utf-8")))
    assert {(row["target"], row["source"]) for row in exported} == {(url, source) for url in found}
    for path in ("/ok", "/gone", "/garbled"):
        facts = explained(crawl, theirs(other, path))
        assert facts["rule"] == "scope.check_external" and "asked for once and not followed" in facts["reason"]
        (verdict,) = [one for one in facts["verdicts"] if one["rule"] == "scope.check_external"]
        assert verdict["allowed"] and "theirs.test is not one of the seeds' hosts" in verdict["reason"]


def test_what_is_blocked_or_nofollow_is_not_asked_for(tmp_path: Path) -> None:
    with site_running(other_site()) as other:
        blocked, nofollow = theirs(other, "/ok"), theirs(other, "/p1")
        deep = page(blocked, title="deep")
        deep = (*deep[:2], deep[2] + f'<a rel=nofollow href="{nofollow}">n</a><img src="{theirs(other, "/p2")}">'.encode())
        with site_running({"/": deep}) as site:
            words = ["crawl", site.url(host="ours.test"), "--dir", tmp_path / "crawl", *QUICK, "--check-external"]
            assert run_gossamer(*words, "--exclude", "/ok$").returncode == 0
        assert other.asked == []
    rules = {url: explained(tmp_path / "crawl", url)["rule"] for url in (blocked, nofollow)}
    assert rules == {blocked: "scope.block", nofollow: "robots.meta"}


def test_the_ledger_of_a_whole_web_has_one_request_for_each_url_that_one_of_its_hosts_links(tmp_path: Path) -> None:
    shape = {"hosts": 8, "pages": 100, "seed": 7}
    with simweb_running(tmp_path, **shape) as web:
        truth = build(SimwebSettings(**shape), web.port)  # type: ignore[arg-type]
        host = max(truth.hosts, key=lambda host: len(host.pages) if host.role == "open" else 0)
        names = ["--resolve", "*.sim:127.0.0.1", "--allow-private", "127.0.0.0/8"]
        result = run_gossamer("crawl", host.root.url, "--dir", tmp_path / "crawl", *BRISK, *names, "--check-external")
        assert result.returncode == 0, result.stderr
        requests = [one for one in web.ledger() if one["host"].partition(":")[0] != host.name]
        known = {key(entry["url"]): entry for entry in web.manifest}
        kept = json_lines(run_gossamer("pages", tmp_path / "crawl", "--host", host.name, "-n", 0, "--json").stdout)
    resources = [truth.lookup(one["url"]) for one in kept if one["outcome"] in ("ok", "duplicate", "redirected")]
    linked = {
        key(link.url)
        for resource in resources
        if resource is not None and not resource.stops
        for link in truth.links(resource)
        if link.kind not in ("image", "sitemap") and not link.nofollow
    }
    allowed = {url for url in linked if url in known and known[url]["fetch"] and known[url]["host"] != host.name}
    pages = [one for one in requests if "robots" not in one["path"]]
    times = Counter(key(f"http://{one['host']}:{web.port}{one['path']}") for one in pages)
    assert len(allowed) > 10
    assert set(times) == allowed
    assert [url for url, count in times.items() if count > known[url]["requests_max"]] == []


def key(url: str) -> str:
    return KeyRules().key(parse(url))


def json_lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_killed_and_resumed_every_link_is_asked_for(tmp_path: Path) -> None:
    with site_running(other_site()) as other:
        paths = [f"/p{number}" for number in range(8)]
        links = [theirs(other, path) for path in paths]
        with site_running({"/": page(*links, title="ours")}) as site:
            url = site.url(host="ours.test")
            options = [word for word in QUICK if word != "0"]
            options.insert(1, "0.2")
            crawl = start_gossamer("crawl", url, "--dir", tmp_path / "crawl", *options, "--check-external")
            other.wait_for("/p2")
            crawl.kill()
            crawl.communicate()
            assert run_gossamer("resume", tmp_path / "crawl", "--quiet", "--delay", "0").returncode == 0
        asked = Counter(one.path for one in other.asked if one.path != "/robots.txt")
    assert set(asked) == set(paths)
    assert sum(asked.values()) <= len(paths) + 1, "a kill repeats one visit of the host at most"
    outcomes = {path: explained(tmp_path / "crawl", theirs(other, path))["outcome"] for path in paths}
    assert outcomes == dict.fromkeys(paths, "checked")


def test_a_crawl_that_refused_them_asks_when_it_goes_on_with_the_option_and_never_follows(tmp_path: Path) -> None:
    with site_running(other_site()) as other, site_running({"/": page(theirs(other, "/ok"), title="ours")}) as site:
        crawl = tmp_path / "crawl"
        assert run_gossamer("crawl", site.url(host="ours.test"), "--dir", crawl, *QUICK).returncode == 0
        assert explained(crawl, theirs(other, "/ok"))["rule"] == "scope.within" and other.asked == []
        assert run_gossamer("resume", crawl, "--quiet", "--check-external").returncode == 0
        assert run_gossamer("resume", crawl, "--quiet").returncode == 0
        assert other.paths == ["/ok"]
        assert explained(crawl, theirs(other, "/ok"))["outcome"] == "checked"


def test_a_site_that_turns_out_to_be_ours_after_a_link_there_was_checked_is_crawled(tmp_path: Path) -> None:
    checked = threading.Event()

    def led(asked: Asked) -> Answer:
        assert checked.wait(30)
        return 302, {"location": theirs(home)}, b""

    routes = {"/": page(title="home"), "/x": page("/y", title="x"), "/y": page(title="y")}
    with site_running(routes) as home, site_running({"/": page(theirs(home, "/x"), title="ours"), "/led": led}) as site:
        seeds = [site.url(host="ours.test"), site.url("/led", host="led.test")]
        crawl = start_gossamer("crawl", *seeds, "--dir", tmp_path / "crawl", *QUICK, "--check-external")
        home.wait_for("/x")
        checked.set()
        _, errors = crawl.communicate(timeout=60)
        assert crawl.returncode == 0, errors
        assert Counter(home.paths) == Counter(["/x", "/", "/x", "/y"])
        assert explained(tmp_path / "crawl", theirs(home, "/x"))["outcome"] == "ok"


def test_two_workers_check_links_as_one_process_does(tmp_path: Path) -> None:
    with site_running(other_site()) as other:
        links = [theirs(other, "/ok"), theirs(other, "/gone")]
        _, result = crawl_linking(tmp_path / "crawl", links, "--workers", 2)
        assert result.returncode == 0, result.stderr
        assert sorted(one.path for one in other.asked) == ["/gone", "/ok", "/robots.txt"]


def test_a_crawl_that_goes_on_for_ever_asks_once_all_the_same(tmp_path: Path) -> None:
    with (
        site_running(other_site()) as other,
        site_running({"/": page(theirs(other, "/ok"), "/a"), "/a": page(title="a")}) as site,
    ):
        short = ["--set", "recrawl.interval=0.2", "--set", "recrawl.shortest=0.1", "--set", "recrawl.policy=fixed", "--forever"]
        crawl = start_gossamer(
            "crawl", site.url(host="ours.test"), "--dir", tmp_path / "crawl", *QUICK, *short, "--check-external"
        )
        with suppress(AssertionError):
            other.wait_for("/ok")
        seen = len(site.paths)
        with site.seen:
            assert site.seen.wait_for(lambda: len(site.paths) > seen + 6, timeout=30), "pages of ours are visited again"
        crawl.terminate()
        crawl.communicate(timeout=30)
        assert other.paths == ["/ok"]


@pytest.mark.parametrize("option", ["scope.off_site_hops=1"])
def test_links_that_lead_out_are_either_followed_or_checked(tmp_path: Path, option: str) -> None:
    result = run_gossamer("crawl", "http://ours.test/", "--dir", tmp_path / "crawl", "--check-external", "--set", option)
    assert result.returncode == 2 and "choose one of the two" in result.stderr and result.stderr.count("\n") == 1
