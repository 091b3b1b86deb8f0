"""Lists of pages from a catalog of a million, with `--full` of ten: every kind of query a door asks, at any depth.

The catalog is filled by the code that a crawl uses. A slice of 50 rows is asked for again and again: the first one, one deep in
the list, and those that follow it. Times are CPU, opening a connection to read included, since a wall clock would show the
neighbours. What a page costs to write stands in `catalogwrite.py`.
"""

import asyncio
import statistics
import tempfile
from collections.abc import Coroutine, Iterator
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

from bench import catalogpages, catalogwrite
from bench.table import Column, Row, Table
from gossamer.records.pagequery import EVERY_PAGE, Order, PageQuery, cursor_of
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.url.fingerprint import fingerprint

SIZES = {"quick": (100_000,), "usual": (1_000_000,), "full": (1_000_000, 10_000_000)}
AT_ONCE = 2_000  # pages of a commit while the catalog is filled
LIMIT, TIMES = 50, 20
COLUMNS = (
    Column("pages", "pages", ",d"),
    Column("query", "query"),
    Column("rows", "rows", ",d"),
    Column("median", "ms CPU, p50", ".2f", headline=True),
    Column("worst", "worst", ".2f"),
)


def tables(scale: str) -> list[Table]:
    """Measure lists, and writing."""
    table = Table("catalog: a slice of 50 pages", COLUMNS)
    for pages in SIZES[scale]:
        with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place:
            table.rows += asyncio.run(_lists(Path(place) / "catalog.db", pages))
    return [table, catalogwrite.table(scale)]


async def _lists(path: Path, pages: int) -> list[Row]:
    catalog = SqliteCatalog.open_at(path, durable=False)
    began = perf_counter()
    if not await catalog.counts():
        for some in catalogpages.batches(pages, AT_ONCE):
            await catalog.add(some)
    print(f"  {pages:,} pages in {perf_counter() - began:,.0f} s ...", flush=True)
    rows: list[Row] = []
    for name, query, deep in _queries(pages):
        times, count, cursor = [], 0, ""
        for number in range(TIMES):
            before = thread_time()
            found = await catalog.page_list(query, LIMIT, cursor)
            times.append(thread_time() - before)
            count += len(found.items)
            cursor = found.next if number else deep
        rows.append(_row(pages, name, count, times))
    keys = [page.key for page in (await catalog.page_list(EVERY_PAGE, LIMIT)).items]
    keys += [page.key for page in (await catalog.page_list(PageQuery(until=catalogpages.BEGAN + 9), LIMIT)).items]
    rows.append(await _timed(pages, "by fingerprint", [catalog.get_by_id(fingerprint(key)) for key in keys]))
    rows.append(await _timed(pages, "counts and totals", [call() for call in (catalog.counts, catalog.totals) * TIMES]))
    await catalog.aclose()
    return rows


def _queries(pages: int) -> Iterator[tuple[str, PageQuery, str]]:
    """Walk over the kinds of queries, and the cursor of a place deep in each list where one can be made."""
    middle = catalogpages.BEGAN + pages / 2 / catalogpages.A_SECOND
    usual, seldom = catalogpages.words()[0], catalogpages.words()[5_000]
    other = catalogpages.words()[1]
    large, huge = "www.large3.example", catalogpages.HUGE
    small = "www.small5.example"
    by_time, by_number = (middle, 1_000, 0), (pages // 2,)
    for name, given, deep in (
        ("all", {}, by_time),
        ("all, by key", {"order": Order.KEY}, ("https://www.large9",)),
        ("outcome ok", {"outcome": "ok"}, by_time),
        ("outcome gone", {"outcome": "gone"}, by_time),
        ("status 200", {"status": 200}, by_time),
        ("status 301", {"status": 301}, by_time),
        ("type text/html", {"mime": "text/html"}, by_time),
        ("type application/pdf", {"mime": "application/pdf"}, by_time),
        ("type, rare", {"mime": "image/x-rare"}, by_time),
        ("type, since", {"mime": "application/pdf", "since": middle}, None),
        ("status, since, until", {"status": 404, "since": middle - 900, "until": middle}, None),
        ("since, until", {"since": middle - 900, "until": middle}, None),
        ("rule", {"rule": "http.status"}, by_time),
        ("outcome, rule", {"outcome": "timed_out", "rule": "fetch.timeout"}, by_time),
        ("cut", {"cut": True}, by_time),
        ("outcome, type, cut", {"outcome": "ok", "mime": "text/html", "cut": True}, by_time),
        ("nothing matches", {"outcome": "gone", "mime": "image/x-rare"}, None),
        ("host, huge", {"host": huge}, (f"https://{huge}/reports",)),
        ("host, huge, newest", {"host": huge, "order": Order.NEW}, by_time),
        ("host, large, newest", {"host": large, "order": Order.NEW}, by_time),
        ("host, small", {"host": small}, None),
        ("host, small, newest", {"host": small, "order": Order.NEW}, None),
        ("host, huge, outcome", {"host": huge, "outcome": "gone"}, (f"https://{huge}/reports",)),
        ("host, huge, status", {"host": huge, "status": 301}, (f"https://{huge}/reports",)),
        ("host, large, type, rare", {"host": large, "mime": "image/x-rare"}, None),
        ("host, large, outcome, newest", {"host": large, "outcome": "gone", "order": Order.NEW}, by_time),
        ("word of every title's half", {"words": catalogpages.EVERYWHERE}, None),
        ("word of every URL", {"words": "https"}, None),
        ("usual word", {"words": usual}, None),
        ("usual word, newest", {"words": usual, "order": Order.NEW}, by_number),
        ("seldom word", {"words": seldom}, None),
        ("two usual words", {"words": f"{usual} {other}"}, None),
        ("two usual words, newest", {"words": f"{usual} {other}", "order": Order.NEW}, by_number),
        ("usual and seldom word", {"words": f"{catalogpages.EVERYWHERE} {seldom}"}, None),
        ("phrase", {"words": f'"{usual} {other}"'}, None),
        ("usual word, host", {"words": usual, "host": large}, None),
        ("usual word, outcome", {"words": usual, "outcome": "gone"}, None),
        ("usual word, outcome, newest", {"words": usual, "outcome": "gone", "order": Order.NEW}, by_number),
        ("no such word", {"words": "nowhere"}, None),
    ):
        query = PageQuery(**given)
        yield name, query, "" if deep is None else cursor_of(query, deep)


async def _timed(pages: int, name: str, calls: list[Coroutine[Any, Any, Any]]) -> Row:
    times, count = [], 0
    for call in calls:
        before = thread_time()
        count += await call is not None
        times.append(thread_time() - before)
    return _row(pages, name, count, times)


def _row(pages: int, name: str, rows: int, times: list[float]) -> Row:
    return {
        "pages": pages,
        "query": name,
        "rows": rows,
        "median": statistics.median(times) * 1_000,
        "worst": max(times) * 1_000,
    }
