"""Exports: rows a CPU-second and memory of each table format, beside a plain loop of pyarrow over the same rows.

A catalog is filled with made-up pages of a thousand hosts. Each export is the command as a user runs it, in a process of its
own, its start included. The plain loop is what somebody would write who knows the catalog: it selects the same columns of
SQLite in the same order, works out the derived ones with the same functions, and writes groups of the same size with pyarrow.
All are run in turns.
"""

import asyncio
import sqlite3
import sys
import tempfile
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from bench import measure
from bench.measure import MEGABYTE
from bench.table import Column, Row, Table
from gossamer.config.load import load
from gossamer.jobs.directory import CrawlDirectory
from gossamer.records.freshness import Freshness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Place
from gossamer.storage.archive.cdxj import url_key
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.storage.export.parquet import GROUP
from gossamer.storage.export.tables import PAGES
from gossamer.url.host import registrable_domain
from gossamer.url.parse import parse

ROWS = {"quick": 50_000, "usual": 1_000_000, "full": 1_000_000}
ROUNDS = {"quick": 1, "usual": 3, "full": 5}
HOSTS = 1_000
PATIENCE = 1800.0
ADDED_AT_ONCE = 5_000
WORDS = [
    "harbour",
    "ladder",
    "orchard",
    "river",
    "lantern",
    "violin",
    "quarry",
    "meadow",
    "compass",
    "printer",
    "saddle",
    "bridge",
]

COLUMNS = (
    Column("way", "way"),
    Column("rate", "rows/CPU-s", ",.0f", headline=True),
    Column("share", "of the plain loop", ".2f", "x"),
    Column("cpu", "CPU s", ".1f"),
    Column("peak", "peak MB", ",.0f"),
    Column("size", "file MB", ",.1f"),
)
SELECTED = (
    "url, host, fetched_at, status, digest, mime, charset, truncated, file, record_offset, record_length, outcome, rule, "
    "title, language, canonical, duplicate_of, simhash, length, response_seconds, links, depth, via"
)


def tables(scale: str) -> list[Table]:
    """Fill a catalog once, then export it in turns."""
    count = ROWS[scale]
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as name:
        place = Path(name)
        crawl = made(place / "crawl", count)
        ways = {
            "a plain loop of pyarrow": [sys.executable, "-m", "bench.export", str(crawl), str(place / "plain")],
            **{form: _export(crawl, form, place / form) for form in ("parquet", "jsonl", "csv")},
        }
        used: dict[str, list[measure.Usage]] = {way: [] for way in ways}
        for _ in range(ROUNDS[scale]):
            for way, command in ways.items():
                used[way].append(measure.run(command, place=place, timeout=PATIENCE))
        files = dict(zip(ways, (place / "plain", place / "parquet", place / "jsonl", place / "csv"), strict=True))
        rows = [_row(way, used[way], count, files[way], used["a plain loop of pyarrow"]) for way in ways]
    notes = [
        "issue 17 wants 0.9 of the plain loop and 400 MB for Parquet",
        "CPU is the median of the rounds, the peak their largest",
    ]
    return [Table(f"export: {count:,} pages", COLUMNS, rows, notes)]


def made(directory: Path, count: int) -> Path:
    """Make a crawl with a catalog of so many pages; it was never run."""
    CrawlDirectory.create(directory, load((), {}), [parse("http://host0.example/")], 1.7e9)
    asyncio.run(_fill(directory / "catalog.db", count))
    return directory


async def _fill(path: Path, count: int) -> None:
    catalog = SqliteCatalog.open_at(path, durable=False)
    pages = _pages(count)
    while some := list(islice(pages, ADDED_AT_ONCE)):
        await catalog.add(some)
    await catalog.aclose()


def _pages(count: int) -> Iterable[Page]:
    chance = Random(7)
    for number in range(count):
        host = f"host{number % HOSTS}.example"
        url = f"http://{host}/{chance.choice(WORDS)}/{chance.choice(WORDS)}-{number}.html"
        at = 1.7e9 + number / 50
        yield Page(
            url=url,
            key=url,
            host=host,
            outcome=Outcome.OK,
            status=200,
            mime="text/html",
            digest=f"sha1:{chance.getrandbits(160):032X}"[:37],
            length=chance.randrange(2_000, 60_000),
            title=" ".join(chance.choices(WORDS, k=6)),
            language="en",
            charset="utf-8",
            fetched_at=at,
            captured_at=at,
            response_seconds=chance.random(),
            depth=number % 9,
            via=f"http://{host}/",
            links=chance.randrange(100),
            place=Place(f"gossamer-20261118000000-{number // 50_000:06}-one.warc.gz", number % 50_000 * 9_000, 9_000),
            simhash=chance.getrandbits(64),
            outlinks=chance.getrandbits(64),
            freshness=Freshness(visits=1, first_seen=at, changed_at=at, posterior=b"x" * 48),
        )


def _export(crawl: Path, form: str, out: Path) -> list[str]:
    return [sys.executable, "-m", "gossamer", "export", str(crawl), str(out), "--to", form, "--force"]


def _row(way: str, used: list[measure.Usage], count: int, file: Path, plain: list[measure.Usage]) -> Row:
    assert all(usage.code == 0 for usage in used), f"{way} failed"
    spent = median(usage.cpu_seconds for usage in used)
    return {
        "way": way,
        "rate": count / spent,
        "share": median(usage.cpu_seconds for usage in plain) / spent,
        "cpu": spent,
        "peak": max(usage.peak for usage in used) / MEGABYTE,
        "size": file.stat().st_size / MEGABYTE,
    }


def plain_loop(crawl: str, out: str) -> None:
    """Write the catalog's pages as Parquet, as simply as can be."""
    import pyarrow
    import pyarrow.parquet

    kinds = {"small": pyarrow.int16(), "integer": pyarrow.int64(), "number": pyarrow.float64(), "text": pyarrow.string()}
    kinds["time"] = pyarrow.timestamp("ms", "UTC")
    schema = pyarrow.schema([(column.name, kinds[column.kind]) for column in PAGES.columns])
    rows = sqlite3.connect(f"{crawl}/catalog.db").execute(f"SELECT {SELECTED} FROM pages ORDER BY fetched_at DESC, key DESC")
    with pyarrow.parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        while some := rows.fetchmany(GROUP):
            arrays = [pyarrow.array(values, kind) for values, kind in zip(_columns(some), schema.types, strict=True)]
            writer.write_batch(pyarrow.record_batch(arrays, schema=schema))


def _columns(rows: list[tuple[Any, ...]]) -> list[list[Any]]:
    url, host, at, status, digest, mime, charset, cut, file, offset, length, outcome, rule, *rest = zip(*rows, strict=True)
    title, language, canonical, original, simhash, size, seconds, links, depth, via = rest
    return [
        [url_key(each) for each in url],
        list(url),
        list(host),
        [registrable_domain(each) for each in host],
        ["/" + each.split("/", 3)[3].partition("?")[0] for each in url],
        [each.partition("?")[2] if "?" in each else None for each in url],
        [int(each * 1000) or None for each in at],
        [each or None for each in status],
        [each.removeprefix("sha1:") or None for each in digest],
        *([each or None for each in column] for column in (mime, charset, cut)),
        *(list(column) for column in (file, offset, length, outcome)),
        *([each or None for each in column] for column in (rule, rule, title, language, canonical, original)),
        [None if each is None else f"{each & 0xFFFF_FFFF_FFFF_FFFF:016x}" for each in simhash],
        *(list(column) for column in (size, seconds, links, depth)),
        [each or None for each in via],
    ]


if __name__ == "__main__":
    plain_loop(*sys.argv[1:])
