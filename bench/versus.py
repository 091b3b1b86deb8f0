"""A whole crawl of the same site by every crawler at hand: pages per CPU-second of the process tree.

gossamer runs with every duty on (robots.txt, seen test on disk, dedupe, WARC, catalog, durable) and no delay; the others as
cheaply as they can be told to run: nothing stored, nothing logged. All follow every link of the site, start-up counts, and the
server is the witness of how many pages each one fetched.

On a shared machine the same crawl costs more CPU when neighbours are busy. So gossamer runs before and after every peer, a
ratio is taken to those two runs, and the table says how dear a fixed piece of work was while each one ran.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from bench import install, measure, nginx, plot, serve, site
from bench.table import Column, Row, Table, Value

PEERS = Path(__file__).parent / "peers"
TIMEOUT = 900.0
COLUMNS = (
    Column("site", "site"),
    Column("crawler", "crawler"),
    Column("pages", "pages", ",d"),
    Column("seconds", "seconds", ".1f"),
    Column("cpu_seconds", "CPU s", ".2f"),
    Column("rate", "pages/CPU-s", ",.0f", headline=True),
    Column("machine", "machine", ".2f"),
    Column("peak", "peak MB", ",.0f"),
    Column("ratio", "gossamer is", ".1f", "x"),
    Column("remark", "remark"),
)


@dataclass(frozen=True)
class Ground:
    """A site to crawl, and how."""

    name: str
    options: tuple[object, ...]
    secure: bool = False
    kept: tuple[int, int, int] | None = None  # pages, size, links of a site behind nginx, over TLS with connections kept


@dataclass(frozen=True)
class Crawler:
    """A crawler at hand, and how to run it: URL and a directory of its own to a command."""

    name: str
    version: str
    command: Callable[[str, Path], list[str]]


def tables(scale: str) -> list[Table]:
    """Crawl every site with every crawler."""
    missing, crawlers = install.install(), list(at_hand())
    versions = ", ".join(f"{each.name} {each.version}" for each in crawlers)
    table = Table("versus: a whole crawl", COLUMNS, notes=[versions, *missing])
    table.notes += [
        "gossamer does all its duties and syncs; the others store nothing; Scrapy, tuned and Crawlee are spared known links",
        "gossamer is: pages/CPU-s of its runs right before and after, to theirs; gossamer's own row is its middle run",
        "machine: CPU that the same fixed work took meanwhile, to the calmest row of the site; 1.00 is undisturbed",
    ]
    for ground in grounds(scale):
        table.rows += _race(ground, crawlers)
    plot.draw(table.rows, scale)
    return [table]


def grounds(scale: str) -> Iterator[Ground]:
    """Walk over the sites of a scale."""
    pages = 200 if scale == "quick" else 2_000
    yield Ground("25 KB", ("--pages", pages, "--size", 25_000, "--links", 100))
    yield Ground("150 KB", ("--pages", pages, "--size", 150_000, "--links", 264))
    if scale != "quick" and site.has_documentation():
        yield Ground("documentation", ("--documentation",))
    yield Ground("25 KB, TLS", ("--pages", pages, "--size", 25_000, "--links", 100), secure=True)
    if nginx.is_at_hand():
        yield Ground("25 KB, TLS kept", (), secure=True, kept=(pages, 25_000, 100))


def at_hand() -> Iterator[Crawler]:
    """Walk over the crawlers that can be run here."""
    yield Crawler("gossamer", _version([sys.executable, "-m", "gossamer", "--version"]), _gossamer)
    if install.has_peers():
        for name, package, *words in (("Scrapy", "scrapy"), ("Scrapy, tuned", "scrapy", "tuned"), ("Crawlee", "crawlee")):
            asked = [str(install.PYTHON), "-c", f"from importlib.metadata import version; print(version({package!r}))"]
            yield Crawler(name, _version(asked), _python_peer(package, words))
    for name, make in (("wget", _wget), ("wget2", _wget2)):
        if shutil.which(name):
            yield Crawler(name, _version([name, "--version"]), make)


def _race(ground: Ground, crawlers: list[Crawler]) -> list[Row]:
    """Run gossamer, a peer, gossamer, the next peer, and so on."""
    with tempfile.TemporaryDirectory(prefix="gossamer-bench-") as place, _serving(ground, Path(place)) as server:
        ours, *peers = crawlers
        runs, rows = [_measured(ground, ours, server, Path(place))], []
        for peer in peers:
            row = _measured(ground, peer, server, Path(place))
            runs.append(_measured(ground, ours, server, Path(place)))
            rows.append({**row, "ratio": ratio(runs[-2:], row)})
    return _to_calmest([middle(runs), *rows])


def _serving(ground: Ground, place: Path) -> AbstractContextManager[serve.Running | nginx.Running]:
    if ground.kept:
        return nginx.running(place, *ground.kept)
    options = ("--certificate", f"{place}/authority.pem") if ground.secure else ()
    return serve.running(*ground.options, *options)


def ratio(ours: list[Row], theirs: Row) -> float | None:
    """Return how many times as many pages a CPU-second our runs before and after a peer's made."""
    cpu = sum(number(run["cpu_seconds"]) for run in ours)
    pages = sum(number(run["pages"]) for run in ours)
    return pages / cpu / number(theirs["rate"]) if pages and theirs["rate"] else None


def middle(runs: list[Row]) -> Row:
    """Return the run in the middle, with the range of all of them."""
    ordered = sorted(runs, key=lambda run: number(run["rate"]))
    chosen = ordered[len(ordered) // 2]
    spread = f"{len(runs)} runs, {number(ordered[0]['rate']):,.0f} to {number(ordered[-1]['rate']):,.0f}"
    return {**chosen, "remark": ", ".join(filter(None, [str(chosen["remark"]), spread]))}


def number(value: Value) -> float:
    """Return a figure; 0 for one that is missing."""
    return float(value or 0)


def _to_calmest(rows: list[Row]) -> list[Row]:
    calmest = min(number(row["machine"]) for row in rows)
    return [{**row, "machine": number(row["machine"]) / calmest} for row in rows]


def _measured(ground: Ground, crawler: Crawler, server: serve.Running | nginx.Running, place: Path) -> Row:
    print(f"  {ground.name}: {crawler.name} ...", flush=True)
    server.count()
    with tempfile.TemporaryDirectory(dir=place) as own:
        command = crawler.command(server.url(ground.secure), Path(own))
        usage = measure.run(command, place=Path(own), timeout=TIMEOUT)
    seen = server.count()
    short = f"only {seen['pages']:,} of {seen['of']:,} pages, exit code {usage.code}" if seen["pages"] < seen["of"] else ""
    more = seen["requests"] - seen["pages"]
    return {
        "site": ground.name,
        "crawler": crawler.name,
        "pages": seen["pages"],
        "seconds": usage.seconds,
        "cpu_seconds": usage.cpu_seconds,
        "rate": seen["pages"] / usage.cpu_seconds if seen["pages"] else None,
        "machine": usage.yardstick,
        "peak": usage.peak / measure.MEGABYTE,
        "ratio": None,
        "remark": ", ".join(filter(None, [short, f"{more:,} other requests" if more > 1 else ""])),
    }


def _gossamer(url: str, place: Path) -> list[str]:
    own = ["--delay", "0", "--connections", "32", "--allow-private", "127.0.0.0/8", "--insecure"]
    long = ["--set", "documents.max_links=100000"]  # the index of a manual has thousands
    return [sys.executable, "-m", "gossamer", "crawl", url, "--dir", str(place / "crawl"), *own, *long, "--json"]


def _python_peer(package: str, words: list[str]) -> Callable[[str, Path], list[str]]:
    return lambda url, place: [str(install.PYTHON), str(PEERS / f"with_{package}.py"), url, *words]


def _wget(url: str, place: Path) -> list[str]:
    own = ["--no-config", "--quiet", "--no-hsts", "--no-check-certificate", "--delete-after", "--no-proxy"]
    return ["wget", *own, "--recursive", "--level=inf", "--follow-tags=a", f"--directory-prefix={place}", url]


def _wget2(url: str, place: Path) -> list[str]:
    own = ["--no-config", "--quiet", "--no-hsts", "--no-hpkp", "--no-ocsp", "--no-check-certificate", "--delete-after"]
    tags = "--ignore-tags=img/src,link/href,script/src"
    return ["wget2", *own, "--no-proxy", "--recursive", "--level=0", tags, f"--directory-prefix={place}", url]


def _version(command: list[str]) -> str:
    said = subprocess.run(command, capture_output=True, text=True).stdout.split()
    return next((word for word in said if word[:1].isdigit()), "")
