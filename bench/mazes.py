"""The trap zoo, crawled twice: with what is learned on the way, and without, for as many pages. What do the rules save?

simweb serves mazes that have no end beside honest giants that have one; its ledger and its judge are the witnesses, no word of
the crawler counts. The first crawl goes on until nothing is left. The second learns nothing and compares no texts (exact copies
and the fixed limits stay), and stops after as many pages as the first kept. Hosts are asked without delay: mazes and giants
compete for the same requests.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import measure
from bench.table import Column, Row, Table
from gossamer.simweb import ledger
from gossamer.simweb.mazes import zoo
from gossamer.simweb.mazes.spent import Spent, share, spent

SCALES = {"quick": 0.05, "usual": 1.0, "full": 1.0}  # of the giants
TIMEOUT = 1_800.0
EAGER = ("--delay", "0", "--set", "politeness.connections=8", "--json")
UNLEARNED = ("--set", "traps.learn=false", "--set", "dedupe.near=off")

CRAWLS = (
    Column("way", "crawl"),
    Column("requests", "requests", ",d"),
    Column("share", "own content", ".1f", " %", headline=True),
    Column("giants", "giants covered", ".1f", " %"),
    Column("least", "least of them", ".1f", " %"),
    Column("ordinary", "ordinary hosts", ".1f", " %"),
    Column("probes", "probes", ",d"),
    Column("cpu", "CPU s", ",.0f"),
    Column("seconds", "s", ",.0f"),
)
EXHIBITS = (
    Column("exhibit", "exhibit"),
    Column("contents", "contents", ",d"),
    Column("requests", "requests", ",d"),
    Column("wasted", "of no use", ",d"),
    Column("coverage", "covered", ".1f", " %"),
    Column("without", "without: requests", ",d"),
    Column("lost", "of no use", ",d"),
    Column("reached", "covered", ".1f", " %"),
)


@dataclass(frozen=True)
class Crawled:
    """One crawl of the zoo."""

    pages: int  # kept
    hosts: dict[str, Spent]
    usage: measure.Usage


def tables(scale: str) -> list[Table]:
    """Crawl the zoo with and without what is learned."""
    size = SCALES[scale]
    with_rules = crawled(size)
    without = crawled(size, *UNLEARNED, "--max-pages", str(with_rules.pages))
    title = f"mazes: the trap zoo, giants at {size:g}"
    notes = [
        "own content: share of the requests (without robots.txt and probes) that brought something for the first time",
        f"without: {' '.join(UNLEARNED)}, and the number of pages that the first crawl kept as budget",
    ]
    rows = [row_of("with what it learns", with_rules), row_of("without", without)]
    return [Table(title, CRAWLS, rows, notes), Table(f"{title}, by exhibit", EXHIBITS, compared(with_rules, without))]


def crawled(size: float, *options: str) -> Crawled:
    """Crawl the zoo once."""
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place, _serving(Path(place), size):
        print(f"  {' '.join(options) or 'with what it learns'} ...", flush=True)
        reach = ("--resolve", "*.sim:127.0.0.1", "--allow-private", "127.0.0.0/8")
        words = ("crawl", "--seeds", f"{place}/seeds.txt", "--dir", f"{place}/crawl", *EAGER, *reach, *options)
        usage = measure.run([sys.executable, "-m", "gossamer", *words], place=Path(place), timeout=TIMEOUT)
        told = (Path(place) / "output.txt").read_text()
        if usage.code:
            raise RuntimeError(f"the crawl ended with {usage.code}: {told[-500:]}")
        pages = json.loads(told.splitlines()[-1])["pages"]
        return Crawled(pages, spent(ledger.read(Path(place) / "ledger.jsonl"), scale=size), usage)


@contextmanager
def _serving(place: Path, size: float) -> Iterator[None]:
    files = ("--ledger", f"{place}/ledger.jsonl", "--seeds", f"{place}/seeds.txt")
    small = ("--hosts", "1", "--pages", "1", "--plain")  # the web beside the zoo
    words = (sys.executable, "-m", "gossamer.simweb", *files, *small, "--mazes", "all", "--maze-scale", str(size))
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        server.stdout.readline()  # it is ready
        yield
    finally:
        server.terminate()
        server.wait(10)


def row_of(way: str, crawl: Crawled) -> Row:
    """Sum one crawl up."""
    giants = _of(crawl, zoo.GIANTS)
    return {
        "way": way,
        "requests": sum(line.requests for line in crawl.hosts.values()),
        "share": 100 * share(crawl.hosts.values()),
        "giants": _covered(giants),
        "least": 100 * min(line.coverage for line in giants),
        "ordinary": _covered(_of(crawl, zoo.ORDINARY)),
        "probes": sum(line.probes for line in crawl.hosts.values()),
        "cpu": crawl.usage.cpu_seconds,
        "seconds": crawl.usage.seconds,
    }


def compared(crawl: Crawled, other: Crawled) -> list[Row]:
    """Hold two crawls side by side, exhibit by exhibit."""
    rows: list[Row] = []
    for exhibit in zoo.EXHIBITS:
        lines, others = _of(crawl, (exhibit,)), _of(other, (exhibit,))
        rows.append(
            {
                "exhibit": exhibit,
                "contents": len(lines[0].contents),
                "requests": sum(line.requests for line in lines),
                "wasted": sum(line.wasted for line in lines),
                "coverage": 100 * lines[0].coverage if lines[0].contents else None,
                "without": sum(line.requests for line in others),
                "lost": sum(line.wasted for line in others),
                "reached": 100 * others[0].coverage if lines[0].contents else None,
            }
        )
    return rows


def _of(crawl: Crawled, exhibits: Sequence[str] | dict[str, zoo.Build]) -> list[Spent]:
    return [line for line in crawl.hosts.values() if line.exhibit in exhibits]


def _covered(lines: Sequence[Spent]) -> float:
    return 100 * sum(len(line.reached) for line in lines) / sum(len(line.contents) for line in lines)
