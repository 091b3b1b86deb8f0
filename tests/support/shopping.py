"""A crawl of simweb's shop by a script: how it is begun, what it must find, and what it found."""

from pathlib import Path
from typing import Any

from crawling import Simweb

from gossamer.script import open_crawl


def options(place: Path, web: Simweb, script: str) -> list[object]:
    """Write a script and return the words of a crawl with it."""
    (place / "shop.py").write_text(script)
    return ["--dir", place / "crawl", "--script", place / "shop.py", *web.crawl_options, "--quiet"]


def expected(web: Simweb) -> list[dict[str, Any]]:
    """Return the items that the manifest knows, by URL."""
    return sorted((entry["item"] for entry in web.manifest if entry["item"]), key=lambda item: item["url"])


def items(place: Path) -> list[dict[str, Any]]:
    """Return the items that the crawl keeps, by URL."""
    with open_crawl(place / "crawl") as crawl:
        return sorted((item.value for item in crawl.items()), key=lambda item: item["url"])
