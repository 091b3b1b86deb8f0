"""Does a long crawl grow? A crawl of very many small pages, and its memory at each tenth of the way.

Every page is another text on one of a hundred hosts, so everything that could grow does: what was seen, what waits, digests,
near duplicates, lessons, the link graph, the catalog. Told is the resident memory of the process at that moment.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import sleep

from bench import serve
from bench.measure import MEGABYTE, ROOT, size_of
from bench.progress import Bar
from bench.table import Column, Row, Table

HOSTS = 100
CONNECTIONS = 4
LOOK = 0.5  # seconds
TENTHS = 10
TICKS = 100  # of the kernel's clock a second
COLUMNS = (
    Column("pages", "pages", ",d"),
    Column("resident", "RSS MB", ",.0f", headline=True),
    Column("cost", "CPU ms/page", ".3f"),
    Column("disk", "disk B/page", ",.0f"),
)


def tables(scale: str) -> list[Table]:
    """Crawl, and look at the process from outside."""
    pages = {"quick": 10_000, "usual": 200_000, "full": 1_000_000}[scale]
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place, serve.running("--tree", pages // HOSTS) as server:
        seeds = Path(place, "seeds.txt")
        seeds.write_text("".join(f"http://h{number}.sim:{server.port}/\n" for number in range(HOSTS)))
        near = ["--resolve", "*.sim:127.0.0.1", "--allow-private", "127.0.0.0/8"]
        own = ["--delay", "0", "--connections", str(CONNECTIONS), "--quiet", "--json"]
        command = [sys.executable, "-m", "gossamer", "crawl", "--seeds", str(seeds), "--dir", f"{place}/crawl", *near, *own]
        said = Path(place, "said.json")
        with (
            said.open("wb") as file,
            subprocess.Popen(command, stdout=file, cwd=ROOT) as crawler,
            Bar("crawl", pages) as bar,
        ):
            rows = _watched(crawler, server, Path(place, "crawl"), pages, bar)
        summary = json.loads(said.read_text())
    notes = [f"{summary['end']}: " + ", ".join(f"{count:,} {outcome}" for outcome, count in summary["outcomes"].items())]
    return [Table(f"memory: {pages:,} small pages of {HOSTS} hosts", COLUMNS, rows, notes)]


def _watched(crawler: "subprocess.Popen[bytes]", server: serve.Running, directory: Path, pages: int, bar: Bar) -> list[Row]:
    rows: list[Row] = []
    fetched, before, spent = 0, 0, 0.0
    while crawler.poll() is None:
        sleep(LOOK)
        more = server.count()["requests"]
        fetched += more
        bar.forward(more)
        if fetched < pages * (len(rows) + 1) // TENTHS or crawler.poll() is not None:
            continue
        process = Path("/proc", str(crawler.pid))
        resident = int((process / "statm").read_text().split()[1]) * 4096
        clock = (process / "stat").read_text().rpartition(")")[2].split()
        now = (int(clock[11]) + int(clock[12])) / TICKS
        cost, disk = 1000 * (now - spent) / (fetched - before), size_of(directory) / fetched
        rows.append({"pages": fetched, "resident": resident / MEGABYTE, "cost": cost, "disk": disk})
        before, spent = fetched, now
    return rows
