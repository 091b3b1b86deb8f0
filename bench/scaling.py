"""One process, then two worker processes, over the same sites: what the second core adds, in pages a second.

`1` is the ordinary crawl in one process; with two workers there are three, the node and its workers. Everything else is the
same for both: several hosts, and more connections to each than are needed to keep two cores busy, so that the processor is
the limit, not politeness. The columns of busy cores say whether it was: what is missing to the number of cores was idle, taken
by the server (a twentieth of a core), or by somebody else.

This is the one benchmark of wall-clock time: it means something only on a machine that has nothing else to do, so one and two
take turns, the best of each counts, and the table says how busy the machine was before. The start of the program is in it.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import measure, serve
from bench.table import Column, Row, Table

ROUNDS = 3
SITES = 8
CONNECTIONS = 64  # to each
COLUMNS = (
    Column("crew", "crew"),
    Column("pages", "pages", ",d"),
    Column("seconds", "seconds", ".1f"),
    Column("speed", "pages/s", ",.0f", headline=True),
    Column("gain", "to one", ".2f", "x"),
    Column("cost", "CPU ms/page", ".3f"),
    Column("process 0", "first process busy", ".2f"),
    Column("process 1", "worker", ".2f"),
    Column("process 2", "worker", ".2f"),
    Column("peak", "peak MB", ",.0f"),
)


def tables(scale: str) -> list[Table]:
    """Crawl in one process and with two workers."""
    load = f"load of the machine before: {os.getloadavg()[0]:.1f}; above 0.5 these figures say little"
    what = f"{SITES} hosts with {CONNECTIONS} connections each"
    notes = [f"{os.cpu_count()} cores, the server on one of them; {what}; best of {ROUNDS} in turns", load]
    table = Table("scaling: worker processes", COLUMNS, notes=notes)
    if not can_scale():
        table.notes.append("left out: this gossamer has no --workers")
        return [table]
    pages = 100 if scale == "quick" else 3_000  # the start of a crew is a tenth of a run of half as many
    with serve.running("--sites", SITES, "--pages", pages, "--size", 25_000, "--links", 100) as server:
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
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place:
        server.count()
        seeds = [f"http://h{number}.sim:{server.port}/" for number in range(SITES)]
        near = ["--resolve", "*.sim:127.0.0.1", "--allow-private", "127.0.0.0/8"]
        own = ["--delay", "0", "--connections", str(CONNECTIONS), "--workers", str(workers), "--json", "--quiet"]
        command = [sys.executable, "-m", "gossamer", "crawl", *seeds, "--dir", f"{place}/crawl", *near, *own]
        usage = measure.run(command, place=Path(place), timeout=600)
        said = (Path(place) / "output.txt").read_text()
        if usage.code:
            raise RuntimeError(f"the crawl failed: {said[-1_000:]}")
        pages = min(json.loads(said.splitlines()[-1])["pages"], server.count()["requests"])
    busiest = [usage.each[0], *sorted(usage.each[1:], reverse=True)]
    row = {
        "crew": "one process" if workers == 1 else f"node and {workers} workers",
        "pages": pages,
        "seconds": usage.seconds,
        "speed": pages / usage.seconds,
        "cost": 1000 * usage.cpu_seconds / max(pages, 1),
        **{f"process {number}": spent / usage.seconds for number, spent in enumerate(busiest[: 1 + workers])},
        "peak": usage.peak / measure.MEGABYTE,
    }
    print(f"  {row['crew']}: {row['speed']:,.0f} pages/s", flush=True)
    return row
