"""Readers of a script: items and links out of pages, exactly once a version; what goes wrong in them costs no page."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crawling import run_gossamer
from serving import Answer, Site, site_running

QUICK = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet"]
SHOP = """
from gossamer.script import reads

@reads("text/html", r"/item/\\d+")
def item(page):
    yield {"url": page.url, "name": page.css_first("h1").text(), "price": page.css_first(".price").text()}
"""


def thing(number: int, price: str = "", *links: str) -> Answer:
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    words = " ".join(f"word{number}x{place}" for place in range(60))
    markup = f'<title>{number}</title><h1>Thing {number}</h1><p class="price">{price or number}</p>{words}{anchors}'
    return 200, {"content-type": "text/html"}, markup.encode()


def shop(things: int = 5) -> dict[str, Any]:
    items = [f"/item/{number}" for number in range(things)]
    front = "".join(f'<a href="{path}">{path}</a>' for path in items)
    return {"/": (200, {"content-type": "text/html"}, front.encode()), **{p: thing(n) for n, p in enumerate(items)}}


@pytest.fixture
def site() -> Iterator[Site]:
    with site_running(shop()) as running:
        yield running


def crawl(place: Path, site: Site, script: str, *options: object, code: int = 0) -> Any:
    """Crawl a site with a script; return what the command came to."""
    file = place / "shop.py"
    file.write_text(script)
    result = run_gossamer("crawl", site.url(), "--dir", place / "crawl", "--script", file, *QUICK, *options)
    assert result.returncode == code, result.stderr
    return result


def items(place: Path) -> list[dict[str, Any]]:
    """Return the items of a crawl, in the order of their numbers."""
    from gossamer.script import open_crawl

    with open_crawl(place / "crawl") as opened:
        return [item.value for item in opened.items()]


def problems(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run_gossamer("problems", place / "crawl", "--json").stdout.splitlines()]


def pages(place: Path) -> dict[str, str]:
    lines = run_gossamer("pages", place / "crawl", "--json", "-n", "0").stdout.splitlines()
    return {page["url"]: page["outcome"] for page in map(json.loads, lines)}


def test_a_reader_finds_items_on_the_pages_it_wants(tmp_path: Path, site: Site) -> None:
    crawl(tmp_path, site, SHOP)
    wanted = [{"url": site.url(f"/item/{number}"), "name": f"Thing {number}", "price": str(number)} for number in range(5)]
    assert sorted(items(tmp_path), key=lambda item: item["url"]) == wanted
    assert problems(tmp_path) == []
