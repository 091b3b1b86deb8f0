"""Crawls as Python values: made, run, watched, read and stopped by a program, with and without an event loop."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawling import CLEAN, run_gossamer, start_gossamer
from serving import Site, page, site_running

from gossamer.errors import CrawlError, CrawlInUse, NotACrawl, PluginError, UsageError
from gossamer.script import AsyncCrawl, create_crawl, open_crawl

LOCAL = {"fetch.allow_private": ["127.0.0.0/8"], "politeness.delay": 0}
SCRIPT = """
from gossamer.script import reads

@reads("text/html", "/a")
def title(page):
    yield {"title": page.title}
"""


@pytest.fixture
def site() -> Iterator[Site]:
    routes = {"/": page("/a", "/b", "/gone", title="home"), "/a": page("/", title="first"), "/b": page(title="second")}
    with site_running(routes) as running:
        yield running


def test_a_program_makes_runs_and_reads_a_crawl(tmp_path: Path, site: Site) -> None:
    (tmp_path / "title.py").write_text(SCRIPT)
    with create_crawl(tmp_path / "crawl", [site.url()], scripts=[tmp_path / "title.py"], settings=LOCAL) as crawl:
        assert not crawl.is_running
        summary = crawl.run()
        assert (summary["exit_code"], summary["pages"]) == (0, 3)
        found = {one.url: one for one in crawl.pages(status=200)}
        first = found[site.url("/a")]
        assert (first.title, first.status, first.outcome, first.items) == ("first", 200, "ok", [{"title": "first"}])
        assert first.links == [site.url()] and "<title>first</title>" in first.html and first.fetched_at > 1e9
        assert first.css_first("title").text() == "first" and first.headers["content-type"] == "text/html"
        assert [one.title for one in crawl.pages("second")] == ["second"]
        assert [one.html for one in crawl.pages(status=200, limit=1, content=False)] == [""]
        assert [one.status for one in crawl.pages(outcome="gone")] == [404]
        assert [(item.value, item.url) for item in crawl.items()] == [({"title": "first"}, first.url)]
        assert list(crawl.problems()) == []
        assert crawl.explain(site.url("/gone"))["outcome"] == "gone"
        assert crawl.status()["pages"] == 3
        with pytest.raises(UsageError, match="no outcome 'nice'"):
            list(crawl.pages(outcome="nice"))


async def test_the_same_verbs_work_in_an_event_loop(tmp_path: Path, site: Site) -> None:
    async with await AsyncCrawl.create(tmp_path / "crawl", [site.url()], settings=LOCAL) as crawl:
        assert (await crawl.run({"crawl.max_pages": 1}))["pages"] >= 1
        assert (await crawl.run({"crawl.max_pages": None}))["frontier"]["waiting"] == 0
        assert sorted([one.title async for one in crawl.pages(status=200)]) == ["first", "home", "second"]
        assert (await crawl.explain(site.url("/b")))["outcome"] == "ok"
        assert (await crawl.status())["state"] == "finished"
        assert [item async for item in crawl.items()] == []


def test_a_walk_may_be_left_early_and_a_plain_crawl_used_inside_a_loop(tmp_path: Path, site: Site) -> None:
    async def inside() -> list[str]:
        with create_crawl(tmp_path / "crawl", [site.url()], settings=LOCAL) as crawl:
            crawl.run()
            walk = crawl.pages(status=200)
            first = next(walk).title
            walk.close()
            return [first, next(crawl.pages(status=200)).title]

    titles = asyncio.run(inside())
    assert titles[0] == titles[1]


def slow_site(pages: int = 200) -> dict[str, object]:
    return {"/": page(*[f"/{number}" for number in range(pages)]), **{f"/{number}": page() for number in range(pages)}}


def test_a_crawl_is_read_and_stopped_while_it_runs_and_goes_on_later(tmp_path: Path) -> None:
    with site_running(slow_site()) as site:
        with create_crawl(tmp_path / "crawl", [site.url()], settings={**LOCAL, "politeness.delay": 0.05}) as crawl:
            crawl.start()
            site.wait_for("/3")
            assert crawl.is_running and crawl.status()["state"] == "running"
            assert crawl.explain(site.url("/150"))["state"] == "waiting"
            with pytest.raises(CrawlInUse):
                crawl.start()
            crawl.stop()
            summary = crawl.wait()
            assert summary["exit_code"] == 130 and summary["frontier"]["waiting"] > 100 and not crawl.is_running
        asked = len(site.paths)
        with open_crawl(tmp_path / "crawl") as crawl:
            crawl.start({"crawl.max_pages": asked + 5})
            assert crawl.wait()["exit_code"] == 0
        assert len(site.paths) > asked


def test_a_crawl_that_somebody_else_runs_is_stopped_too(tmp_path: Path) -> None:
    with site_running(slow_site()) as site:
        words = ["crawl", site.url(), "--dir", tmp_path / "crawl", "--delay", "0.05", "--allow-private", "127.0.0.0/8"]
        crawler = start_gossamer(*words, "--quiet")
        site.wait_for("/3")
        with open_crawl(tmp_path / "crawl") as crawl:
            crawl.stop()
            assert not crawl.is_running
        crawler.communicate(timeout=30)
        assert crawler.returncode == 130


LEAVING = """
import sys
from gossamer.script import open_crawl
crawl = open_crawl(sys.argv[1])
crawl.start()
print("started", flush=True)
sys.stdin.read()
"""


def test_a_crawl_ends_with_the_program_that_started_it(tmp_path: Path) -> None:
    with site_running(slow_site()) as site:
        create_crawl(tmp_path / "crawl", [site.url()], settings={**LOCAL, "politeness.delay": 0.05}).__exit__()
        words = [sys.executable, "-c", LEAVING, str(tmp_path / "crawl")]
        with subprocess.Popen(words, env=CLEAN, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None and program.stdout.readline() == "started\n"
            site.wait_for("/3")
            program.kill()
        with open_crawl(tmp_path / "crawl") as crawl:
            end = time.monotonic() + 30
            while crawl.is_running:
                assert time.monotonic() < end, "it outlived the program"
                os.sched_yield()
            assert crawl.status()["state"] == "stopped"


def test_what_is_wrong_is_raised_as_one_sentence(tmp_path: Path, site: Site) -> None:
    with pytest.raises(NotACrawl, match="there is no crawl in"):
        open_crawl(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"politeness\.delai"):
        create_crawl(tmp_path / "crawl", [site.url()], settings={"politeness.delai": 1})
    with pytest.raises(UsageError, match="is no URL"):
        create_crawl(tmp_path / "crawl", ["http://["])
    (tmp_path / "bad.py").write_text("1 / 0\n")
    with pytest.raises(PluginError, match=r"bad\.py, line 1: ZeroDivisionError"):
        create_crawl(tmp_path / "crawl", [site.url()], scripts=[tmp_path / "bad.py"])
    assert not (tmp_path / "crawl").exists()
    with create_crawl(tmp_path / "crawl", [site.url()], settings=LOCAL) as crawl:
        with pytest.raises(CrawlError, match="holds a crawl already"):
            create_crawl(tmp_path / "crawl", [site.url()])
        with pytest.raises(UsageError, match=r"fetch\.max_body"):
            crawl.run({"fetch.max_body": "much"})
        with pytest.raises(UsageError, match="call start first"):
            open_crawl(tmp_path / "crawl").wait()
    assert run_gossamer("status", tmp_path / "crawl").returncode == 0


def test_a_program_watches_what_happens_until_the_crawl_ends(tmp_path: Path, site: Site) -> None:
    with create_crawl(tmp_path / "crawl", [site.url()], settings=LOCAL) as crawl:
        crawl.start()
        events = list(crawl.events())
        assert crawl.wait()["exit_code"] == 0
        seen = {event.said["url"] for event in events if event.kind == "visit"}
        assert {site.url(path) for path in ("/", "/a", "/b", "/gone")} <= seen
        assert list(crawl.events(after=events[-1].id)) == [] and list(crawl.events()) == events


async def test_events_come_while_a_crawl_runs(tmp_path: Path) -> None:
    with site_running(slow_site()) as site:
        knobs = {**LOCAL, "politeness.delay": 0.05}
        async with await AsyncCrawl.create(tmp_path / "crawl", [site.url()], settings=knobs) as crawl:
            await crawl.start()
            visits = 0
            async for event in crawl.events():
                visits += event.kind == "visit"
                if visits == 5:
                    await crawl.stop()
            assert 5 <= visits < 150


def test_a_copy_has_the_content_of_its_original(tmp_path: Path) -> None:
    same = page(title="the same")
    with (
        site_running({"/": page("/one", "/two"), "/one": same, "/two": same}) as site,
        create_crawl(tmp_path / "crawl", [site.url()], settings=LOCAL) as crawl,
    ):
        crawl.run()
        found = {one.url: one for one in crawl.pages()}
    assert {found[site.url(path)].outcome for path in ("/one", "/two")} == {"ok", "duplicate"}
    assert found[site.url("/one")].html == found[site.url("/two")].html != ""
