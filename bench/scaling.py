"""One worker process, then two, over the same site: what the second one adds, in pages a second.

The server and, with two workers, three processes of the crawl share the machine's cores, so the table says how many it has.
This is the one benchmark of wall-clock time: it means something only on a machine that has nothing else to do, so one and two
take turns, the best of each counts, and the table says how busy the machine was before.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import measure, serve
from bench.table import Column, Row, Table

ROUNDS = 3
COLUMNS = (
    Column("workers", "workers", "d"),
    Column("pages", "pages", ",d"),
    Column("seconds", "seconds", ".1f"),
    Column("speed", "pages/s", ",.0f", headline=True),
    Column("rate", "pages/CPU-s", ",.0f"),
    Column("gain", "to one", ".2f", "x"),
    Column("peak", "peak MB", ",.0f"),
)


def tables(scale: str) -> list[Table]:
    """Crawl with one worker and with two."""
    table = Table(
        "scaling: worker processes",
        COLUMNS,
        notes=[f"{os.cpu_count()} cores, the server on one of them; best of {ROUNDS} in turns"],
    )
    table.notes.append(f"load of the machine before: {os.getloadavg()[0]:.1f}; above 0.5 these figures say little")
    if not can_scale():
        table.notes.append("left out: this gossamer has no --workers")
        return [table]
    pages = 400 if scale == "quick" else 5_000
    with serve.running("--pages", pages, "--size", 25_000, "--links", 100) as server:
        rounds = [[_measured(server, workers) for workers in (1, 2)] for _ in range(ROUNDS)]
    table.rows = [max(rows, key=lambda row: float(row["speed"] or 0)) for rows in zip(*rounds, strict=True)]
    one = float(table.rows[0]["speed"] or 1)
    for row in table.rows:
        row["gain"] = float(row["speed"] or 0) / one
    return [table]


def can_scale() -> bool:
    """Tell whether the crawler knows of worker processes."""
    said = subprocess.run([sys.executable, "-m", "gossamer", "crawl", "--help"], capture_output=True, text=True)
    return "--workers" in said.stdout


def _measured(server: serve.Running, workers: int) -> Row:
    print(f"  {workers} worker(s) ...", flush=True)
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place:
        server.count()
        own = ["--delay", "0", "--connections", "64", "--allow-private", "127.0.0.0/8", "--workers", str(workers), "--json"]
        command = [sys.executable, "-m", "gossamer", "crawl", server.url(), "--dir", f"{place}/crawl", *own]
        usage = measure.run(command, place=Path(place), timeout=600)
        pages = server.count()["pages"]
    return {
        "workers": workers,
        "pages": pages,
        "seconds": usage.seconds,
        "speed": pages / usage.seconds,
        "rate": pages / usage.cpu_seconds,
        "peak": usage.peak / measure.MEGABYTE,
    }
