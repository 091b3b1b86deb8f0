"""A polite broad crawl: many hosts, each asked once a delay. How much of what politeness allows is used, and is it kept to?

The server is the witness: it notes when each request of each host arrived. Over a window after the start, the share is the
requests that arrived of those that could have (hosts / delay x seconds); a violation is a gap between two requests of a host
shorter than the delay (5 ms of tolerance, for the clocks and queues between two processes). Where the crawler's CPU is the
limit rather than politeness, the CPU column shows it. The fastest pace is more than one core can do: it is given a worker a
core, as a user would.
"""

import os
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench import measure, serve
from bench.table import Column, Row, Table

TOLERANCE = 0.005
WARM_UP = 10.0  # seconds
COLUMNS = (
    Column("pace", "pace"),
    Column("rate", "allowed/s", ",.0f"),
    Column("reached", "reached/s", ",.0f"),
    Column("share", "share", ".1f", " %", headline=True),
    Column("violations", "violations", ",d"),
    Column("shortest", "shortest gap s", ".4f"),
    Column("handshakes", "handshakes/page", ".3f"),
    Column("cpu", "CPU", ".0f", " %"),
    Column("peak", "peak MB", ",.0f"),
)


@dataclass(frozen=True)
class Pace:
    """So many hosts, each asked once a delay, watched for so many seconds."""

    hosts: int
    delay: float
    seconds: float
    workers: int = 1

    def __str__(self) -> str:
        return f"{self.hosts:,} hosts, {self.delay:g} s" + (f", {self.workers} workers" if self.workers > 1 else "")


def tables(scale: str) -> list[Table]:
    """Crawl politely at a few paces."""
    seconds = 20.0 if scale == "quick" else 60.0
    paces = [Pace(5_000, 1.0, seconds, os.cpu_count() or 1)]
    if scale != "quick":
        paces += [Pace(1_000, 1.0, seconds), Pace(5_000, 10.0, seconds)]
    rows = [_measured(pace) for pace in paces]
    notes = [f"over {seconds:g} s after {WARM_UP:g} s of start; small pages; a CPU of 100 % is one core busy throughout"]
    return [Table("polite: many hosts, one request a delay", COLUMNS, rows, notes)]


def _measured(pace: Pace) -> Row:
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place, serve.running("--hosts") as server:
        print(f"  {pace} ...", flush=True)
        seeds = Path(place) / "seeds.txt"
        seeds.write_text("".join(f"http://h{n:04d}.sim:{server.port}/\n" for n in range(pace.hosts)))
        own = ["--delay", str(pace.delay), "--max-time", str(int(pace.seconds + 2 * WARM_UP)), "--json"]
        near = ["--resolve", "*.sim:127.0.0.1", "--allow-private", "127.0.0.0/8"]
        own += ["--set", "scope.max_depth=1000"]  # a page leads to the next five: the usual depth ends after 72 of a host
        many = ["--workers", str(pace.workers), "--set", "crawl.concurrency=4096", "--set", f"fetch.connections={pace.hosts}"]
        command = ["crawl", "--seeds", str(seeds), "--dir", f"{place}/crawl", *own, *near, *many]
        usage = measure.run([sys.executable, "-m", "gossamer", *command], place=Path(place), timeout=600)
        seen = server.count()
    row = judged(pace, seen["arrivals"])
    return {
        **row,
        "handshakes": seen["connections"] / max(seen["requests"], 1),
        "cpu": 100 * usage.cpu_seconds / usage.seconds,
        "peak": usage.peak / measure.MEGABYTE,
    }


def judged(pace: Pace, arrivals: dict[str, list[float]]) -> Row:
    """Judge when requests of each host arrived: rate in the window, and gaps over the whole time."""
    begin = min((times[0] for times in arrivals.values()), default=0.0) + WARM_UP
    inside = sum(begin <= at < begin + pace.seconds for times in arrivals.values() for at in times)
    gaps = [after - before for times in arrivals.values() for before, after in pairwise(sorted(times))]
    allowed = pace.hosts / pace.delay
    return {
        "pace": str(pace),
        "rate": allowed,
        "reached": inside / pace.seconds,
        "share": 100 * inside / (allowed * pace.seconds),
        "violations": sum(gap < pace.delay - TOLERANCE for gap in gaps),
        "shortest": min(gaps, default=None),
    }
