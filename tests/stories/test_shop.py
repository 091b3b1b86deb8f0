"""The shop of the synthetic web: ten lines of script find all its items."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from crawling import CLEAN, Simweb, outcomes_of, run_gossamer, simweb_running, wrong_outcomes

from gossamer.script import open_crawl

README = (Path(__file__).parents[2] / "README.md").read_text()
SHOP, LOOK = re.findall(r"(?ms)^```python\n(# shop\.py.*?)(# look\.py.*?)^```", README)[0]  # as printed


def options(place: Path, web: Simweb) -> list[object]:
    (place / "shop.py").write_text(SHOP)
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


def test_the_readmes_scripts_work_as_printed(tmp_path: Path) -> None:
    with simweb_running(tmp_path, hosts=1, pages=1, plain=True, shop=20) as web:
        result = run_gossamer("crawl", *options(tmp_path, web), "--delay", "0")
        assert result.returncode == 0, result.stderr
    (tmp_path / "crawl").rename(tmp_path / "shop.crawl")
    (tmp_path / "look.py").write_text(LOOK.replace("shop.test", "shop.sim"))
    looked = subprocess.run([sys.executable, "look.py"], cwd=tmp_path, env=CLEAN, capture_output=True, text=True, check=True)
    for item in expected(web):
        assert f"{item['url']} {item['name']} {item['name']}\nIt costs {item['price']} EUR." in looked.stdout
