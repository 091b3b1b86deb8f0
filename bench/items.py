"""The items of a shop: what a reader costs a page, and the same task done by Scrapy and Crawlee.

gossamer crawls the shop of simweb in turns without and with the script of the README, so that what the machine does besides
strikes both alike; the peers write the same items to a file and keep no page. Every crawler obeys robots.txt, and the shop
knows how many items there are. CPU is that of the whole tree of processes, the server apart.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench import install, measure
from bench.table import Column, Row, Table

PEERS = Path(__file__).parent / "peers"
TIMEOUT = 900.0
SCRIPT = """\
from gossamer.script import reads

@reads("text/html", r"/item/\\d+")
def item(page):
    yield {"url": page.url, "name": page.css_first("h1").text(), "price": page.css_first(".price").text()}
"""
COLUMNS = (
    Column("crawler", "crawler"),
    Column("lines", "lines of code", "d"),
    Column("pages", "pages", ",d"),
    Column("items", "items", ",d"),
    Column("cpu_seconds", "CPU s", ".2f"),
    Column("rate", "pages/CPU-s", ",.0f", headline=True),
    Column("each", "ms CPU an item more", ".2f"),
    Column("remark", "remark"),
)


def tables(scale: str) -> list[Table]:
    """Crawl the shop with everybody."""
    missing = install.install()
    things, pairs = (300, 2) if scale == "quick" else (3_000, 5)
    table = Table("items: a shop", COLUMNS, notes=missing)
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place, _shop(Path(place), things) as url:
        table.rows = list(_rows(Path(place), url, things, pairs))
    return [table]


def _rows(place: Path, url: str, things: int, pairs: int) -> Iterator[Row]:
    script = place / "shop.py"
    script.write_text(SCRIPT)
    pages = len(_seen(place))
    without, with_script = [], []
    for number in range(pairs):
        print(f"  pair {number + 1} of {pairs} ...", flush=True)
        without.append(_gossamer(place / f"without {number}", url))
        with_script.append(_gossamer(place / f"with {number}", url, "--script", str(script)))
    each = sorted((one - other) / things * 1000 for one, other in zip(with_script, without, strict=True))
    assert _items(place / f"with {pairs - 1}") == things, "items are missing"
    yield _row("gossamer, no script", 0, pages, 0, median(without), None, f"{pairs} runs")
    spread = f"{pairs} pairs in turns, {each[0]:.2f} to {each[-1]:.2f} ms"
    yield _row("gossamer, the script", _lines(SCRIPT), pages, things, median(with_script), median(each), spread)
    for name in ("scrapy", "crawlee") if install.has_peers() else ():
        print(f"  {name} ...", flush=True)
        program, file = PEERS / f"shop_with_{name}.py", place / f"{name}.jsonl"
        usage = measure.run([str(install.PYTHON), str(program), url, str(file)], place=place, timeout=TIMEOUT)
        found = len(file.read_text().splitlines()) if file.exists() else 0
        yield _row(name.capitalize(), _lines(program.read_text()), pages, found, usage.cpu_seconds, None, "keeps no page")


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def _row(name: str, lines: int, pages: int, items: int, cpu: float, each: float | None, remark: str) -> Row:
    return {
        "crawler": name,
        "lines": lines,
        "pages": pages,
        "items": items,
        "cpu_seconds": cpu,
        "rate": pages / cpu,
        "each": each,
        "remark": remark,
    }


def _gossamer(place: Path, url: str, *options: str) -> float:
    """Crawl the shop; return CPU-seconds."""
    place.mkdir()
    own = ["--delay", "0", "--connections", "32", "--allow-private", "127.0.0.0/8", "--json", *options]
    command = [sys.executable, "-m", "gossamer", "crawl", url, "--dir", str(place / "crawl"), *own]
    return measure.run(command, place=place, timeout=TIMEOUT).cpu_seconds


def _items(place: Path) -> int:
    from gossamer.script import open_crawl

    with open_crawl(place / "crawl") as crawl:
        return sum(1 for _ in crawl.items())


def _seen(place: Path) -> list[str]:
    """Return the pages of the shop that are to be fetched."""
    entries = [json.loads(line) for line in (place / "manifest.jsonl").read_text().splitlines()]
    return [entry["url"] for entry in entries if entry["fetch"] and entry["host"] == "shop.sim"]


@contextmanager
def _shop(place: Path, things: int) -> Iterator[str]:
    """Serve the shop."""
    words = [sys.executable, "-m", "gossamer.simweb", "--hosts", "1", "--pages", "1", "--plain", "--shop", str(things)]
    words += ["--manifest", str(place / "manifest.jsonl")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield f"http://127.0.0.1:{json.loads(server.stdout.readline())['port']}/"
        finally:
            server.terminate()
