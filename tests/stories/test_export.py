"""What a crawl keeps, in the formats of others, judged by other readers and by what the synthetic web says."""

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars
import pytest
from crawling import Crawled, run_gossamer, simweb_running
from faulting import QUICK

from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.search import find_pages
from gossamer.records.page import Page

SHAPE = {"hosts": 8, "pages": 100, "seed": 7}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """Crawl 8 hosts once for all tests of this file."""
    place = tmp_path_factory.mktemp("export")
    with simweb_running(place, **SHAPE) as web:
        yield Crawled(place / "crawl", web, run_gossamer("crawl", "--dir", place / "crawl", *QUICK, *web.crawl_options))


def kept(crawled: Crawled, **wanted: object) -> list[Page]:
    """Return the pages of the catalog."""
    return list(find_pages(CrawlDirectory.open(crawled.directory), **wanted))


def export(crawled: Crawled, form: str, out: Path, *options: object) -> dict[str, object]:
    """Export a crawl; return the summary."""
    result = run_gossamer("export", crawled.directory, "--to", form, out, *options, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_duckdb_and_polars_read_the_pages_of_the_catalog_from_parquet(crawled: Crawled, tmp_path: Path) -> None:
    summary = export(crawled, "parquet", tmp_path / "pages.parquet")
    pages = kept(crawled)
    frame = polars.read_parquet(tmp_path / "pages.parquet")
    assert frame["url"].to_list() == [page.url for page in pages]
    assert summary["rows"] == len(pages) > 100
    counted = duckdb.sql(f"SELECT outcome, count(*) FROM '{tmp_path}/pages.parquet' GROUP BY outcome").fetchall()
    assert dict(counted) == {outcome: sum(page.outcome == outcome for page in pages) for outcome in {p.outcome for p in pages}}


def test_json_lines_have_the_same_rows_as_parquet(crawled: Crawled, tmp_path: Path) -> None:
    export(crawled, "jsonl", tmp_path / "pages.jsonl")
    export(crawled, "parquet", tmp_path / "pages.parquet")
    lines = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text().splitlines()]
    rows = polars.read_parquet(tmp_path / "pages.parquet").to_dicts()
    for row in rows:
        row["fetch_time"] = row["fetch_time"] and row["fetch_time"].isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert lines == rows
