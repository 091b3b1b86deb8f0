"""The shop of the synthetic web: ten lines of script find all its items."""

import json
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from crawling import CLEAN, outcomes_of, run_gossamer, simweb_running, wrong_outcomes
from shopping import expected, items, options

README = (Path(__file__).parents[2] / "README.md").read_text()
SHOP, LOOK = re.findall(r"(?ms)^```python\n(# shop\.py.*?)(# look\.py.*?)^```", README)[0]  # as printed


@pytest.mark.parametrize("workers", [1, 2])
def test_the_ten_line_script_finds_every_item_of_the_shop(tmp_path: Path, workers: int) -> None:
    with simweb_running(tmp_path, hosts=1, pages=1, plain=True, shop=150) as web:
        result = run_gossamer("crawl", *options(tmp_path, web, SHOP), "--delay", "0", "--workers", workers)
        assert result.returncode == 0, result.stderr
        assert wrong_outcomes(web, outcomes_of(tmp_path / "crawl", web)) == []
    assert len(expected(web)) == 150 and items(tmp_path) == expected(web)


def test_the_readmes_scripts_work_as_printed(tmp_path: Path) -> None:
    with simweb_running(tmp_path, hosts=1, pages=1, plain=True, shop=20) as web:
        result = run_gossamer("crawl", *options(tmp_path, web, SHOP), "--delay", "0")
        assert result.returncode == 0, result.stderr
    (tmp_path / "crawl").rename(tmp_path / "shop.crawl")
    (tmp_path / "look.py").write_text(LOOK.replace("shop.test", "shop.sim"))
    looked = subprocess.run([sys.executable, "look.py"], cwd=tmp_path, env=CLEAN, capture_output=True, text=True, check=True)
    for item in expected(web):
        assert f"{item['url']} {item['name']} {item['name']}\nIt costs {item['price']} EUR." in looked.stdout


def test_items_are_exported_as_their_reader_yielded_them(tmp_path: Path) -> None:
    with simweb_running(tmp_path, hosts=1, pages=1, plain=True, shop=40) as web:
        result = run_gossamer("crawl", *options(tmp_path, web, SHOP), "--delay", "0")
        assert result.returncode == 0, result.stderr
    lines = run_gossamer("export", tmp_path / "crawl", "-", "--to", "jsonl", "--table", "items").stdout.splitlines()
    assert sorted(map(json.loads, lines), key=lambda item: item["url"]) == expected(web)
    assert (
        run_gossamer("export", tmp_path / "crawl", tmp_path / "items.parquet", "--to", "parquet", "--table", "items").returncode
        == 0
    )
    rows = duckdb.sql(f"SELECT url, url_host_name, reader, item FROM '{tmp_path / 'items.parquet'}' ORDER BY url").fetchall()
    assert [(row[0], *row[1:3], json.loads(row[3])) for row in rows] == [
        (item["url"], "shop.sim", "item", item) for item in expected(web)
    ]
    refused = run_gossamer("export", tmp_path / "crawl", "-", "teapot", "--to", "jsonl", "--table", "items")
    assert refused.returncode == 2 and "--host" in refused.stderr
