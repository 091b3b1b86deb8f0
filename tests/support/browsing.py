"""A real browser before the dashboard: Debian's Chromium, headless, with everything noted that a page does.

What it asked for, what its console said and what its policy refused are the witnesses: nothing between browser and server is
made up. Chromium is installed by `make witnesses`; without it these tests are skipped, and the end of `make test` says so.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote, urlsplit

import pytest
import witnesses
from doors import Door
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

FLAGS = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
]
PATIENCE = 20_000.0  # milliseconds
Theme = Literal["light", "dark"]

needs_chromium = pytest.mark.skipif(
    witnesses.CHROMIUM.path is None, reason=witnesses.not_judged(witnesses.missing((witnesses.CHROMIUM,)))
)
needs_axe = pytest.mark.skipif(
    bool(witnesses.missing((witnesses.CHROMIUM, witnesses.AXE))),
    reason=witnesses.not_judged(witnesses.missing((witnesses.CHROMIUM, witnesses.AXE))),
)


@dataclass
class Noted:
    """What pages did while they were watched."""

    origin: str
    asked: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)  # requests that a policy did not let out
    said: list[str] = field(default_factory=list)  # warnings and errors of the console, and exceptions nobody caught

    @property
    def foreign(self) -> list[str]:
        """Requests that went elsewhere; those that a policy stopped did not."""
        ours = (f"{self.origin}/", "data:image/svg")
        return [url for url in self.asked if not url.startswith(ours) and url not in self.stopped]

    def streams(self) -> int:
        """How many live streams were opened."""
        return sum(urlsplit(url).path == "/api/v1/events" for url in self.asked)


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """Start a browser for a while."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(witnesses.CHROMIUM.path), args=[*FLAGS, *flags])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def looking(
    browser: Browser, door: Door, width: int = 1280, height: int = 800, theme: Theme = "light"
) -> Iterator[tuple[BrowserContext, Noted]]:
    """Open a profile of its own, whose pages are watched."""
    noted = Noted(door.url.rstrip("/"))
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme, locale="en-GB")
    context.set_default_timeout(PATIENCE)
    context.on("request", lambda request: noted.asked.append(request.url))
    context.on("requestfailed", lambda request: _stop(noted, request))
    context.on("console", lambda message: _note(noted, message))
    context.on("weberror", lambda error: noted.said.append(str(error.error)))
    try:
        yield context, noted
    finally:
        context.close()


def _stop(noted: Noted, request: Request) -> None:
    if request.failure and "csp" in request.failure.lower():
        noted.stopped.append(request.url)


def _note(noted: Noted, message: ConsoleMessage) -> None:
    if message.type in ("error", "warning"):
        noted.said.append(f"{message.text} {message.location.get('url', '')}")


def log_in(context: BrowserContext, door: Door, where: str = "") -> Page:
    """Open the address that the server prints; `where` is the page it leads to."""
    page = context.new_page()
    page.goto(f"{door.url}#token={door.token}")
    page.wait_for_selector("main h1")
    if where:
        show(page, door, where)
    return page


def show(page: Page, door: Door, where: str) -> None:
    """Go to a page of the dashboard, and wait until it has what it shows."""
    page.goto(f"{door.url}#/{where}")
    page.wait_for_selector("main h1")
    page.wait_for_selector("main .loading", state="detached")


def every_page(door: Door, job: str = "") -> dict[str, str]:
    """Return the address of every page of the dashboard over a crawl, each with something to show."""
    which = f"&job={job}" if job else ""
    pages = door.get(f"api/v1/pages?limit=200{which}")[1]["items"]
    kept = next(page for page in pages if page["outcome"] == "ok")
    denied = door.get(f"api/v1/pages?limit=1&outcome=robots_denied{which}")[1]["items"]
    refused = denied[0] if denied else kept
    place = f"page/{kept['id']}"
    found = {
        "overview": "overview?",
        "crawls": "jobs?",
        "new-crawl": "new?",
        "hosts": "hosts?order=name",
        "host": f"host/{quote(kept['host'], safe='')}?",
        "pages": f"pages?q={quote(str(kept['title']).split(' ')[0])}" if kept["title"] else "pages?",
        "page": f"{place}?",
        "page-headers": f"{place}?view=head",
        "page-preview": f"{place}?view=page",
        "page-versions": f"{place}?view=versions",
        "page-links": f"{place}?view=links",
        "page-near": f"{place}?view=near",
        "explain": f"explain?url={quote(refused['url'], safe='')}",
        "traps": "traps?all=yes",
        "links": f"graph?id={kept['id']}",
        "workers": "workers?",
        "events": "events?",
        "audit": "audit?",
        "settings": "settings?",
        "tokens": "settings?view=tokens",
    }
    return {name: address + which if which else address.rstrip("?") for name, address in found.items()}


def until(page: Page, is_so: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
    """Wait until something is so; the page goes on meanwhile."""
    for _ in range(int(seconds * 10)):
        if is_so():
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"it was not so after {seconds:g} s: {what}")


def inject(page: Page, script: str) -> Any:
    """Run a script beside the page over CDP, which its own policy does not stop; return what it comes to."""
    session = page.context.new_cdp_session(page)
    try:
        told = session.send("Runtime.evaluate", {"expression": script, "awaitPromise": True, "returnByValue": True})
    finally:
        session.detach()
    assert "exceptionDetails" not in told, told
    return told["result"].get("value")
