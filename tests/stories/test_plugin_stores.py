"""Stores that are plugins, made of nothing but the methods of their joints, carry a whole crawl and its upkeep.

They live in memory, so everything happens in this process: the crawl, crawling again, prune, verify, checkpoint, and looking
at what was kept.
"""

import inspect
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import plain_stores
import pytest
from faulting import faults_found
from serving import Site, site_running
from versioning import Round, routes_of

from gossamer.assemble import Crawl
from gossamer.clock import SystemClock
from gossamer.config.load import load
from gossamer.errors import StoreAway
from gossamer.jobs.control import ask
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.graph import compact_graph, inlinks, survey_graph
from gossamer.jobs.prune import prune_crawl
from gossamer.jobs.revisit import Again
from gossamer.jobs.run import run_crawl
from gossamer.jobs.search import find_pages, index_pages, show_page, versions_of
from gossamer.records.pagequery import PageQuery
from gossamer.run.pool import RunEnd
from gossamer.url.parse import parse
from gossamer.watch import pauses
from gossamer.watch.events import Event, Paused, Resumed

STORES = {
    "frontier": "PlainFrontier",
    "kv": "PlainKeyValue",
    "archive": "PlainArchive",
    "catalog": "PlainCatalog",
    "graph": "PlainGraph",
    "chronicle": "PlainChronicle",
}
FLAGS = {
    "frontier.uri": "plain:frontier",
    "storage.kv": "plain://another-machine/state",  # no path at all
    "storage.archive": "plain:archive",
    "storage.catalog": "plain:catalog",
    "storage.graph": "plain:graph",
    "storage.chronicle": "plain:chronicle",
    "politeness.delay": 0,
    "fetch.allow_private": ("127.0.0.0/8",),
    "traps.soft_404": False,
    "score.rank_after": 2,
}
PAGES = {"/", "/always", "/steps", "/never", "/copy"}
ROUNDS = 4


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The stores, installed like any plugin: by their entry points."""
    package = tmp_path_factory.mktemp("package")
    meta = package / "plain-1.0.dist-info"
    meta.mkdir()
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: plain\nVersion: 1.0\n")
    points = [f"[gossamer.{family}]\nplain = plain_stores:{name}\n" for family, name in STORES.items()]
    (meta / "entry_points.txt").write_text("".join(points))
    with pytest.MonkeyPatch.context() as patches:
        patches.syspath_prepend(str(package))
        yield
    plain_stores.STATES.clear()


@pytest.fixture(scope="module")
def site() -> Iterator[tuple[Site, Round]]:
    now = Round()
    with site_running(routes_of(now)) as running:  # type: ignore[arg-type]
        yield running, now


@pytest.fixture(scope="module")
def crawl(installed: None, site: tuple[Site, Round], tmp_path_factory: pytest.TempPathFactory) -> CrawlDirectory:
    """A crawl that was repeated until its pages have versions."""
    settings, (web, now) = load((), FLAGS, {}), site
    place = tmp_path_factory.mktemp("plain") / "crawl"
    directory = CrawlDirectory.create(place, settings, [parse(web.url())], SystemClock().now())
    assert run_crawl(directory, settings, lambda crawl: None).end is RunEnd.FINISHED
    while now.number < ROUNDS:
        now.number += 1
        assert run_crawl(directory, settings, lambda crawl: None, Again()).end is RunEnd.FINISHED
    return directory


def paths(directory: CrawlDirectory) -> set[str]:
    return {page.url.partition("127.0.0.1")[2].partition("/")[2] for page in find_pages(directory)}


def test_it_crawls_all_there_is(crawl: CrawlDirectory, site: tuple[Site, Round]) -> None:
    assert {f"/{path}" for path in paths(crawl)} == PAGES
    told = ask(crawl, "status")
    assert (told["state"], told["pages"], told["frontier"]["done"]) == ("finished", len(PAGES), len(PAGES))
    assert {file.name for file in crawl.path.iterdir()} <= set(CrawlDirectory.FILES), "something of ours was written"
    assert plain_stores.STATES["plain://another-machine/state"], "the store without a path holds nothing"


def test_ranks_follow_while_it_runs_and_afterwards(crawl: CrawlDirectory, site: tuple[Site, Round]) -> None:
    graph = plain_stores.STATES[str(crawl.path / "graph")]
    assert graph["times"] and graph["ranks"], "nothing was ranked while the crawl ran"
    web, _ = site
    assert {edge.source for edge in inlinks(crawl, web.url("/always"))} == {web.url("/")}
    compact_graph(crawl)
    assert survey_graph(crawl, 3).pages == len(PAGES) and graph["ranked"] == 0, "`graph` does not keep its ranks"


def test_its_text_is_indexed_and_shown(crawl: CrawlDirectory, site: tuple[Site, Round]) -> None:
    web, _ = site
    assert sum(index_pages(crawl)) > 0
    assert [page.url for page in find_pages(crawl, PageQuery(words="never1word7"))] == [web.url("/never")]
    assert f"always {ROUNDS}" in show_page(crawl, web.url("/always")).text


def test_verify_finds_no_fault(crawl: CrawlDirectory) -> None:
    assert faults_found(crawl.path) == []


def test_verify_finds_what_is_missing(crawl: CrawlDirectory) -> None:
    files, _ = plain_stores.STATES[str(crawl.path / "archive")]
    file = max(files)
    lost = files.pop(file)
    try:
        assert any("is no record of this archive" in fault for fault in faults_found(crawl.path))
    finally:
        files[file] = lost


def test_prune_takes_old_versions_out_and_what_stays_is_whole(crawl: CrawlDirectory, site: tuple[Site, Round]) -> None:
    web, _ = site
    assert len(versions_of(crawl, web.url("/always"))) == ROUNDS
    weighed = prune_crawl(crawl, 2, True, lambda done, total: None)
    pruned = prune_crawl(crawl, 2, False, lambda done, total: None)
    assert pruned == weighed and pruned.captures >= 1 and pruned.bytes > 0
    assert len(versions_of(crawl, web.url("/always"))) < ROUNDS
    assert faults_found(crawl.path) == []
    assert prune_crawl(crawl, 2, False, lambda done, total: None).captures == 0


def test_a_checkpoint_is_a_crawl(crawl: CrawlDirectory, tmp_path: Path) -> None:
    copy = CrawlDirectory(Path(ask(crawl, "checkpoint", target=str(tmp_path / "copy"))))
    kept = {"frontier", "kv", "archive", "catalog", "graph", "chronicle"}
    assert kept == {file.name for file in (tmp_path / "copy").iterdir() if file.is_dir()}
    assert paths(copy) == paths(crawl) and faults_found(copy.path) == []
    assert run_crawl(copy, copy.settings(), lambda crawl: None, Again()).end is RunEnd.FINISHED
    assert faults_found(copy.path) == []


def test_a_crawl_waits_for_stores_that_are_away_and_goes_on_by_itself(
    installed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pauses, "AWAY_WAIT", 0.0)
    chance, asked = Random(7), Counter[str]()

    def failing(name: str, method: Any) -> Any:
        async def ask(self: object, *words: Any, **named: Any) -> Any:
            if crawling and chance.random() < 0.4:
                asked[name] += 1
                raise StoreAway(f"{name} cannot be reached; it is tried again")
            return await method(self, *words, **named)

        return ask

    for store in STORES.values():
        chosen = getattr(plain_stores, store)
        for name, method in inspect.getmembers(chosen, inspect.iscoroutinefunction):
            if not name.startswith("_") and name not in ("open", "exists", "aclose", "renew"):
                monkeypatch.setattr(chosen, name, failing(f"{store}.{name}", method))
    elsewhere = {knob: "plain://far" + uri.partition(":")[2] for knob, uri in FLAGS.items() if "plain:" in str(uri)}
    settings, heard, crawling = load((), {**FLAGS, **elsewhere}, {}), list[Event](), False

    def watch(crawl: Crawl) -> None:
        nonlocal crawling
        crawling = True
        crawl.events.subscribe(heard.append)

    with site_running(routes_of(Round())) as web:  # type: ignore[arg-type]
        directory = CrawlDirectory.create(tmp_path / "crawl", settings, [parse(web.url())], SystemClock().now())
        summary = run_crawl(directory, settings, watch)
        crawling = False
        assert (summary.end, summary.bugs) == (RunEnd.FINISHED, 0)
        assert {f"/{path}" for path in paths(directory)} == PAGES == set(web.paths)
    assert {"PlainArchive.append", "PlainFrontier.lease", "PlainFrontier.settle", "PlainCatalog.add"} <= asked.keys(), asked
    paused, resumed = ([type(event) for event in heard].count(kind) for kind in (Paused, Resumed))
    assert 0 < paused == resumed, "it was not said that the crawl waits, or not that it goes on"
    assert faults_found(directory.path) == []
