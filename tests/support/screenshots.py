"""Take a picture of every page of the dashboard over a real crawl, light and dark, for the documentation.

    python tests/support/screenshots.py [--into DIRECTORY] [--only NAME]

The crawl is one of simweb that runs meanwhile. Pictures have 1280 x 800 points and are WebP.
"""

import argparse
import base64
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from browsing import Theme, chromium, every_page, log_in, looking, show
from crawling import simweb_running, start_gossamer
from doors import Door, serving
from playwright.sync_api import Page

ASSETS = Path(__file__).parents[2] / "docs" / "assets" / "dashboard"
QUALITY = 70
BEGINNING = 60.0  # seconds of the crawl before the first picture
SEEN = 2_500.0  # milliseconds that a live page has to fill


@contextmanager
def crawled(place: Path, seconds: float) -> Iterator[Door]:
    """Serve a crawl that runs, once it has run for a while."""
    (place / "home").mkdir()
    with simweb_running(place, hosts=30, pages=6_000, mazes="calendar,session-query,soft404,printer") as web:
        directory = place / "home" / "autumn"
        options = [*web.crawl_options, "--delay", "0.4", "--workers", "2", "--contact", "https://example.org/bot", "--quiet"]
        crawl = start_gossamer("crawl", "--dir", directory, *options)
        try:
            deadline = time.monotonic() + 30
            while not (directory / "pulse.jsonl").exists() and time.monotonic() < deadline:
                time.sleep(0.1)
            time.sleep(seconds)
            with serving(place / "home") as door:
                yield door
        finally:
            crawl.terminate()
            crawl.wait(30)


def picture(page: Page) -> bytes:
    """Return what the window shows, as WebP."""
    session = page.context.new_cdp_session(page)
    try:
        told = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    finally:
        session.detach()
    return base64.b64decode(told["data"])


def take(door: Door, into: Path, only: str = "") -> list[Path]:
    """Take the pictures; return where they are."""
    into.mkdir(parents=True, exist_ok=True)
    taken = []
    themes: tuple[Theme, ...] = ("light", "dark")
    addresses = {name: address for name, address in every_page(door).items() if only in ("", name)}
    with chromium() as browser:
        for theme in themes:
            with looking(browser, door, theme=theme) as (context, _):
                page = log_in(context, door)
                for name, address in addresses.items():
                    show(page, door, address)
                    page.wait_for_timeout(SEEN if name in ("overview", "events") else 500)
                    path = into / f"{name}-{theme}.webp"
                    path.write_bytes(picture(page))
                    taken.append(path)
    return taken


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=ASSETS)
    parser.add_argument("--only", default="", help="one page, by name")
    parser.add_argument("--seconds", type=float, default=BEGINNING, help="that the crawl runs before")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, crawled(Path(place), options.seconds) as door:
        for path in take(door, options.into, options.only):
            sys.stdout.write(f"{path.name} {path.stat().st_size}\n")


if __name__ == "__main__":
    main()
