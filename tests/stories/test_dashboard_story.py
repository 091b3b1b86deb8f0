"""One story in the browser, without the command line: a crawl is begun, watched, steered, understood, stopped and begun again.

The web's own ledger is the witness of what was steered; `gossamer verify` is asked at the end whether the crawl is whole.
"""

import os
import signal
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest
from browsing import chromium, log_in, looking, needs_chromium, show, until
from crawling import Simweb, run_gossamer, simweb_running
from doors import Door, serving
from playwright.sync_api import Page

pytestmark = needs_chromium
JOB = "story"
DELAY = 0.1
SLOWER = 2.0  # seconds between two requests, once an operator wants it so
ELSEWHERE = "http://elsewhere.example/"
LET = [word for name in ("fetch.allow_private", "dns.overrides") for word in ("--let", name)]


def begin(page: Page, door: Door, seeds: list[str]) -> None:
    """Fill in the form of a new crawl, look at a dry run, and start."""
    show(page, door, "new")
    page.fill("[name=seeds]", "\n".join(seeds))
    page.fill("[name=name]", JOB)
    page.fill("[name='crawl.contact']", "https://example.org/bot")
    page.fill("[name='politeness.delay']", str(DELAY))
    page.click("summary >> text=Everything else")
    for section, name, value in (("dns", "dns.overrides", "*.sim:127.0.0.1"), ("fetch", "fetch.allow_private", "127.0.0.0/8")):
        page.click(f".sections summary:has-text('{section}')")
        page.fill(f"[name='{name}']", value)
    page.click("button >> text=Dry run")
    page.wait_for_selector("h2 >> text=Dry run", timeout=60_000)
    page.wait_for_selector("main >> text=would be fetched")
    page.click("button >> text=Start the crawl")
    page.wait_for_url(f"**#/overview?job={JOB}")


def number(page: Page, tile: str) -> int:
    """Return the number of a tile."""
    text = page.locator(f".tile:has(.name:text-is('{tile}')) .value").inner_text()
    return int(text.replace(",", "")) if text.replace(",", "").isdigit() else 0


def asked(web: Simweb, host: str) -> list[float]:
    """Return when a host was asked."""
    return [seen["start"] for seen in web.ledger() if seen["host"].split(":")[0] == host]


@pytest.mark.skipif(
    "GOSSAMER_SOAK_DASHBOARD" not in os.environ,
    reason="NOT JUDGED: the story in the browser waits for a trap that is not always learned in time; make soak runs it",
)
@pytest.mark.timeout(240)
def test_a_crawl_is_begun_watched_steered_understood_stopped_and_begun_again_in_the_browser(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with simweb_running(tmp_path, hosts=8, pages=2000, mazes="calendar") as web, chromium() as browser:
        seeds = web.seeds.read_text().split()
        with serving(home, *LET) as door, looking(browser, door) as (context, noted):
            page = log_in(context, door)
            begin(page, door, seeds)
            _watch(page)
            host = _busiest(page, door)
            _pause_and_slow(page, door, web, host)
            _explain_what_was_refused(page, door, web)
            _search_and_look(page, door)
            _overrule_a_trap(page, door)
            show(page, door, f"jobs?job={JOB}")
            page.click("button >> text=Stop")
            page.click("button >> text=are you sure")
            page.wait_for_selector("article .mark:text-is('stopped')")
            page.click("button >> text=Start")
            page.wait_for_selector("article .mark:text-is('running')")
            assert noted.foreign == [] and noted.said == []
            _kill_everything(door, home)
        with serving(home, *LET) as door, looking(browser, door) as (context, noted):
            page = log_in(context, door, f"overview?job={JOB}")
            page.wait_for_selector("header .mark:text-is('running')")
            kept = number(page, "pages kept")
            until(page, lambda: number(page, "pages kept") > kept, "it goes on after everything was killed")
            assert number(page, "too soon for a host") == 0
            show(page, door, f"jobs?job={JOB}")
            page.click("button >> text=Stop")
            page.click("button >> text=are you sure")
            page.wait_for_selector("article .mark:text-is('stopped')")
            assert door.get(f"api/v1/stats?job={JOB}")[1]["politeness_violations"] == 0
    _end(_holders(home), signal.SIGTERM)  # a keeper answers for a while still
    verified = run_gossamer("verify", home / JOB)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def _watch(page: Page) -> None:
    page.wait_for_selector("main .tiles", timeout=60_000)  # a process is started first
    until(page, lambda: number(page, "pages kept") > 20, "pages come")
    kept = number(page, "pages kept")
    until(page, lambda: number(page, "pages kept") > kept, "and more of them")


def _busiest(page: Page, door: Door) -> str:
    show(page, door, f"hosts?job={JOB}")
    named = page.locator("main [data-row] a").all_inner_texts()
    return next(name for name in named if "maze" not in name)  # a maze that is slowed teaches nothing in time


def _pause_and_slow(page: Page, door: Door, web: Simweb, host: str) -> None:
    """Pause a host, see that nobody asks it, resume it with a longer delay, see that in the ledger."""
    show(page, door, f"host/{quote(host)}?job={JOB}")
    page.click("main button >> text=Pause")
    page.wait_for_selector("main button >> text=Resume")
    until(page, lambda: door.get(f"api/v1/domains/{host}?job={JOB}")[1]["leased"] == 0, "what was under way has ended")
    before = asked(web, host)
    page.wait_for_timeout(10 * DELAY * 1000)  # ten turns that it does not get
    assert asked(web, host) == before
    page.fill("[name=max_qps]", str(1 / SLOWER))
    page.click("main button >> text=Save the policy")
    page.wait_for_selector("main >> text=saved")
    page.click("main button >> text=Resume")
    until(page, lambda: len(asked(web, host)) >= len(before) + 3, "it is asked again")
    later = asked(web, host)[len(before) :]
    gaps = [second - first for first, second in pairwise(later)]
    assert min(gaps) >= SLOWER - 0.01, gaps


def _explain_what_was_refused(page: Page, door: Door, web: Simweb) -> None:
    """Ask why robots.txt refuses a URL; whether it was found already or not, the rule is told."""
    url = next(entry["url"] for entry in web.manifest if entry["outcome"] == "robots_denied" and "/private/" in entry["url"])
    for asked_for, decides, said in (
        (url, "robots.txt: denied", "disallow: /private/"),
        (ELSEWHERE, "What would happen", "scope.within"),
    ):
        show(page, door, f"explain?job={JOB}")
        page.fill("main [data-search]", asked_for)
        page.keyboard.press("Enter")
        page.wait_for_selector(f".path h2:text-is('{decides}')")
        assert said in page.inner_text(".path")


def _search_and_look(page: Page, door: Door) -> None:
    title = door.get(f"api/v1/pages?outcome=ok&mime=text/html&limit=1&job={JOB}")[1]["items"][0]["title"]
    show(page, door, f"pages?job={JOB}")
    page.fill("main [data-search]", title.split()[0])
    page.keyboard.press("Enter")
    page.wait_for_url("**q=**")
    page.locator("main [data-row] a").first.click()
    page.wait_for_selector("pre.text")
    assert title.split()[0].lower() in page.inner_text("main").lower()
    page.click("main .tabs >> text=Page")
    frame = page.frame_locator("iframe")
    assert frame.locator("body").inner_text().strip()


def _overrule_a_trap(page: Page, door: Door) -> None:
    """Find the calendar among the traps, and allow it."""

    def found() -> list[str]:
        lessons = door.get(f"api/v1/lessons?in_force=true&kind=template&limit=50&job={JOB}")[1]["items"]
        return [one["name"] for one in lessons if one["host"].startswith("calendar")]

    until(page, lambda: bool(found()), "the calendar is known as a trap", 60)
    name = found()[0]
    show(page, door, f"traps?kind=template&all=yes&host=calendar.maze.sim&job={JOB}")
    lesson = page.locator("article.lesson").filter(has=page.locator(f'bdi:text-is("{name}")')).first
    lesson.locator("button >> text=Allow").click()
    page.wait_for_selector("article.lesson >> text=an operator allows it")
    rulings = door.get(f"api/v1/lessons?kind=template&limit=50&job={JOB}&host=calendar.maze.sim")[1]["items"]
    assert "allow" in {one["ruling"] for one in rulings}


def _kill_everything(door: Door, home: Path) -> None:
    """Kill the server and every process of the crawl, without a word."""
    door.process.kill()
    door.process.wait(10)
    _end(_holders(home), signal.SIGKILL)


def _end(pids: list[int], how: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, how)
    deadline = time.monotonic() + 20
    while any(_lives(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)


def _holders(home: Path) -> list[int]:
    """Return the processes that work in a home, found by their command line."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if str(home / JOB).encode() in words:
            found.append(int(place.name))
    return found


def _lives(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]
    except OSError:
        return False
