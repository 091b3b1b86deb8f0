"""Damage to the files of a crawl, and the judgement of what became of it: unchanged, made again, or refused in one sentence."""

import json
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random

from gossamer.assemble import Stores, open_stores
from gossamer.clock import SystemClock
from gossamer.errors import GossamerError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.records.page import Page

UNREAD = ("LOCK", "LOG", "LOG.old", "lock", "crawl.log")  # nobody asks what is in these
REMEDIES = ("restore", "remove", "gossamer ")


@dataclass(frozen=True)
class Damage:
    """What is done to one file."""

    file: str  # by its path in the crawl
    how: str
    at: int
    bit: int = 0

    def strike(self, crawl: Path) -> None:
        """Do it."""
        path = crawl / self.file
        content = bytearray(path.read_bytes())
        if self.how == "cut":
            del content[self.at :]
        else:
            content[self.at] ^= 1 << self.bit
        path.unlink()  # it may be a link
        path.write_bytes(content)


def files_of(crawl: Path) -> list[str]:
    """Return the files of a crawl that can be damaged."""
    every = (path for path in sorted(crawl.rglob("*")) if path.is_file() and path.stat().st_size)
    return [str(path.relative_to(crawl)) for path in every if not path.name.startswith(UNREAD)]


def damages(crawl: Path, count: int, random: Random) -> list[Damage]:
    """Return that many damages, each kind of file in its turn: flips of a bit, cuts at any byte or just before the end."""
    files = files_of(crawl)
    made = []
    for number in range(count):
        file = files[number % len(files)]
        size = (crawl / file).stat().st_size
        if random.random() < 0.5:
            made.append(Damage(file, "flip", random.randrange(size), random.randrange(8)))
        else:
            made.append(Damage(file, "cut", random.choice((0, size - 1, random.randrange(size), random.randrange(size)))))
    return made


def copied(crawl: Path, target: Path) -> Path:
    """Copy a crawl without what nobody reads."""
    shutil.copytree(crawl, target, ignore=shutil.ignore_patterns("LOG*", "control.sock"))
    return target


async def content_of(crawl: Path) -> dict[str, object]:
    """Open all of a crawl as a run would, and return what it knows."""
    directory = CrawlDirectory.open(crawl)
    settings, seeds = directory.settings(), directory.seeds()
    with directory.lock():
        async with open_stores(crawl, settings, seeds, SystemClock()) as stores:
            content: dict[str, object] = {"settings": settings, "seeds": seeds, **await _frontier_of(stores)}
            pages = [page async for page in stores.catalog.pages()]
            content["catalog"] = sorted(pages, key=lambda page: page.key)
            content["counts"] = await stores.catalog.counts()
            content["versions"] = [await stores.catalog.versions(page.key) for page in pages]
            content["kv"] = [pair async for pair in stores.kv.scan(b"")]
            content["graph"] = sorted([page async for page in stores.graph.pages()])
            content["ranks"] = len(await stores.graph.ranks())
            content["archive"] = [problem async for _, problem in stores.archive.problems() if problem]
            await stores.archive.merge()
            content["index"] = _index_of(crawl / "warc" / "index.cdxj", pages)
    return content


def _index_of(merged: Path, kept: list[Page]) -> list[str]:
    """Return the lines of an index; one that is made again has the digests of probes and robots.txt, too."""
    pages = {str(page.place.offset) for page in kept if page.place is not None}
    told = []
    for line in merged.read_text().splitlines():
        key, when, facts = line.split(" ", 2)
        found = json.loads(facts)
        told.append(f"{key} {when} { ({**found, 'digest': found['digest'] if found['offset'] in pages else ''}) }")
    return told


async def _frontier_of(stores: Stores) -> dict[str, object]:
    frontier = stores.frontier
    known = sorted([known async for known in frontier.known()], key=lambda each: each.entry.key)
    found = [await frontier.lookup(each.entry.key) for each in known]
    hosts = sorted([(host.host, host.waiting, host.leased, host.policy) async for host in frontier.hosts()])
    statistics = await frontier.statistics()
    states = [getattr(statistics, state) for state in ("waiting", "leased", "done", "dead", "removed", "not_for_us", "hosts")]
    return {"known": known, "lookup": found, "hosts": hosts, "states": states}


async def judge(crawl: Path, damage: Damage, expected: dict[str, object]) -> str:
    """Return what became of a damaged crawl; raise what is none of the ways that are allowed."""
    lines = _Lines()
    logging.getLogger("gossamer").addHandler(lines)
    try:
        content = await content_of(crawl)
    except GossamerError as error:
        sentence = str(error)
        assert "\n" not in sentence and any(word in sentence for word in REMEDIES), f"no remedy: {sentence}"
        assert str(crawl) in sentence or Path(damage.file).name in sentence, f"names no file: {sentence}"
        return "refused"
    finally:
        logging.getLogger("gossamer").removeHandler(lines)
    if content["archive"] and damage.file.endswith(".warc.gz"):
        return "refused"  # by `verify`, which names the file
    changed = [name for name in expected if content[name] != expected[name]]
    assert not changed, f"silently different: {changed}"
    return "made again" if any(str(crawl / damage.file) in line for line in lines.told) else "unchanged"


class _Lines(logging.Handler):
    """Keeps the warnings of ours."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.told.append(record.getMessage())
