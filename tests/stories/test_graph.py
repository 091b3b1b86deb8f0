"""The link graph of a crawl: every link of every page, as the synthetic web itself says; ranks, inlinks, copies, deaths."""

import json
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crawling import Crawled, Simweb, run_gossamer, simweb_running, start_gossamer
from faulting import QUICK, run_faulty
from serving import page, site_running

from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.driven import driven
from gossamer.jobs.graph_edges import named_edges
from gossamer.jobs.search import find_pages
from gossamer.records.page import Page
from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.web import Web, build
from gossamer.storage.linkgraph import EdgeLog
from gossamer.storage.ranks import PageRanks
from gossamer.url.fingerprint import fingerprint
from gossamer.url.normalize import KeyRules
from gossamer.url.parse import parse

SHAPE = {"hosts": 8, "pages": 100, "seed": 7}
SITE = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]
Edge = tuple[str, str, str, bool]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl 8 hosts once for all tests of this file."""
    place = tmp_path_factory.mktemp("graph")
    with simweb_running(place, **SHAPE) as web:
        yield Crawled(place / "crawl", web, run_gossamer("crawl", "--dir", place / "crawl", *QUICK, *web.crawl_options))


def key(url: str) -> str:
    return KeyRules().key(parse(url))


def as_requested(directory: Path) -> list[Edge]:
    edges = driven(named_edges(CrawlDirectory.open(directory)))
    return [(edge.source, edge.target, edge.kind, edge.nofollow) for edge in edges]


def exported(directory: Path) -> list[Edge]:
    """Return every edge by the keys of its ends."""
    return [(key(source), key(target), kind, nofollow) for source, target, kind, nofollow in as_requested(directory)]


def finished(directory: Path) -> list[Page]:
    return list(find_pages(CrawlDirectory.open(directory)))


def true_links(web: Web, url: str) -> set[tuple[str, str, bool]]:
    """Return what the synthetic web says that a page links to: key, kind, nofollow when all links to it are."""
    resource = web.lookup(url)
    assert resource is not None
    links = [link for link in web.links(resource) if link.kind != "sitemap"]
    plain = {key(link.url) for link in links if not (link.nofollow or resource.stops)}
    return {(key(link.url), link.kind, key(link.url) not in plain) for link in links}


def differences(directory: Path, web: Simweb) -> list[tuple[str, Any, Any]]:
    """Return the pages that were read and whose edges are not the links of the synthetic web."""
    truth = build(SimwebSettings(**SHAPE), web.port)  # type: ignore[arg-type]
    found: dict[str, set[tuple[str, str, bool]]] = {}
    for source, target, kind, nofollow in as_requested(directory):
        found.setdefault(source, set()).add((key(target), kind, nofollow))
    pages = [one for one in finished(directory) if one.outcome in ("ok", "redirected")]
    assert len(pages) > 100 and len(found) > 100
    wrong = []
    for one in pages:
        expected, edges = true_links(truth, one.url), found.get(one.url, set())
        if {edge[0] for edge in expected} != {edge[0] for edge in edges} or not edges <= expected:
            wrong.append((one.url, expected - edges, edges - expected))
    return wrong


def dense_ranks(edges: list[Edge], read: set[str]) -> dict[str, float]:
    """Compute PageRank as it is defined, with a matrix; 1 is the average."""
    links = {(source, target) for source, target, kind, nofollow in edges if kind != "image" and not nofollow}
    pages = sorted({target for _, target in links} | read)
    number = {url: at for at, url in enumerate(pages)}
    ways = np.zeros((len(pages), len(pages)))
    for source, target in links:
        ways[number[target], number[source]] = source != target
    out = ways.sum(axis=0)
    ways = np.where(out > 0, ways / np.maximum(out, 1), 1 / len(pages))
    ranks = np.linalg.solve(np.eye(len(pages)) - 0.85 * ways, np.full(len(pages), 0.15))
    return dict(zip(pages, ranks.tolist(), strict=True))


def test_every_page_has_the_links_that_the_web_says(crawled: Crawled) -> None:
    assert crawled.result.returncode == 0, crawled.result.stderr
    assert differences(crawled.directory, crawled.web) == []


def test_two_workers_leave_the_same_graph(tmp_path: Path) -> None:
    with simweb_running(tmp_path, **SHAPE) as web:
        words = ["crawl", "--dir", tmp_path / "crawl", "--workers", 2, *QUICK, *web.crawl_options]
        assert run_gossamer(*words).returncode == 0
        assert differences(tmp_path / "crawl", web) == []


def test_ranks_are_those_of_a_plain_computation_and_are_kept(crawled: Crawled) -> None:
    survey = json.loads(run_gossamer("graph", crawled.directory, "--json", "--top", 5000).stdout)
    edges = as_requested(crawled.directory)
    graph = EdgeLog.read_at(crawled.directory / "graph")
    keys = {one.url: one.key for one in finished(crawled.directory)}
    read = {url for url, known_as in keys.items() if fingerprint(known_as) in set(graph.pages.tolist())}
    expected = dense_ranks(edges, read)
    shown = {one["url"]: one["rank"] for one in survey["top"]}
    assert shown == pytest.approx(expected, abs=1e-4)
    assert (survey["ranked"], survey["pages"], survey["edges"]) == (len(expected), len(read), len(edges))
    assert survey["dangling"] == len(read - {edge[0] for edge in edges})
    ranks = PageRanks.read_at(crawled.directory / "graph")
    assert ranks.of([fingerprint(keys.get(url) or key(url)) for url in shown]) == pytest.approx(list(shown.values()), abs=1e-4)
    assert list(shown.values()) == sorted(shown.values(), reverse=True)


def test_broken_links_are_counted(crawled: Crawled) -> None:
    survey = json.loads(run_gossamer("graph", crawled.directory, "--json").stdout)
    broken = {one.key for one in finished(crawled.directory) if one.outcome in ("gone", "client_error", "server_error")}
    leading = [edge for edge in exported(crawled.directory) if edge[1] in broken]
    assert leading
    assert (survey["broken_edges"], survey["broken_targets"]) == (len(leading), len({edge[1] for edge in leading}))


def test_inlinks_are_the_pages_that_link_to_a_url_however_it_is_spelled(crawled: Crawled) -> None:
    edges = exported(crawled.directory)
    (target, count), *_ = Counter(edge[1] for edge in edges).most_common(1)
    result = run_gossamer(
        "pages", crawled.directory, "--inlinks", f"{target}{'&' if '?' in target else '?'}utm_source=x#y", "-n", 0, "--json"
    )
    sources = [key(json.loads(line)["source"]) for line in result.stdout.splitlines()]
    assert sorted(sources) == sorted(edge[0] for edge in edges if edge[1] == target)
    assert len(sources) == count
    assert run_gossamer("pages", crawled.directory, "--inlinks", "http://nobody.sim/").stdout == ""


def test_ends_of_edges_are_named_as_they_are_requested(tmp_path: Path) -> None:
    routes = {
        "/": page("/dir/", "/list?b=2&a=1"),
        "/dir/": page("/", title="dir"),
        "/list?b=2&a=1": page("/dir/", title="list"),
    }
    with site_running(routes) as site:
        assert run_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE).returncode == 0
        urls = {site.url(path) for path in routes}
    lines = run_gossamer("export", tmp_path / "crawl", "--to", "jsonl", "-", "--table", "links").stdout.splitlines()
    assert {end for line in lines for end in (json.loads(line)["source"], json.loads(line)["target"])} == urls
    inlinks = run_gossamer("pages", tmp_path / "crawl", "--inlinks", site.url("/dir")).stdout.splitlines()
    assert {line.split("\t")[-1] for line in inlinks} == {site.url(), site.url("/list?b=2&a=1")}
    survey = json.loads(run_gossamer("graph", tmp_path / "crawl", "--json").stdout)
    assert {one["url"] for one in survey["top"]} == urls


def test_a_checkpoint_has_the_graph_and_compacting_keeps_it(crawled: Crawled, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    assert run_gossamer("checkpoint", crawled.directory, copy).returncode == 0
    before = run_gossamer("graph", copy, "--json").stdout
    assert json.loads(before) == json.loads(run_gossamer("graph", crawled.directory, "--json").stdout)
    assert run_gossamer("graph", copy, "--json", "--compact").stdout == before


def test_it_is_looked_at_while_the_crawl_runs(tmp_path: Path) -> None:
    links = [f"/{number}" for number in range(500)]
    with site_running({"/": page(*links), **{link: page("/", title=link) for link in links}}) as site:
        crawl = start_gossamer("crawl", site.url(), "--dir", tmp_path / "crawl", *SITE[2:], "--delay", "0.5")
        try:
            site.wait_for("/0")  # asked for when the links of the first page are durable
            assert site.url() in run_gossamer("export", tmp_path / "crawl", "--to", "csv", "-", "--table", "links").stdout
            edges = exported(tmp_path / "crawl")
            survey = json.loads(run_gossamer("graph", tmp_path / "crawl", "--json").stdout)
            inlinks = run_gossamer("pages", tmp_path / "crawl", "--inlinks", site.url("/7")).stdout
            assert crawl.poll() is None
        finally:
            crawl.send_signal(signal.SIGTERM)
            crawl.communicate(timeout=30)
    assert {(site.url(), site.url(link), "anchor", False) for link in links} <= set(edges)
    assert survey["edges"] >= 500
    assert inlinks == f"anchor\t-\t{site.url()}\n"


def test_killed_and_resumed_it_has_every_edge_of_every_finished_page(tmp_path: Path) -> None:
    with simweb_running(tmp_path, **SHAPE) as web:
        crawl = start_gossamer("crawl", "--dir", tmp_path / "crawl", *QUICK, *web.crawl_options, "--set", "crawl.returns=1000")
        for share in (0.3, 0.7):
            wait_until(web, int(web.expected * share), crawl)
            crawl.kill()
            crawl.communicate()
            crawl = start_gossamer("resume", tmp_path / "crawl", "--quiet")
        _, errors = crawl.communicate(timeout=100)
        assert crawl.returncode == 0, errors
        assert differences(tmp_path / "crawl", web) == []


def wait_until(web: Simweb, requests: int, crawl: "subprocess.Popen[str]") -> None:
    """Return when a crawl has sent so many requests."""
    while web.requests() < requests:
        with suppress(subprocess.TimeoutExpired):
            crawl.wait(0.01)
            raise AssertionError(crawl.communicate())


@pytest.mark.parametrize("call", ["graph.write", "graph.sync"])
def test_a_graph_that_cannot_be_written_ends_the_crawl_with_a_sentence_and_loses_nothing(call: str, tmp_path: Path) -> None:
    with site_running({"/": page("/a", "/b"), "/a": page("/b", title="a"), "/b": page("/", title="b")}) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "crawl", *SITE]
        result = run_faulty({"calls": {call: {"at": 2, "how": "EIO"}}}, *words)
        assert result.returncode == 4 and result.stderr.count("\n") == 1
        assert run_gossamer("resume", tmp_path / "crawl", "--quiet").returncode == 0
    edges = {
        (source.removeprefix(site.url()), target.removeprefix(site.url()))
        for source, target, *_ in exported(tmp_path / "crawl")
    }
    assert edges == {("", "a"), ("", "b"), ("a", "b"), ("b", "")}


def test_a_crawl_without_a_graph_says_so(tmp_path: Path) -> None:
    with site_running({"/": page("/a")}) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "crawl", *SITE, "--set", "storage.graph="]
        assert run_gossamer(*words).returncode == 0
    assert not (tmp_path / "crawl" / "graph").exists()
    result = run_gossamer("graph", tmp_path / "crawl")
    assert result.returncode == 2 and "keeps no link graph" in result.stderr
