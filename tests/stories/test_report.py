"""The report for site owners: what the synthetic web says of itself, every source named; no text from the web runs in it."""

import json
import signal
from collections import defaultdict
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from crawling import Crawled, run_gossamer, simweb_running, start_gossamer
from faulting import QUICK
from readonly import on_read_only_media
from serving import page, site_running

from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.web import Web, build
from gossamer.url.normalize import KeyRules
from gossamer.url.parse import parse

SHAPE = {"hosts": 8, "pages": 100, "seed": 7}
SITE = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]
BROKEN = {"gone", "client_error", "server_error"}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl 8 hosts once for all tests of this file."""
    place = tmp_path_factory.mktemp("report")
    with simweb_running(place, **SHAPE) as web:
        yield Crawled(place / "crawl", web, run_gossamer("crawl", "--dir", place / "crawl", *QUICK, *web.crawl_options))


@pytest.fixture(scope="module")
def report(crawled: Crawled) -> dict[str, Any]:
    return reported(crawled.directory)


@pytest.fixture(scope="module")
def truth(crawled: Crawled) -> Web:
    return build(SimwebSettings(**SHAPE), crawled.web.port)  # type: ignore[arg-type]


def reported(directory: Path, *options: object) -> dict[str, Any]:
    result = run_gossamer("report", directory, "--json", "-n", 0, *options)
    assert result.returncode == 0, result.stderr
    facts: dict[str, Any] = json.loads(result.stdout)
    return facts


def key(url: str) -> str:
    return KeyRules().key(parse(url))


def entries(crawled: Crawled, *outcomes: str) -> dict[str, dict[str, Any]]:
    return {entry["url"]: entry for entry in crawled.web.manifest if entry["outcome"] in outcomes}


def sources_of(crawled: Crawled, web: Web) -> dict[str, set[str]]:
    """Return which fetched pages link to a key, as the synthetic web says; what sitemaps list is no link."""
    sources: dict[str, set[str]] = defaultdict(set)
    for entry in crawled.web.manifest:
        resource = web.lookup(entry["url"]) if entry["fetch"] else None
        for link in web.links(resource) if resource is not None else ():
            if link.kind != "sitemap":
                sources[key(link.url)].add(key(entry["url"]))
    return sources


def rows_of(facts: dict[str, Any], name: str) -> list[dict[str, Any]]:
    assert facts[name]["total"] == len(facts[name]["rows"])
    rows: list[dict[str, Any]] = facts[name]["rows"]
    return rows


def test_broken_links_are_those_of_the_manifest_and_every_source_is_named(
    crawled: Crawled, report: dict[str, Any], truth: Web
) -> None:
    expected, sources = entries(crawled, *BROKEN), sources_of(crawled, truth)
    found = {row["url"]: row for row in rows_of(report, "broken")}
    assert expected and {url: row["outcome"] for url, row in found.items()} == {
        url: entry["outcome"] for url, entry in expected.items()
    }
    for url, row in found.items():
        assert row["status"] == expected[url]["status"]
        assert {key(source["url"]) for source in row["sources"]["rows"]} == sources[key(url)], url
    assert report["broken_links"] == sum(row["sources"]["total"] for row in found.values())


def test_redirects_are_those_of_the_manifest_with_every_hop(crawled: Crawled, report: dict[str, Any], truth: Web) -> None:
    expected = entries(crawled, "redirected")
    chains = rows_of(report, "redirects")
    hops = {hop["url"] for chain in chains for hop in chain["hops"] if hop["outcome"] == "redirected"}
    assert expected and hops == set(expected)
    for chain in chains:
        for here, there in zip(chain["hops"], chain["hops"][1:], strict=False):
            resource = truth.lookup(here["url"])
            assert resource is not None and resource.status == here["status"]
            assert there["url"] in {link.url for link in truth.links(resource)}
        assert chain["redirects"] == len(chain["hops"]) - 1
    circles, longest = sum(chain["is_circle"] for chain in chains), max(chain["redirects"] for chain in chains)
    assert (report["redirect_circles"], report["longest_redirect"]) == (circles, longest) and circles and longest > 5


@pytest.mark.parametrize(("name", "outcome"), [("duplicates", "duplicate"), ("near_duplicates", "near_duplicate")])
def test_copies_stand_in_the_groups_of_the_manifest(crawled: Crawled, report: dict[str, Any], name: str, outcome: str) -> None:
    kinds = defaultdict(set)
    for entry in crawled.web.manifest:
        if entry.get("group"):
            kinds[entry["group"]].add(entry["url"])
    of_kind = {entry["group"] for entry in crawled.web.manifest if entry.get("group") and entry["outcome"] == outcome}
    groups = [{row["url"], *row["copies"]["rows"]} for row in rows_of(report, name)]
    assert groups and sorted(map(sorted, groups)) == sorted(sorted(kinds[group]) for group in of_kind)


def test_what_robots_txt_blocks_is_what_the_manifest_says(crawled: Crawled, report: dict[str, Any]) -> None:
    expected = set(entries(crawled, "robots_denied"))
    assert expected and {row["url"] for row in rows_of(report, "robots")} == expected


def test_orphans_are_what_sitemaps_list_and_no_page_links(crawled: Crawled, report: dict[str, Any], truth: Web) -> None:
    sources = sources_of(crawled, truth)
    listed = {
        link.url
        for entry in crawled.web.manifest
        if entry["fetch"] and (resource := truth.lookup(entry["url"])) is not None and resource.kind == "sitemap"
        for link in truth.links(resource)
    }
    orphans = {url for url in listed if not sources[key(url)] - {key(url)}}
    facts = report["sitemaps"]
    assert orphans and {row["url"] for row in facts["orphans"]["rows"]} == orphans
    assert facts["listed"] == len(listed)
    assert not {key(url) for url in facts["unlisted"]["rows"]} & {key(url) for url in listed} and facts["unlisted"]["total"]


def test_numbers_add_up_and_a_long_list_says_how_to_see_the_rest(crawled: Crawled, report: dict[str, Any]) -> None:
    for name in ("depths", "times", "sizes"):
        assert sum(part["pages"] for part in report[name]) == report["pages"]
    assert sum(part["pages"] for part in report["types"]["rows"]) == report["pages"]
    assert sum(host["pages"] for host in report["hosts"]["rows"]) == report["pages"] == report_pages(crawled)
    shown = run_gossamer("report", crawled.directory).stdout
    left = report["robots"]["total"] - 3
    assert f"and {left} more: gossamer report {crawled.directory} --only robots -n 0" in shown
    whole = run_gossamer("report", crawled.directory, "--only", "robots", "-n", 0).stdout
    assert all(row["url"] in whole for row in report["robots"]["rows"]) and "Broken" not in whole


def report_pages(crawled: Crawled) -> int:
    pages: int = json.loads(run_gossamer("status", crawled.directory, "--json").stdout)["pages"]
    return pages


def test_a_crawl_that_can_only_be_read_is_reported_the_same(crawled: Crawled, report: dict[str, Any]) -> None:
    result = on_read_only_media(crawled.directory, "report", crawled.directory, "--json", "-n", 0)
    assert result.returncode == 0, result.stderr
    facts = json.loads(result.stdout)
    assert facts | {"made_at": 0, "state": ""} == report | {"made_at": 0, "state": ""}


HOSTILE = "</title></style></a><script>alert(1)</script><img src=x onerror=alert(1)>\" onmouseover='alert(1)' \u202e\x07"


class Elements(HTMLParser):
    """Collects elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: dict[str, set[str]] = defaultdict(set)
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        if tag != "meta":
            self.open.append(tag)
        for name, value in attributes:
            self.attributes[name].add(value or "")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag != "meta":
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_no_text_from_the_web_becomes_markup_of_the_page(tmp_path: Path) -> None:
    spiteful = "/a\"><script>alert(1)</script>'onload=x&lt;"
    twin = (200, {"content-type": "text/html; charset=utf-8"}, f"<title>{HOSTILE.replace('<', '&lt;')}</title>one".encode())
    routes = {
        "/": page(spiteful.replace('"', "&quot;"), "/b?<svg/onload=alert(1)>", "/c", "/d", title="home"),
        "/c": twin,
        "/d": (200, twin[1], twin[2] + b" and two"),
    }
    with site_running(routes) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE).returncode == 0
    result = run_gossamer("report", tmp_path / "crawl", "--html", tmp_path / "report.html")
    assert result.returncode == 0, result.stderr
    html = (tmp_path / "report.html").read_text()
    assert "alert(1)" in html, "the hostile title is shown"
    elements = Elements()
    elements.feed(html)
    assert elements.open == []
    assert not elements.found & {"script", "img", "iframe", "object", "link", "form", "a:script"}
    assert [name for name in elements.attributes if name.startswith("on") or name == "style"] == []
    assert all(href.startswith(("http://127.0.0.1", "#")) for href in elements.attributes["href"])
    (policy,) = [content for content in elements.attributes["content"] if "default-src" in content]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "script-src" not in policy
    assert "\u202e" not in html and "\x07" not in html


def test_a_report_is_not_written_over_another_file_without_force(crawled: Crawled, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("mine")
    result = run_gossamer("report", crawled.directory, "--html", target)
    assert result.returncode == 2 and "--force" in result.stderr and target.read_text() == "mine"
    assert run_gossamer("report", crawled.directory, "--html", target, "--force").returncode == 0
    assert target.read_text().startswith("<!DOCTYPE html>")
    assert list(tmp_path.iterdir()) == [target]


def test_it_is_made_beside_a_running_crawl(tmp_path: Path) -> None:
    links = [f"/{number}" for number in range(200)]
    with site_running({"/": page("/gone", *links), **{link: page("/", title=link) for link in links}}) as site:
        crawl = start_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE[2:], "--delay", "0.3")
        try:
            site.wait_for("/0")  # when /gone is durable, which is asked for before it
            facts = reported(tmp_path / "crawl")
            assert crawl.poll() is None
        finally:
            crawl.send_signal(signal.SIGTERM)
            crawl.communicate(timeout=30)
    assert facts["state"] == "running" and facts["waiting"] > 100
    (broken,) = rows_of(facts, "broken")
    assert (broken["url"], [source["url"] for source in broken["sources"]["rows"]]) == (site.url("/gone"), [site.url()])


def test_every_page_that_links_to_nothing_is_named_with_how_it_links(tmp_path: Path) -> None:
    framing = (
        200,
        {"content-type": "text/html"},
        b"<title>b</title><iframe src=/gone></iframe><a rel=nofollow href=/gone>x</a>",
    )
    routes = {"/": page("/a", "/b", "/old", title="home"), "/a": page("/gone", "/gone", title="a"), "/b": framing}
    with site_running({**routes, "/old": (301, {"location": "/gone"}, b"")}) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE).returncode == 0
    (broken,) = rows_of(reported(tmp_path / "crawl"), "broken")
    sources = {(one["url"].removeprefix(site.url()[:-1]), one["kind"]) for one in broken["sources"]["rows"]}
    assert sources == {("/a", "anchor"), ("/b", "iframe"), ("/old", "redirect")}
    (chain,) = rows_of(reported(tmp_path / "crawl"), "redirects")
    assert [(hop["url"], hop["outcome"]) for hop in chain["hops"]] == [
        (site.url("/old"), "redirected"),
        (site.url("/gone"), "gone"),
    ]


def test_titles_that_are_missing_or_doubled_and_slow_and_large_pages_are_told(tmp_path: Path) -> None:
    large = (200, {"content-type": "text/html"}, b"<title>large</title>" + b"x" * 60_000)
    bare = (200, {"content-type": "text/html"}, b"<p>bare")
    same = {f"/same/{number}": page(f"/{number}", title="the same") for number in range(3)}
    with site_running({"/": page("/large", "/bare", *same, title="home"), "/large": large, "/bare": bare, **same}) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE).returncode == 0
    facts = reported(tmp_path / "crawl", "--slow", "0", "--large", "50kB")
    assert rows_of(facts, "untitled") == [site.url("/bare")]
    (doubled,) = rows_of(facts, "doubled_titles")
    assert (doubled["title"], doubled["pages"]["rows"]) == ("the same", [site.url(path) for path in same])
    assert [row["url"] for row in rows_of(facts, "large")] == [site.url("/large")]
    times = [row["seconds"] for row in rows_of(facts, "slow")]
    assert len(times) == 6 and times == sorted(times, reverse=True)


def test_without_a_graph_a_broken_link_has_the_page_it_was_found_on(tmp_path: Path) -> None:
    with site_running({"/": page("/gone", title="home")}) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "crawl", *SITE, "--set", "storage.graph="]
        assert run_gossamer(*words).returncode == 0
    (broken,) = rows_of(reported(tmp_path / "crawl"), "broken")
    assert broken["sources"]["rows"] == [{"url": site.url(), "kind": "", "nofollow": False}]
    assert "No link graph is kept" in run_gossamer("report", tmp_path / "crawl").stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--only", "borken"], "there is no section 'borken'; did you mean broken?"),
        (["--slow", "soon"], "--slow 'soon' is no duration"),
        (["--large", "much"], "--large 'much' is no size"),
        (["--html", "/nowhere/at/all.html"], "cannot write /nowhere/at/all.html"),
    ],
)
def test_bad_input_gets_one_sentence(crawled: Crawled, options: list[str], sentence: str) -> None:
    result = run_gossamer("report", crawled.directory, *options)
    assert result.returncode == 2 and sentence in result.stderr and result.stderr.count("\n") == 1
