"""Asking a running crawl: how long each operation holds its event loop, with so many hosts and URLs.

The stores of a crawl are filled and asked in one process, as a crawl that runs is asked over its socket; a beat on the loop
measures the longest time between two turns of others. In processor time: a busy machine holds no loop.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.measure import ROOT
from bench.progress import Bar
from bench.table import Column, Row, Table
from gossamer.assemble import Stores, open_stores
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.edges import pack
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.operate import carry_out
from gossamer.records.entry import Entry, LinkKind, Priority
from gossamer.run.garbage import collected_seldom
from gossamer.testing.holds import held_by
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import parse

SIZES = {"quick": (10_000, 100_000), "usual": (100_000, 1_000_000), "full": (1_000_000, 10_000_000)}
AT_ONCE = 2_000
LARGE = 1_000  # hosts that have most of what is left
PAGES = 20_000  # of the graph
LINKS = 30  # of a page
COLUMNS = (
    Column("operation", "operation"),
    Column("longest", "longest hold ms", ".1f", headline=True),
    Column("total", "in all ms", ",.1f"),
    Column("rows", "rows", ",d"),
)


def tables(scale: str) -> list[Table]:
    """Ask a crawl of a scale everything, in a process of its own."""
    return [table_of(*SIZES[scale])]


def table_of(hosts: int, urls: int) -> Table:
    """Ask a crawl of a size everything."""
    words = [sys.executable, "-m", "bench.asking", "--hosts", str(hosts), "--urls", str(urls)]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True, cwd=ROOT)
    notes = [f"{hosts:,} hosts with work, {urls:,} URLs; processor time of the loop's thread", "the bar is a hold of 50 ms"]
    return Table("asking: how long an operation holds the loop", COLUMNS, json.loads(done.stdout), notes)


def _urls(hosts: int, urls: int) -> Iterator[Entry]:
    """Give as many URLs as there are, a few for most hosts, and many for some."""
    few = urls * 4 // 5
    for number in range(urls):
        host = number % hosts if number < few else number % LARGE
        url = f"http://h{host}.test/{number // hosts}/page-{number}.html"
        kind = LinkKind.SEED if number < LARGE else LinkKind.ANCHOR
        yield Entry(url, url, f"h{host}.test", 1, kind, "http://seed.test/", number % 10 / 10, Priority(number % 3))


async def _fill(stores: Stores, hosts: int, urls: int) -> None:
    now, some = stores.clock.now(), list[Entry]()
    with Bar(f"push {urls:,} URLs of {hosts:,} hosts", urls) as bar:
        for entry in _urls(hosts, urls):
            some.append(entry)
            if len(some) == AT_ONCE:
                await stores.frontier.discover(some, now)
                some = []
                bar.forward(AT_ONCE)
        await stores.frontier.discover(some, now)
    names = [fingerprint(entry.key) for entry, _ in zip(_urls(hosts, urls), range(PAGES), strict=False)]
    for start in range(0, len(names), 200):
        links = names[start : start + LINKS]
        await stores.graph.put([(name, pack(links, [1] * len(links))) for name in names[start : start + 200]])


def _questions(hosts: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    url = "http://h0.test/0/page-0.html"
    yield "busiest", "busiest", {"limit": 50}
    yield "hosts by waiting", "hosts", {"order": "waiting", "limit": 200}
    yield "hosts by next turn", "hosts", {"order": "next", "limit": 200}
    yield "hosts by name", "hosts", {"order": "name", "limit": 500}
    yield "hosts paused", "hosts", {"order": "waiting", "state": "paused"}
    yield "hosts, breaker open", "hosts", {"order": "name", "state": "open"}
    yield "hosts by prefix", "hosts", {"order": "name", "prefix": f"h{hosts - 1}"}
    yield "host", "host", {"name": "h0.test"}
    yield "pending", "pending", {}
    yield "waiting_of", "waiting_of", {"host": "h0.test", "limit": 50}
    yield "overdue", "overdue", {"seconds": 0.0}
    yield "explain_all, 100 URLs", "explain_all", {"urls": [url] * 100}
    yield "lessons", "lessons", {"limit": 100}
    yield "robots", "robots", {"host": "h0.test"}
    yield "links out", "links", {"url": url}
    yield "links in", "links", {"url": url, "direction": "in"}
    yield "standings, 2,000", "standings", {"fingerprints": [fingerprint(entry.key) for entry in _urls(hosts, 2_000)]}
    yield "seed, 10,000 URLs", "seed", {"urls": [f"http://new{number}.test/" for number in range(10_000)]}
    yield "change_list", "change_list", {"kind": "block", "add": ["/[?&]sort=/"]}
    yield "settings", "settings", {}
    yield "change_settings", "change_settings", {"changes": {"crawl.max_pages": 1_000_000}}
    yield "pause", "pause", {}
    yield "set_policy", "set_policy", {"name": "h0.test", "changes": {"paused": True}}
    yield "status", "status", {}


def _rows(answer: Any) -> int:
    found = answer.get("items", answer) if isinstance(answer, dict) else answer
    return len(found) if isinstance(found, (list, dict)) else 1


async def _asked(place: Path, hosts: int, urls: int) -> list[Row]:
    directory = CrawlDirectory.create(place, Settings(), [parse("http://seed.test/")], 0.0)
    rows: list[Row] = []
    async with open_stores(place, directory.settings(), directory.seeds(), SystemClock()) as stores:
        await _fill(stores, hosts, urls)
        for name, operation, arguments in _questions(hosts):
            held = await held_by(carry_out(stores, operation, arguments, "bench"))
            rows.append(
                {"operation": name, "longest": held.longest * 1e3, "total": held.total * 1e3, "rows": _rows(held.answer)}
            )
        sys.stdout.write(json.dumps(rows) + "\n")
        sys.stdout.flush()
        os._exit(0)  # tearing down gigabytes object by object takes longer than it tells


def main() -> None:
    """Fill the stores of a crawl, ask, and print what it took as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, required=True)
    parser.add_argument("--hosts", type=int, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place, collected_seldom():
        asyncio.run(_asked(Path(place) / "crawl", given.hosts, given.urls))


if __name__ == "__main__":
    main()
