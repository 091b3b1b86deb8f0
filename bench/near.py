"""Near duplicates: what a lookup and an insert cost with so many pages known, what a SimHash costs, and what it tells.

Each size is measured in a fresh process on a fresh store that runs as in a crawl: durable, with its sync, flush and compaction
threads, whose CPU counts. Nine of ten pages have a SimHash of their own, the tenth differs in up to three bits from an earlier
one. The first pages are only written, many at a time; the last are looked up and written, 16 at a time as visits end.

What it tells is measured on the documentation of Python, cut into texts of one length, of which some words are exchanged for
others of the same documentation.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from itertools import combinations, islice
from pathlib import Path
from pydoc_data.topics import topics
from random import Random

import uvloop

from bench.measure import MEGABYTE, ROOT, Account, least, peak_resident, resident, size_of
from bench.progress import Bar
from bench.table import Column, Row, Table
from gossamer.dedupe.near import NEAR, NearIndex
from gossamer.dedupe.simhash import likeness_of, usual_way
from gossamer.dedupe.vectors import reckon
from gossamer.kv.rocks import RocksKeyValue
from gossamer.records.likeness import Likeness, distance
from gossamer.records.page import Original

AT_ONCE = 16  # visits that end together
WRITTEN_AT_ONCE = 512  # pages that are only written
SAMPLE = 500_000  # pages looked up and written, enough for compaction to have its share
WORDS = 1_700  # of a page
SHARES = (1 / WORDS, 0.002, 0.01, 0.02, 0.05, 0.2)  # of words exchanged
TRIES = 10  # of each text and share
SIZES = {"quick": (10_000, 100_000), "usual": (100_000, 1_000_000), "full": (100_000, 1_000_000, 10_000_000)}

INDEX = (
    Column("pages", "pages", ",d"),
    Column("write", "write only us", ",.0f"),
    Column("claim", "lookup us", ",.0f"),
    Column("commit", "insert us", ",.0f"),
    Column("both", "both us", ",.0f", headline=True),
    Column("resident", "RSS MB", ",.0f"),
    Column("peak", "peak MB", ",.0f"),
    Column("disk", "disk B/page", ",.0f"),
)
COST = (Column("way", "way"), Column("microseconds", "us", ",.1f", headline=True))
MEANING = (
    Column("pairs", "pairs"),
    Column("number", "number", ",d"),
    Column("near", "near", ".1f", " %"),
    Column("mean", "bits, mean", ".1f"),
    Column("least", "least", "d"),
    Column("most", "most", "d"),
)


def tables(scale: str) -> list[Table]:
    """Measure every size of a scale, each in a process of its own, then SimHashes."""
    return [index_table([measured_apart(pages) for pages in SIZES[scale]]), cost_table(), meaning_table()]


def index_table(rows: list[Row]) -> Table:
    """Return the table of measured sizes."""
    notes = [
        "CPU of the process for a page, compaction included; the last pages are looked up and inserted, those before written",
        "issue 5 wants lookup and insert under 200 us at a million pages and under 300 us at ten million",
    ]
    return Table("near: the index", INDEX, rows, notes)


def cost_table() -> Table:
    """Return what the SimHash of one text costs."""
    text = texts(WORDS)[0].encode("ascii", "ignore").decode()
    rows: list[Row] = []
    for script, sample in (("ASCII", text), ("with accents", text.replace("e", "\xe9"))):  # whose case takes longer to fold
        for name, way in (("usual", usual_way()), ("vectors", reckon)):
            rows.append({"way": f"{name}, {script}", "microseconds": least(partial(likeness_of, sample, way), 20)})
    notes = ["case folding included; issue 5 wants 800 us at most, 150 as a goal"]
    return Table(f"near: SimHash of {WORDS:,} words", COST, rows, notes)


def meaning_table() -> Table:
    """Return how far texts are apart that differ in so many words."""
    chance, originals = Random(5), texts(WORDS)
    rows = []
    for share in SHARES:
        pairs = [(text, edited(text, share, chance)) for text in originals for _ in range(TRIES)]
        rows.append(_meaning(f"{share:.1%} of words exchanged" if share > 1 / WORDS else "one word exchanged", pairs))
    rows.append(_meaning("unrelated", list(combinations(originals, 2))))
    return Table(f"near: texts of {WORDS:,} words", MEANING, rows, [f"near: at most {NEAR} of 64 bits differ"])


def _meaning(name: str, pairs: Sequence[tuple[str, str]]) -> Row:
    apart = [distance(likeness_of(one).simhash, likeness_of(two).simhash) for one, two in pairs]
    near = 100 * sum(bits <= NEAR for bits in apart) / len(apart)
    mean = sum(apart) / len(apart)
    return {"pairs": name, "number": len(apart), "near": near, "mean": mean, "least": min(apart), "most": max(apart)}


def texts(words: int) -> list[str]:
    """Return real texts of so many words, no two of which share a passage: Python's own documentation."""
    passages = (passage for topic in sorted(topics) for passage in topics[topic].split("\n\n"))
    told = iter(" ".join(dict.fromkeys(passages)).split())  # several topics quote the same passages
    cut = []
    while len(text := list(islice(told, words))) == words:
        cut.append(" ".join(text))
    return cut


def edited(text: str, share: float, chance: Random) -> str:
    """Exchange a share of the words of a text for others of it."""
    words = text.split()
    for place in chance.sample(range(len(words)), max(round(share * len(words)), 1)):
        while (other := chance.choice(words)) == words[place]:
            pass
        words[place] = other
    return " ".join(words)


def measured_apart(pages: int) -> Row:
    """Measure one size in a fresh process."""
    command = [sys.executable, "-m", "bench.near", "--pages", str(pages)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=ROOT)
    row: Row = json.loads(done.stdout)
    return row


async def measure(directory: Path, pages: int) -> Row:
    """Write pages into an index, then look up and write some more."""
    account, sample = Account(), min(SAMPLE, pages // 2)
    store = RocksKeyValue.open_at(directory)
    index = NearIndex(store)
    with Bar(f"write {pages:,} pages", pages) as bar:
        for start in range(0, pages - sample, WRITTEN_AT_ONCE):
            batch = [_page(number) for number in range(start, min(start + WRITTEN_AT_ONCE, pages - sample))]
            with account.on("write"):
                await index.commit(batch)
            bar.forward(len(batch))
        for start in range(pages - sample, pages, AT_ONCE):
            await _visit(index, [_page(number) for number in range(start, min(start + AT_ONCE, pages))], account)
            bar.forward(AT_ONCE)
    held = resident()
    await store.aclose()
    each = {name: 1e6 * account.spent[name] / (pages - sample if name == "write" else sample) for name in account.spent}
    return {
        "pages": pages,
        **each,
        "both": each["claim"] + each["commit"],
        "resident": held / MEGABYTE,
        "peak": peak_resident() / MEGABYTE,
        "disk": size_of(directory) / pages,
    }


async def _visit(index: NearIndex, batch: Sequence[tuple[Likeness, Original]], account: Account) -> None:
    with account.on("claim"):
        twins = [await index.claim(likeness, page) for likeness, page in batch]
    firsts = [each for each, twin in zip(batch, twins, strict=True) if twin is None]
    members = [(twin[0], page, twin[1]) for (_, page), twin in zip(batch, twins, strict=True) if twin is not None]
    with account.on("commit"):
        await index.commit(firsts, members)


def _page(number: int) -> tuple[Likeness, Original]:
    """Make up a page; the tenth is like an earlier one."""
    chance = Random(number)
    simhash = chance.getrandbits(64)
    if number % 10 == 9:
        simhash = Random(chance.randrange(number)).getrandbits(64)
        for bit in chance.sample(range(64), chance.randint(1, NEAR)):
            simhash ^= 1 << bit
    url = f"https://h{number % 9973}.example.org/articles/{number:x}.html"
    return Likeness(simhash, WORDS), Original(url, url, 1_700_000_000.0 + number, False)


def main() -> None:
    """Measure one size here and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place:
        row = uvloop.run(measure(Path(place) / "kv", given.pages))
        sys.stdout.write(json.dumps(row) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
