"""The dashboard in a real browser over a real crawl: who is let in, how it is steered by keys, what twelve tabs cost.

The story of a whole crawl is in `test_dashboard_story.py`, hostile words in `test_dashboard_hostile.py`.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import witnesses
from browsing import chromium, every_page, inject, log_in, looking, needs_axe, needs_chromium, show, until
from crawling import run_gossamer, simweb_running
from doors import Door, serving
from playwright.sync_api import Browser

pytestmark = needs_chromium
SOAK = bool(os.environ.get("GOSSAMER_SOAK_DASHBOARD"))
TABS = 12
# One crawl, each page once: the widths and colours take turns, so that every one of them is seen. All of them in the soak.
LOOKS = [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for all tests of this file."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """A server beside two crawls that have ended."""
    place = tmp_path_factory.mktemp("seen")
    with simweb_running(place, hosts=4, pages=60) as web:
        run = run_gossamer("crawl", "--dir", place / "home" / "autumn", *web.crawl_options, "--delay", "0", "--quiet")
        assert run.returncode == 0, run.stderr
    shutil.copytree(place / "home" / "autumn", place / "home" / "winter")  # who copies the directory has copied the crawl
    with serving(place / "home") as started:
        yield started


def test_the_printed_address_logs_in_and_its_token_is_seen_nowhere_afterwards(browser: Browser, door: Door) -> None:
    with looking(browser, door) as (context, noted):
        page = log_in(context, door)
        assert door.token not in page.url and door.token not in page.content()
        assert not any(door.token in url for url in noted.asked)
        (cookie,) = context.cookies()
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
        page.click("text=Log out")
        page.wait_for_selector("input[name=token]")
        assert noted.said == []


def test_a_link_into_the_dashboard_leads_there_after_the_login(browser: Browser, door: Door) -> None:
    with looking(browser, door) as (context, _):
        page = context.new_page()
        page.goto(f"{door.url}#/pages?outcome=ok&job=winter")
        page.fill("input[name=token]", "wrong")
        page.click("button >> text=Log in")
        page.wait_for_selector("[role=alert]")
        page.fill("input[name=token]", door.token)
        page.click("button >> text=Log in")
        page.wait_for_selector("main table.rows tbody tr")
        assert page.url.endswith("#/pages?outcome=ok&job=winter")
        assert set(page.locator("main td .mark").all_inner_texts()) == {"ok"}


def test_of_several_crawls_one_is_chosen_and_stays_chosen_from_page_to_page(browser: Browser, door: Door) -> None:
    with looking(browser, door) as (context, _):
        page = log_in(context, door)
        page.click("main >> text=winter")
        page.wait_for_selector("main .tiles")
        page.click("nav.side >> text=Hosts")
        page.wait_for_selector("main table.rows")
        assert "job=winter" in page.url


def test_keys_lead_to_pages_rows_the_search_and_their_own_list(browser: Browser, door: Door) -> None:
    with looking(browser, door) as (context, _):
        page = log_in(context, door, "overview?job=autumn")
        page.keyboard.press("g")
        page.keyboard.press("h")
        page.wait_for_selector("main table.rows [data-row]")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("k")
        assert page.locator("main [data-row]").nth(0).get_attribute("class") == "chosen"
        page.keyboard.press("Enter")
        page.wait_for_url("**#/host/**")
        page.keyboard.press("/")
        page.wait_for_url("**#/pages**")
        page.keyboard.press("p")
        page.wait_for_selector("header >> text=Go on")
        page.keyboard.press("?")
        page.wait_for_selector("dialog[open]")


def test_twelve_tabs_are_live_on_one_stream_and_another_leads_when_the_leader_goes(browser: Browser, door: Door) -> None:
    with looking(browser, door) as (context, noted):
        tabs = [log_in(context, door, "overview?job=autumn")]
        while len(tabs) < TABS:
            tabs.append(context.new_page())
            tabs[-1].goto(f"{door.url}#/overview?job=autumn")
        for tab in tabs:
            tab.wait_for_selector("main .tiles")
        assert noted.streams() == 1
        assert tabs[0].locator("header [data-by=leads]").count() == 1
        tabs[0].close()
        until(tabs[1], lambda: noted.streams() == 2, "another tab streams")
        until(tabs[1], lambda: sum(tab.locator("header [data-by=leads]").count() for tab in tabs[1:]) == 1, "one tab leads")


@needs_axe
@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_no_page_has_a_serious_fault_for_those_who_see_hear_or_type_otherwise(
    browser: Browser, door: Door, width: int, theme: str
) -> None:
    assert witnesses.AXE.path is not None
    axe = witnesses.AXE.path.read_text()
    addresses = list(every_page(door, "autumn").items())
    chosen = addresses if SOAK else addresses[LOOKS.index((width, theme)) % 2 :: 2]
    with looking(browser, door, width, theme=theme) as (context, noted):  # type: ignore[arg-type]
        page = log_in(context, door)
        inject(page, axe)
        for name, address in chosen:
            show(page, door, address)
            found = inject(page, "axe.run({resultTypes: ['violations']}).then(({violations}) => violations)")
            grave = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
            assert grave == [], (name, width, theme)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is wider than the window"
        assert noted.said == []


def test_the_first_rows_are_there_within_a_second(browser: Browser, door: Door) -> None:
    with looking(browser, door) as (context, noted):
        page = log_in(context, door, "hosts?job=autumn")
        page.reload()
        page.wait_for_selector("main table.rows tbody tr")
        seconds = page.evaluate("performance.now()") / 1000
        assert seconds < (3 if not SOAK else 1), seconds  # the machine of a test may be busy
        assert noted.foreign == []


def test_a_crawl_that_was_served_is_whole(door: Door, tmp_path: Path) -> None:
    status, told = door.get("api/v1/audit/proof?job=autumn")
    assert status == 200 and told["blocks"] > 0 and told["problems"] == []
    status, links = door.get("api/v1/graph/hosts?job=autumn")
    assert status == 200 and len(links["hosts"]) >= 4 and links["is_whole"]
    assert sum(one["links"] for one in links["links"]) > 50
