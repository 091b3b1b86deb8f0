"""The only file that builds: from settings and a directory to a crawl with all its parts.

`Stores` is what a crawl keeps; `Crawl` is that plus everything a visit needs. Both close what they opened, last opened first.
"""

import socket
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.dedupe.exact import ExactDeduper
from gossamer.dns.cache import CachingResolver
from gossamer.dns.guard import AddressGuard
from gossamer.dns.resolver import DnsResolver
from gossamer.errors import ConfigError
from gossamer.filters.scope import Scope
from gossamer.protocols import Archive, Catalog, Deduper, Fetcher, Frontier, KeyValue, Processor, Resolver, Robots
from gossamer.records import Fetched, Place
from gossamer.registry import choose, keys
from gossamer.robots.cache import RobotsCache
from gossamer.robots.rules import Rules, parse
from gossamer.url.parse import Url
from gossamer.worker.admit import Admission
from gossamer.worker.aside import Aside, greeted, serve
from gossamer.worker.budget import Budget
from gossamer.worker.checkpoint import Stillness, take_checkpoint
from gossamer.worker.crawl import Crawler
from gossamer.worker.events import Events, Tally
from gossamer.worker.gate import Gate
from gossamer.worker.lists import Lists
from gossamer.worker.pool import Pool
from gossamer.worker.reading import Reader
from gossamer.worker.request import Requests
from gossamer.worker.settle import Settler

WORKER = "one"  # the name of the only worker of a crawl in one process
NO_CONTACT = "no contact given"
CHILD = (sys.executable, "-P", "-c", "import sys; from gossamer.assemble import read_aside; read_aside(int(sys.argv[1]))")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """What a crawl keeps, opened; and the rules that explain it."""

    directory: Path
    settings: Settings
    clock: Clock
    frontier: Frontier
    kv: KeyValue
    catalog: Catalog
    robots: Robots
    deduper: Deduper
    admission: Admission
    stillness: Stillness
    user_agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """A crawl that is ready to run."""

    stores: Stores
    archive: Archive
    requests: Requests
    events: Events
    tally: Tally
    pool: Pool


def user_agent(settings: Settings) -> str:
    """Return the user agent with version and contact filled in."""
    contact = settings.crawl.contact or NO_CONTACT
    return settings.crawl.user_agent.replace("{version}", version("gossamer")).replace("{contact}", contact)


def open_catalog(directory: Path, settings: Settings) -> Catalog:
    """Open the catalog alone: it can be read while a crawl writes it."""
    scheme, path = _located(settings.storage.catalog, directory, "storage.catalog")
    catalog: Catalog = choose("catalog", scheme).open(path, _is_durable(settings))
    return catalog


def read_record(directory: Path, settings: Settings, place: Place) -> Fetched:
    """Read a kept answer without opening the archive, so that it works beside a crawl that writes it."""
    chosen, path = _archive(directory, settings)
    fetched: Fetched = chosen.read_at(path, place)
    return fetched


def archive_problems(directory: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Walk over the archive's files: name, and what is wrong with it; an empty text for a file that is whole."""
    chosen, path = _archive(directory, settings)
    yield from chosen.problems(path)


def merge_index(directory: Path, settings: Settings) -> Path:
    """Make one index of all closed archive files."""
    chosen, path = _archive(directory, settings)
    merged: Path = chosen.merge_at(path)
    return merged


async def checkpoint_stores(stores: Stores, target: Path) -> None:
    """Copy everything a crawl keeps into a new directory, consistently."""
    settings, there = stores.settings, target
    chosen, path = _archive(stores.directory, settings)

    async def archive() -> None:
        chosen.checkpoint_at(path, there / path.name)

    copies = (
        lambda: stores.frontier.checkpoint(_located(settings.frontier.uri, there, "frontier.uri")[1]),
        lambda: stores.kv.checkpoint(_located(settings.storage.kv, there, "storage.kv")[1]),
        lambda: stores.catalog.checkpoint(_located(settings.storage.catalog, there, "storage.catalog")[1]),
        archive,
    )
    await take_checkpoint(stores.stillness, copies)


def robots_rules(text: str | bytes, settings: Settings) -> Rules:
    """Read a robots.txt."""
    return parse(text, settings.robots.max_bytes)


def memory_robots(settings: Settings) -> Robots:
    """Return a robots.txt cache that lives as long as the process."""
    return RobotsCache(settings.robots, choose("kv", "memory")())


def make_admission(settings: Settings, seeds: Iterable[Url]) -> Admission:
    """Build the rules a link must pass, plugins included."""
    filters = [choose("filter", key)(settings) for key in keys("filter")]
    scorers = [choose("scorer", key)(settings) for key in keys("scorer")]
    scope = Lists(settings.scope).refreshed(Scope(settings.scope, seeds))
    return Admission(settings, scope, filters, scorers[0] if scorers else None)


def make_processors(settings: Settings) -> dict[str, Processor]:
    """Build one processor per class, named by every MIME type it reads."""
    made: dict[Any, Processor] = {}
    by_type = {}
    for mime in keys("processor"):
        chosen = choose("processor", mime)
        if chosen not in made:
            made[chosen] = chosen(settings.documents.max_links, agent="gossamer", meta=settings.robots.meta)
        by_type[mime] = made[chosen]
    return by_type


def make_fetchers(settings: Settings, resolver: Resolver, clock: Clock) -> dict[str, Fetcher]:
    """Build one fetcher per class, named by every scheme it speaks."""
    made: dict[Any, Fetcher] = {}
    by_scheme = {}
    guard = AddressGuard(settings.fetch.allow_private).refusal
    for scheme in keys("fetcher"):
        chosen = choose("fetcher", scheme)
        if chosen not in made:
            made[chosen] = chosen(settings.fetch, resolver, guard, clock)
        by_scheme[scheme] = made[chosen]
    return by_scheme


@asynccontextmanager
async def open_requests(settings: Settings, clock: Clock) -> AsyncIterator[Requests]:
    """Open what sends requests: resolver and fetchers."""
    async with AsyncExitStack() as stack:
        resolver = CachingResolver(DnsResolver(settings.dns), settings.dns)
        stack.push_async_callback(resolver.aclose)
        fetchers = make_fetchers(settings, resolver, clock)
        for fetcher in set(fetchers.values()):
            stack.push_async_callback(fetcher.aclose)
        yield Requests(settings, fetchers, user_agent(settings), clock)


@asynccontextmanager
async def open_stores(directory: Path, settings: Settings, seeds: Iterable[Url], clock: Clock) -> AsyncIterator[Stores]:
    """Open what a crawl keeps. The caller holds the directory's lock."""
    async with AsyncExitStack() as stack:
        scheme, path = _located(settings.storage.kv, directory, "storage.kv")
        kv: KeyValue = choose("kv", scheme).open(path, _is_durable(settings))
        stack.push_async_callback(kv.aclose)
        catalog = open_catalog(directory, settings)
        stack.push_async_callback(catalog.aclose)
        scheme, path = _located(settings.frontier.uri, directory, "frontier.uri")
        frontier: Frontier = choose("frontier", scheme).open(
            path,
            settings.frontier,
            settings.politeness,
            settings.breaker,
            settings.crawl.lease,
            clock.now(),
            _is_durable(settings),
        )
        stack.push_async_callback(frontier.aclose)
        yield Stores(
            directory=directory,
            settings=settings,
            clock=clock,
            frontier=frontier,
            kv=kv,
            catalog=catalog,
            robots=RobotsCache(settings.robots, kv),
            deduper=ExactDeduper(kv),
            admission=make_admission(settings, seeds),
            stillness=Stillness(),
            user_agent=user_agent(settings),
        )


@asynccontextmanager
async def open_crawl(directory: Path, settings: Settings, seeds: Iterable[Url], clock: Clock) -> AsyncIterator[Crawl]:
    """Open a crawl, ready to run. The caller holds the directory's lock."""
    async with AsyncExitStack() as stack:
        stores = await stack.enter_async_context(open_stores(directory, settings, seeds, clock))
        requests = await stack.enter_async_context(open_requests(settings, clock))
        archive = _open_archive(stores)
        stack.push_async_callback(archive.aclose)
        aside = Aside(CHILD, settings.model_dump_json().encode(), settings.documents.deadline)
        stack.push_async_callback(aside.aclose)
        yield _crawl(stores, requests, archive, aside)


def read_aside(descriptor: int) -> None:
    """Read heavy documents for a crawl, which is at the other end of a socket; a child process runs this."""
    with socket.socket(fileno=descriptor) as connection:
        serve(connection, make_processors(Settings.model_validate_json(greeted(connection))))


def _open_archive(stores: Stores) -> Archive:
    chosen, path = _archive(stores.directory, stores.settings)
    about = {
        "software": f"gossamer/{version('gossamer')}",
        "http-header-user-agent": stores.user_agent,
        "robots": "obey" if stores.settings.robots.obey else "ignore",
        "operator": stores.settings.crawl.contact or NO_CONTACT,
    }
    archive: Archive = chosen.open(path, stores.settings.storage, about, stores.clock.now, WORKER)
    return archive


def _crawl(stores: Stores, requests: Requests, archive: Archive, aside: Aside) -> Crawl:
    settings, clock, events, tally = stores.settings, stores.clock, Events(), Tally()
    events.subscribe(tally)
    settler = Settler(
        archive,
        stores.deduper,
        stores.catalog,
        stores.frontier,
        stores.robots,
        stores.admission,
        stores.stillness,
        events,
        clock,
    )
    crawler = Crawler(
        settings=settings,
        gate=Gate(stores.frontier, stores.robots, archive, stores.admission, requests, settler, clock),
        requests=requests,
        deduper=stores.deduper,
        archive=archive,
        reader=Reader(settings, make_processors(settings), aside),
        admission=stores.admission,
        settler=settler,
        events=events,
        clock=clock,
    )
    kept = stores.catalog.totals()
    pool = Pool(
        worker=WORKER,
        visit=crawler.visit,
        frontier=stores.frontier,
        admission=stores.admission,
        lists=Lists(settings.scope),
        budget=Budget(settings.crawl, kept.pages, kept.bytes, clock.now()),
        events=events,
        settings=settings.crawl,
        directory=stores.directory,
        clock=clock,
    )
    return Crawl(stores=stores, archive=archive, requests=requests, events=events, tally=tally, pool=pool)


def _archive(directory: Path, settings: Settings) -> tuple[Any, Path]:
    scheme, path = _located(settings.storage.archive, directory, "storage.archive")
    return choose("archive", scheme), path


def _is_durable(settings: Settings) -> bool:
    return settings.storage.durability == "durable"


def _located(uri: str, directory: Path, knob: str) -> tuple[str, Path]:
    """Split `scheme:path`; the path is below the crawl's directory."""
    scheme, colon, path = uri.partition(":")
    if not colon or not path:
        raise ConfigError(f"{knob} is {uri!r}, which is no store; write it like rocksdb:frontier")
    return scheme, directory / path
