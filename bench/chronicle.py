"""The price of the chronicle: microseconds and bytes a visit, lines a second of an audit, and whole crawls with and without it.

A visit alone is measured in CPU of this thread, the least of several rounds: making its line; encoding, hashing and writing it
in blocks as a commit does, without a sync, which is the disk's; its share of compressing a full segment. Two crawls that differ
in nothing but `chronicle.level` run in turns; a pair's ratio is what counts, since neighbours make both dearer.
"""

import asyncio
import statistics
import sys
import tempfile
from base64 import b32encode
from pathlib import Path
from random import Random
from time import thread_time

from bench import measure, serve, site
from bench.measure import ROUNDS
from bench.table import Column, Row, Table
from gossamer.node.chronicler import line_of, refused_in
from gossamer.records.entry import Entry
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Place
from gossamer.records.token import token_of
from gossamer.records.visit import Visit
from gossamer.storage.chronicle.audit import audited
from gossamer.storage.chronicle.marks import Watermark
from gossamer.storage.chronicle.recovery import Tail
from gossamer.storage.chronicle.segment import compress, compressed_path, plain_path
from gossamer.storage.chronicle.writer import BlockWriter

NOW = 1_700_000_000.0
GROUP = 16  # visits of a commit: what a crawl of 2,000 pages has in the mean
VISITS = 10_000
PAIRS = {"quick": 2, "usual": 5, "full": 10}
STEPS = (Column("step", "step"), Column("each", "us a visit", ".2f", headline=True), Column("bytes", "bytes a visit", ".1f"))
CRAWLS = (
    Column("level", "chronicle.level"),
    Column("rate", "pages/CPU-s", ",.0f"),
    Column("price", "price", ".2f", " %", headline=True),
    Column("remark", "remark"),
)


def tables(scale: str) -> list[Table]:
    """Measure a visit alone, and whole crawls in pairs."""
    return [_alone(), _pairs(PAIRS[scale])]


# --- a visit alone ---------------------------------------------------------------------------------------------------


def visits() -> list[Visit]:
    """Make visits such as a crawl of forty hosts has, each with ten links that were not known."""
    chance = Random(1)
    words = ["".join(chance.choices(site.SYLLABLES, k=3)) for _ in range(2_000)]
    return [_visit(number, chance, words) for number in range(VISITS)]


def _visit(number: int, chance: Random, words: list[str]) -> Visit:
    host = f"www.{words[chance.randrange(40)]}.example"
    url = f"http://{host}/{chance.choice(site.SECTIONS)}/{chance.choice(words)}-{chance.choice(words)}-{number}.html"
    entry = Entry(url, url, host, depth=3)
    lease = Lease(token=token_of(len(host) * 777, number), worker="one", entry=entry, leased_at=NOW, until=NOW + 300)
    place = Place("gossamer-20261118133146-000001-one.warc.gz", number * 9_001, chance.randrange(2_000, 9_000))
    digest = f"sha1:{b32encode(chance.randbytes(20)).decode()}"
    page = Page(url=url, key=url, host=host, outcome=Outcome.OK, status=200, digest=digest, place=place)
    settlement = Settlement(lease=lease, fate=Fate.DONE, outcome=Outcome.OK, answer=Answer(at=NOW), discovered=(entry,) * 10)
    return Visit(settlement=settlement, page=page, received=chance.randrange(9_000, 60_000), status=200, address="10.1.2.3")


def _alone() -> Table:
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place:
        measured = asyncio.run(_rounds(Path(place), visits()))
    rows: list[Row] = [{"step": step, "each": each, "bytes": size} for step, (each, size) in measured.items()]
    audit = measured["audit"][0]
    return Table("chronicle: a visit alone", STEPS, rows, [f"an audit looks at {1e6 / audit:,.0f} lines a second"])


async def _rounds(place: Path, made: list[Visit]) -> dict[str, tuple[float, float | None]]:
    """Return microseconds and bytes a visit of each step, the least of several rounds."""
    least: dict[str, tuple[float, float | None]] = {}
    for number in range(ROUNDS):
        directory = place / str(number)
        for step, (seconds, size) in _once(directory, made).items():
            each = (1e6 * seconds / len(made), size and size / len(made))
            least[step] = min(least.get(step, each), each)
    return least


def _once(directory: Path, made: list[Visit]) -> dict[str, tuple[float, float | None]]:
    groups = [made[start : start + GROUP] for start in range(0, len(made), GROUP)]
    began = thread_time()
    told = [([line_of(visit) for visit in group], refused_in(group)) for group in groups]
    lined = thread_time()
    writer = BlockWriter(directory, Tail(node="bench"))
    for number, (lines, refused) in enumerate(told):
        writer.append(lines, NOW + number / 10, Watermark(number, number * GROUP), refused)
    written, plain = thread_time(), plain_path(directory, 1).stat().st_size
    compress(directory, 1)
    compressed, packed = thread_time(), compressed_path(directory, 1).stat().st_size
    assert not [block for block in audited(directory) if block.problem]
    audit = thread_time()
    writer.sync()
    return {
        "line": (lined - began, None),
        "block": (written - lined, plain),
        "compression": (compressed - written, packed),
        "audit": (audit - compressed, None),
    }


# --- whole crawls ----------------------------------------------------------------------------------------------------


def _pairs(pairs: int) -> Table:
    rates: dict[str, list[float]] = {"visits": [], "off": []}
    size = events = 0
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place, serve.running("--pages", 2_000) as server:
        for number in range(pairs):
            for level in sorted(rates, reverse=number % 2 == 0):  # whoever is first is so every other time
                print(f"  chronicle.level {level} ...", flush=True)
                with tempfile.TemporaryDirectory(dir=place) as own:
                    server.count()
                    usage = measure.run(_command(server.url(False), level, own), place=Path(own), timeout=600)
                    rates[level].append(server.count()["pages"] / usage.cpu_seconds)
                    if level == "visits":
                        size, events = _packed(Path(own) / "crawl" / "chronicle")
    ratios = [without / told - 1 for told, without in zip(rates["visits"], rates["off"], strict=True)]
    remark = (
        f"{pairs} pairs, {100 * min(ratios):+.1f} to {100 * max(ratios):+.1f} %; {size / events:.1f} bytes a line, compressed"
    )
    row: Row = {"level": "visits", "rate": statistics.median(rates["visits"]), "price": 100 * statistics.median(ratios)}
    rows: list[Row] = [{**row, "remark": remark}, {"level": "off", "rate": statistics.median(rates["off"])}]
    return Table("chronicle: whole crawls in pairs", CRAWLS, rows)


def _command(url: str, level: str, place: str) -> list[str]:
    own = ["--delay", "0", "--connections", "32", "--allow-private", "127.0.0.0/8", "--set", f"chronicle.level={level}"]
    return [sys.executable, "-m", "gossamer", "crawl", url, "--dir", f"{place}/crawl", *own, "--json"]


def _packed(directory: Path) -> tuple[int, int]:
    """Return how many bytes the chronicle of a crawl takes when it is compressed, and how many lines it has."""
    lines = sum(block.lines for block in audited(directory))
    compress(directory, 1)
    return compressed_path(directory, 1).stat().st_size, lines
