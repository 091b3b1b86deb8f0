"""The shop of the synthetic web: ten lines of script find all its items."""

from pathlib import Path
from typing import Any

import pytest
from crawling import Simweb, outcomes_of, run_gossamer, simweb_running, wrong_outcomes

from gossamer.script import open_crawl

SCRIPT = """\
from gossamer.script import reads

@reads("text/html", r"/item/\\d+")
def item(page):
    yield {"url": page.url, "name": page.css_first("h1").text(), "price": page.css_first(".price").text()}
"""


def options(place: Path, web: Simweb) -> list[object]:
    (place / "shop.py").write_text(SCRIPT)
    return ["--dir", place / "crawl", "--script", place / "shop.py", *web.crawl_options, "--quiet"]


def expected(web: Simweb) -> list[dict[str, Any]]:
    return sorted((entry["item"] for entry in web.manifest if entry["item"]), key=lambda item: item["url"])


def items(place: Path) -> list[dict[str, Any]]:
    with open_crawl(place / "crawl") as crawl:
        return sorted((item.value for item in crawl.items()), key=lambda item: item["url"])


@pytest.mark.parametrize("workers", [1, 2])
def test_the_ten_line_script_finds_every_item_of_the_shop(tmp_path: Path, workers: int) -> None:
    with simweb_running(tmp_path, hosts=1, pages=1, plain=True, shop=150) as web:
        result = run_gossamer("crawl", *options(tmp_path, web), "--delay", "0", "--workers", workers)
        assert result.returncode == 0, result.stderr
        assert wrong_outcomes(web, outcomes_of(tmp_path / "crawl", web)) == []
    assert len(expected(web)) == 150 and items(tmp_path) == expected(web)
