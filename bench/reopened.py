"""A frontier that was killed: what it takes to open it again, with so many URLs known on so many hosts.

One process pushes the URLs, uses some of them and is killed with signal 9 in the middle of its work; a fresh one opens what it
left, which is measured: wall-clock time, as somebody who resumes a crawl sees it, and CPU of all its threads.
"""

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic, process_time

from bench import frontier
from bench.measure import MEGABYTE, ROOT, Account, peak_resident
from bench.progress import Bar
from bench.table import Column, Row, Table
from gossamer.run.garbage import collected_seldom

USED = 30_000  # URLs that are leased and settled before the kill
SIZES = {
    "quick": ((100_000, 10_000),),
    "usual": ((1_000_000, 1_000_000), (10_000_000, 1_000_000)),
    "full": ((1_000_000, 1_000_000), (10_000_000, 1_000_000)),
}
COLUMNS = (
    Column("urls", "URLs", ",d"),
    Column("hosts", "hosts", ",d"),
    Column("seconds", "opened in s", ".2f", headline=True),
    Column("cpu_seconds", "CPU s", ".2f"),
    Column("peak", "peak MB", ",.0f"),
)


def tables(scale: str) -> list[Table]:
    """Kill and open every size of a scale."""
    notes = ["the files are in the page cache; every URL is known again when it is open, and every host waits one delay"]
    return [Table("reopened: a frontier after kill -9", COLUMNS, [measured(*size) for size in SIZES[scale]], notes)]


def measured(urls: int, hosts: int) -> Row:
    """Fill a frontier in a process that kills itself; open it in another."""
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place:
        words = [sys.executable, "-m", "bench.reopened", f"{place}/frontier", "--urls", str(urls), "--hosts", str(hosts)]
        killed = subprocess.run([*words, "--fill"], cwd=ROOT)
        if killed.returncode != -signal.SIGKILL:
            raise RuntimeError(f"the frontier was to be killed, and ended with {killed.returncode}")
        row: Row = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True, cwd=ROOT).stdout)
    return row


async def _fill(path: Path, urls: int, hosts: int) -> None:
    open_frontier, account = frontier.opened(path, urls, frontier.NOW), Account()
    with Bar(f"push {urls:,} URLs of {hosts:,} hosts", urls) as bar:
        await frontier.push(open_frontier, account, range(urls), hosts, bar)
    with Bar(f"lease and settle {USED:,}", USED) as bar:
        await frontier.use(open_frontier, account, USED, bar)
    os.kill(os.getpid(), signal.SIGKILL)


def _open(path: Path, urls: int, hosts: int) -> Row:
    began, spent = monotonic(), process_time()
    open_frontier = frontier.opened(path, urls, frontier.NOW + 60)
    row: Row = {"urls": urls, "hosts": hosts, "seconds": monotonic() - began, "cpu_seconds": process_time() - spent}
    known = asyncio.run(open_frontier.statistics())
    if known.waiting + known.leased + known.done != urls:
        raise RuntimeError(f"{urls:,} URLs were pushed, and the frontier knows {known}")
    return {**row, "peak": peak_resident() / MEGABYTE}


def main() -> None:
    """Fill a frontier and be killed, or open it and print what that took as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--urls", type=int, required=True)
    parser.add_argument("--hosts", type=int, required=True)
    parser.add_argument("--fill", action="store_true")
    given = parser.parse_args()
    with collected_seldom():
        if given.fill:
            asyncio.run(_fill(given.path, given.urls, given.hosts))
        sys.stdout.write(json.dumps(_open(given.path, given.urls, given.hosts)) + "\n")
    sys.stdout.flush()
    os._exit(0)  # tearing down gigabytes object by object takes longer than it tells


if __name__ == "__main__":
    main()
