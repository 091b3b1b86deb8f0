"""The frontier alone: what a URL costs to push, to lease and to settle, with so many URLs known on so many hosts.

Each size is measured in a fresh process on a fresh directory, through the joint only. All URLs are pushed, 100 at a time as a
page would, each on another host (the worst case for locality), and the store's threads finish what that left them to do; then a
sample of known ones is pushed again; then a sample is leased and settled, 256 at a time. Time is virtual: it moves on when no
host is ready, so nothing ever sleeps. The store runs as in a crawl: durable, with its sync, flush and compaction threads, whose
CPU counts; garbage is collected as seldom as there.

Every size is measured in the same way. A size smaller than the sample is measured again and again, each time in a fresh
directory, until the sample is used up: one turn of 10,000 URLs is over in a tenth of a second, most of it warming up. The end
of a frontier is told beside it, for each of its URLs: what a small one has only in memory by then, a large one has written.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from math import inf
from pathlib import Path
from time import process_time

import uvloop

from bench.measure import MEGABYTE, ROOT, Account, peak_resident, resident, size_of
from bench.progress import Bar
from bench.table import Column, Row, Table
from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.records.entry import Entry, LinkKind
from gossamer.records.lease import Answer, Fate, Settlement
from gossamer.records.outcome import Outcome
from gossamer.run.garbage import collected_seldom

NOW = 1_700_000_000.0
PAGE = 100  # links pushed in one call
PAGES = 16  # calls under way at once: they share a sync, as visits do
TURNS = 256  # leased in one call, settled in one call
SAMPLE = 300_000
QUIET = 0.2  # seconds, of which a process uses less than a tenth when it does nothing
SCATTER = 2_654_435_761  # prime, so `i * SCATTER % hosts` walks over all hosts, far apart

QUICK = ((10_000, 1_000), (200_000, 200_000))
USUAL = ((10_000, 1_000), (1_000_000, 1_000), (1_000_000, 100_000), (1_000_000, 1_000_000), (10_000_000, 1_000_000))
FULL = (
    *((urls, hosts) for urls in (10_000, 1_000_000, 10_000_000) for hosts in (1_000, 100_000, 1_000_000) if hosts <= urls),
    (100_000_000, 1_000_000),
)

COLUMNS = (
    Column("urls", "URLs", ",d"),
    Column("hosts", "hosts", ",d"),
    Column("push", "push", ",.0f"),
    Column("again", "known", ",.0f"),
    Column("lease", "lease", ",.0f"),
    Column("settle", "settle", ",.0f"),
    Column("close", "end us", ".2f"),
    Column("through", "all three", ",.0f", headline=True),
    Column("microseconds", "us/URL", ".1f"),
    Column("resident", "RSS MB", ",.0f"),
    Column("peak", "peak MB", ",.0f"),
    Column("disk", "disk B/URL", ",.0f"),
)


def tables(scale: str) -> list[Table]:
    """Measure every size of a scale, each in a process of its own."""
    sizes = {"quick": QUICK, "full": FULL}.get(scale, USUAL)
    return [table_of([measured_apart(urls, hosts, SAMPLE) for urls, hosts in sizes])]


def table_of(rows: list[Row]) -> Table:
    """Return the table of measured sizes."""
    notes = [
        "operations per CPU-second of the process, compaction included; known: a URL pushed again",
        "end us: CPU of closing the frontier, a URL in it; at least 300,000 URLs a size, small ones in several frontiers",
        "all three: URLs pushed, leased and settled per CPU-second, without the end; us/URL is its inverse",
        f"RSS after all were pushed; lease and settle are of up to {SAMPLE:,} URLs at that size",
        _growth(rows[0], rows[-1]),
    ]
    return Table("frontier", COLUMNS, rows, notes)


def _growth(small: Row, large: Row) -> str:
    """Say how much dearer a URL of the largest size is than one of the smallest."""
    costs = [(float(row["microseconds"] or 0), float(row["close"] or 0)) for row in (small, large)]
    without, in_all = costs[1][0] / costs[0][0], sum(costs[1]) / sum(costs[0])
    return f"a URL of {large['urls']:,} costs {without:.2f}x as much as one of {small['urls']:,}; {in_all:.2f}x with the end"


def measured_apart(urls: int, hosts: int, sample: int) -> Row:
    """Measure one size in a fresh process."""
    words = ["--urls", str(urls), "--hosts", str(hosts), "--sample", str(sample)]
    done = subprocess.run([sys.executable, "-m", "bench.frontier", *words], stdout=subprocess.PIPE, check=True, cwd=ROOT)
    row: Row = json.loads(done.stdout)
    return row


async def measure(directory: Path, urls: int, hosts: int, sample: int) -> Row:
    """Push `urls` URLs of `hosts` hosts, then use a sample of them, as often as the sample asks for; return rates and sizes."""
    account, before, rounds = Account(), resident(), max(1, sample // urls)
    for number in range(rounds):
        held, disk = await _measure_once(directory / str(number), account, urls, hosts, min(sample, urls))
    pushed, used = rounds * urls, rounds * min(sample, urls)
    counts = {"push": pushed, "again": used, "lease": used, "settle": used, "close": pushed}
    each = {name: account.spent[name] / count for name, count in counts.items()}
    through = each["push"] + each["lease"] + each["settle"]
    return {
        "urls": urls,
        "hosts": hosts,
        **{name: 1 / cost for name, cost in each.items()},
        "close": each["close"] * 1e6,
        "through": 1 / through,
        "microseconds": through * 1e6,
        "resident": held / MEGABYTE,
        "growth": (held - before) / MEGABYTE,
        "peak": peak_resident() / MEGABYTE,
        "disk": disk / urls,
    }


async def _measure_once(directory: Path, account: Account, urls: int, hosts: int, sample: int) -> tuple[int, int]:
    """Fill, use and close one frontier; return memory and disk when it was full."""
    frontier = opened(directory, urls, NOW)
    with Bar(f"push {urls:,} URLs of {hosts:,} hosts", urls) as bar, account.on("push"):
        await push(frontier, account, range(urls), hosts, bar)
        await _until_idle()
    held, disk = resident(), size_of(directory)
    with Bar(f"push {sample:,} again", sample) as bar, account.on("again"):
        await push(frontier, account, range(0, urls, urls // sample)[:sample], hosts, bar)
    with Bar(f"lease and settle {sample:,}", sample) as bar:
        await use(frontier, account, sample, bar)
    with account.on("close"):
        await frontier.aclose()
    return held, disk


def opened(directory: Path, urls: int, now: float) -> EmbeddedFrontier:
    """Open the frontier in a directory, which may hold so many URLs of one host, or make one there."""
    settings = FrontierSettings(max_waiting=urls)
    return EmbeddedFrontier.open_at(directory, settings, Politeness(), Breaker(), lease=300.0, now=now)


async def push(frontier: EmbeddedFrontier, account: Account, numbers: range, hosts: int, bar: Bar) -> None:
    """Push URLs of hosts, as the links of a few pages at a time."""
    for pages in _pages(account, numbers, hosts):
        await asyncio.gather(*(frontier.discover(page, NOW) for page in pages))
        bar.forward(sum(map(len, pages)))


async def _until_idle() -> None:
    """Wait until the store's threads have done what the calls so far left them to do: it is those calls that they cost."""
    spent, before = process_time(), -inf
    while spent - before > QUIET / 10:
        await asyncio.sleep(QUIET)
        spent, before = process_time(), spent


def _pages(account: Account, numbers: range, hosts: int) -> Iterator[list[list[Entry]]]:
    """Make up the URLs of a few pages at a time; that work is not the frontier's."""
    step = PAGE * PAGES
    for start in range(0, len(numbers), step):
        with account.aside():
            entries = [_entry(number, hosts) for number in numbers[start : start + step]]
            pages = [entries[first : first + PAGE] for first in range(0, len(entries), PAGE)]
        yield pages


def _entry(number: int, hosts: int) -> Entry:
    host = f"h{number * SCATTER % hosts:07d}.example.org"
    url = f"https://{host}/articles/{number // hosts}/page-{number:x}.html"
    return Entry(url, url, host, depth=3, kind=LinkKind.ANCHOR, via=f"https://{host}/", score=0.5)


async def use(frontier: EmbeddedFrontier, account: Account, sample: int, bar: Bar) -> None:
    """Lease and settle a sample; when no host is ready, time moves on to when one is."""
    now, used = NOW + 10, 0
    while used < sample:
        with account.on("lease"):
            given = await frontier.lease("bench", min(TURNS, sample - used), now)
        if not given.leases:
            if given.next_time is None or given.next_time == inf:
                raise SystemExit(f"the frontier gave only {used} of {sample} leases")
            now = given.next_time
            continue
        ended = [
            Settlement(lease=lease, fate=Fate.DONE, outcome=Outcome.OK, answer=Answer(at=now, seconds=0.1))
            for lease in given.leases
        ]
        with account.on("settle"):
            await frontier.settle(ended, now)
        used += len(ended)
        bar.forward(len(ended))


def main() -> None:
    """Measure one size here and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in (("urls", 1_000_000), ("hosts", 1_000), ("sample", SAMPLE)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--dir", help="where the frontier is written (a temporary directory)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-", dir=given.dir) as place, collected_seldom():
        row = uvloop.run(measure(Path(place) / "frontier", given.urls, given.hosts, given.sample))
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()
    os._exit(0)  # tearing down gigabytes object by object takes longer than it tells


if __name__ == "__main__":
    main()
