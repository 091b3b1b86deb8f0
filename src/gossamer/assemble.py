"""The only file that builds: from settings and a directory to a crawl with all its parts.

`Stores` is what a crawl keeps; `Crawl` is that plus everything a visit needs. Both close what they opened, last opened first.
"""

import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import cache
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from gossamer.archives import chosen_archive, finish_pruning, refuse_emptiness, refuse_missing
from gossamer.clock import Clock, SystemClock
from gossamer.config.sections import Settings
from gossamer.dedupe.claims import StoredClaims
from gossamer.document.sniff import GZIP
from gossamer.duplicates import make_dedupers
from gossamer.filters.scope import Scope
from gossamer.graphs import LatestRanks, graph_at, ranking
from gossamer.joints.archive import Archive
from gossamer.joints.catalog import Catalog
from gossamer.joints.commits import Commits
from gossamer.joints.documents import Processor
from gossamer.joints.frontier import Frontier, Leasing
from gossamer.joints.graph import LinkGraph
from gossamer.joints.keyvalue import KeyValue
from gossamer.joints.lessons import Lessons, Teaching
from gossamer.joints.robots import Advice, Robots
from gossamer.joints.sameness import Claims, Deduper, NearDuplicates
from gossamer.lessons.book import LessonBook
from gossamer.network import make_addressing, make_fetchers
from gossamer.node.briefing import Briefing, RevisitPrice
from gossamer.node.chains import Chains
from gossamer.node.checkpoint import CommitPause, take_checkpoint
from gossamer.node.commit import Committer
from gossamer.node.recall import Recall
from gossamer.policy.turn import TurnRules
from gossamer.readers.child import ReaderGreeting
from gossamer.readers.processes import ReaderProcesses
from gossamer.readers.reading import Reader
from gossamer.registry import choose, keys, located, named
from gossamer.robots.cache import RobotsCache
from gossamer.robots.rules import Rules, parse
from gossamer.run.lists import Lists
from gossamer.run.lookout import Lookout
from gossamer.run.node import Node
from gossamer.run.pool import Pool
from gossamer.url.parse import Url
from gossamer.visit.admit import LinkJudge
from gossamer.visit.arrivals import Arrivals
from gossamer.visit.compare import Sameness
from gossamer.visit.crawl import Crawler
from gossamer.visit.gate import Gate
from gossamer.visit.links import Outlinks
from gossamer.visit.probe import Prober
from gossamer.visit.request import Requests
from gossamer.visit.revision import Revisions
from gossamer.visit.settle import Settler
from gossamer.watch.budget import Budget
from gossamer.watch.events import Events, RunTally

WORKER = "one"  # the name of the only worker of a crawl in one process
NO_CONTACT = "no contact given"
AGENT = "gossamer"  # whom a page means by it, beside all robots
CHILD = (sys.executable, "-P", "-c", "import sys; from gossamer.readers.child import main; main(int(sys.argv[1]))")


class Stores(Struct, frozen=True, kw_only=True):
    """What a crawl keeps, opened; and the rules that explain it."""

    directory: Path
    settings: Settings
    clock: Clock
    frontier: Frontier
    kv: KeyValue
    catalog: Catalog
    graph: LinkGraph
    ranks: LatestRanks
    robots: Robots
    deduper: Deduper
    near: NearDuplicates
    lessons: Lessons
    revisit_price: RevisitPrice
    chains: Chains
    arrivals: Arrivals
    admission: LinkJudge
    commit_pause: CommitPause
    user_agent: str


class Joints(Struct, frozen=True, kw_only=True):
    """What a visit reaches of a crawl, in the same process or over a socket."""

    frontier: Leasing
    robots: Advice
    claims: Claims
    lessons: Teaching
    commits: Commits
    admission: LinkJudge
    events: Events


class Crawl(Struct, frozen=True, kw_only=True):
    """A crawl that is ready to run."""

    stores: Stores
    events: Events
    tally: RunTally
    pool: Pool | Node


def user_agent(settings: Settings) -> str:
    """Return the user agent with version and contact filled in."""
    return settings.crawl.user_agent.replace("{version}", _version()).replace("{contact}", settings.crawl.contact or NO_CONTACT)


def open_catalog(directory: Path, settings: Settings) -> Catalog:
    """Open the catalog alone: it can be read while a crawl writes it."""
    scheme, path = located(settings.storage.catalog, directory, "storage.catalog")
    catalog: Catalog = choose("catalog", scheme).open(path, _is_durable(settings))
    return catalog


async def checkpoint_stores(stores: Stores, target: Path) -> None:
    """Copy everything a crawl keeps into a new directory, consistently."""
    settings, there = stores.settings, target
    chosen, path = chosen_archive(stores.directory, settings)

    async def archive() -> None:
        chosen.checkpoint_at(path, there / path.name)

    copies = (
        lambda: stores.frontier.checkpoint(located(settings.frontier.uri, there, "frontier.uri")[1]),
        lambda: stores.kv.checkpoint(located(settings.storage.kv, there, "storage.kv")[1]),
        lambda: stores.catalog.checkpoint(located(settings.storage.catalog, there, "storage.catalog")[1]),
        archive,
        lambda: stores.graph.checkpoint(graph_at(there, settings)[1]),
    )
    await take_checkpoint(stores.commit_pause, copies)


def robots_rules(text: str | bytes, settings: Settings) -> Rules:
    """Read a robots.txt."""
    return parse(text, settings.robots.max_bytes)


def memory_robots(settings: Settings) -> Robots:
    """Return a robots.txt cache that lives as long as the process."""
    return RobotsCache(settings.robots, choose("kv", "memory")())


def make_admission(settings: Settings, seeds: Iterable[Url]) -> LinkJudge:
    """Build the rules a link must pass, plugins included."""
    filters = [choose("filter", key)(settings) for key in keys("filter")]
    scorers = [choose("scorer", key)(settings) for key in keys("scorer")]
    scope = Lists(settings.scope).refreshed(Scope(settings.scope, seeds, keys("fetcher")))
    return LinkJudge(settings, scope, filters, scorers[0] if scorers else None)


def make_processors(settings: Settings) -> dict[str, Processor]:
    """Build one processor per class, named by every MIME type it reads."""
    made: dict[Any, Processor] = {}
    by_type = {}
    for mime in keys("processor"):
        chosen = choose("processor", mime)
        if chosen not in made:
            made[chosen] = chosen(settings.documents.max_links, agent=AGENT, meta=settings.robots.meta)
        by_type[mime] = made[chosen]
    return by_type


def make_reader_processes(settings: Settings) -> ReaderProcesses:
    """Prepare the children that read heavy documents, with the same processors."""
    processors = {mime: named("processor", mime) for mime in keys("processor")}
    longest = max(settings.fetch.max_body, settings.fetch.max_decoded)
    greeting = ReaderGreeting(processors, settings.documents.max_links, AGENT, settings.robots.meta, longest)
    return ReaderProcesses(CHILD, msgspec.msgpack.encode(greeting), settings.documents.deadline)


@asynccontextmanager
async def open_requests(settings: Settings, clock: Clock) -> AsyncIterator[Requests]:
    """Open what sends requests: resolver and fetchers.

    Types that are read have the limits of a page; but for gzip files, of which most are packages and few are sitemaps.
    """
    async with AsyncExitStack() as stack:
        resolver, guard = make_addressing(settings)
        stack.push_async_callback(resolver.aclose)
        fetchers = make_fetchers(settings, resolver, guard, clock)
        for fetcher in set(fetchers.values()):
            stack.push_async_callback(fetcher.aclose)
        yield Requests(settings, fetchers, user_agent(settings), clock, frozenset(keys("processor")) - GZIP)


@asynccontextmanager
async def open_stores(
    directory: Path, settings: Settings, seeds: Iterable[Url], clock: Clock, copies: Path | None = None
) -> AsyncIterator[Stores]:
    """Open what a crawl keeps. The caller holds the directory's lock.

    `copies`: where copies of frontier and key-value store are, because the directory can only be read (`jobs/look.py`).
    """
    refuse_missing(directory, settings)
    async with AsyncExitStack() as stack:
        scheme, path = located(settings.storage.kv, copies or directory, "storage.kv")
        kv: KeyValue = choose("kv", scheme).open(path, _is_durable(settings))
        stack.push_async_callback(kv.aclose)
        catalog = open_catalog(directory, settings)
        stack.push_async_callback(catalog.aclose)
        if copies is None:
            finish_pruning(directory, settings, catalog.uses)
        chosen, path = graph_at(copies or directory, settings)
        graph: LinkGraph = chosen.open(path, _is_durable(settings))
        stack.push_async_callback(graph.aclose)
        scheme, path = located(settings.frontier.uri, copies or directory, "frontier.uri")
        frontier: Frontier = choose("frontier", scheme).open(
            path,
            settings.frontier,
            settings.politeness,
            settings.breaker,
            settings.crawl.lease,
            clock.now(),
            _is_durable(settings),
            _keeps_credit(settings),
        )
        stack.push_async_callback(frontier.aclose)
        kept_by = await frontier.time()
        if kept_by is not None:
            clock = SystemClock.showing(kept_by)
        refuse_emptiness(directory, frontier, catalog)
        revisit_price = RevisitPrice(kv, catalog, settings.recrawl, clock.now())
        await revisit_price.load()
        admission, ranks = make_admission(settings, seeds), LatestRanks(directory, settings)
        deduper, near = make_dedupers(kv, settings.dedupe, ranks.of)
        yield Stores(
            directory=directory,
            settings=settings,
            clock=clock,
            frontier=frontier,
            kv=kv,
            catalog=catalog,
            graph=graph,
            ranks=ranks,
            robots=RobotsCache(settings.robots, kv),
            deduper=deduper,
            near=near,
            lessons=LessonBook(kv, settings.traps, settings.dedupe.fewest_words, settings.crawl.order == "priority"),
            revisit_price=revisit_price,
            chains=await Chains.load(kv, frontier),
            arrivals=await Arrivals.load(kv, frontier, admission, clock),
            admission=admission,
            commit_pause=CommitPause(),
            user_agent=user_agent(settings),
        )


@asynccontextmanager
async def open_crawl(directory: Path, settings: Settings, seeds: Iterable[Url], clock: Clock) -> AsyncIterator[Crawl]:
    """Open a crawl in one process, ready to run. The caller holds the directory's lock."""
    async with AsyncExitStack() as stack:
        stores = await stack.enter_async_context(open_stores(directory, settings, seeds, clock))
        events, tally = Events(), RunTally()
        events.subscribe(tally)
        joints = Joints(
            frontier=stores.frontier,
            robots=stores.robots,
            claims=StoredClaims(stores.deduper, stores.near),
            lessons=make_briefing(stores),
            commits=make_commits(stores, events),
            admission=stores.admission,
            events=events,
        )
        await stack.enter_async_context(rank_meanwhile(stores, events))
        lookout = make_lookout(directory, settings, stores.admission, events)
        making = open_pool(WORKER, directory, settings, joints, lookout, make_budget(stores), stores.clock)
        pool = await stack.enter_async_context(making)
        pool.reconsider = stores.arrivals.reconsider
        yield Crawl(stores=stores, events=events, tally=tally, pool=pool)


def make_commits(stores: Stores, events: Events) -> Commits:
    """Build what makes finished visits durable in the stores."""
    return Committer(
        stores.deduper,
        stores.near,
        stores.lessons,
        stores.catalog,
        stores.graph,
        stores.frontier,
        stores.robots,
        stores.commit_pause,
        events,
        stores.clock,
        *(
            (stores.revisit_price, Recall(stores.frontier, stores.kv, stores.admission.key))
            if stores.settings.crawl.forever
            else ()
        ),
        arrivals=stores.arrivals,
        chains=stores.chains,
        credit=_keeps_credit(stores.settings),
    )


def make_briefing(stores: Stores) -> Teaching:
    """Build what tells a worker about a leased URL."""
    forever = stores.settings.crawl.forever
    return Briefing(stores.lessons, stores.catalog, stores.kv, stores.revisit_price, forever, stores.ranks.of, stores.chains.of)


def rank_meanwhile(stores: Stores, events: Events) -> AbstractAsyncContextManager[None]:
    """Rank what waits by its links, while the crawl runs."""
    pages = stores.catalog.totals().pages
    return ranking(stores.directory, stores.settings, stores.frontier, pages, stores.ranks, events)


def make_budget(stores: Stores) -> Budget:
    """Count on from what a crawl has spent already."""
    kept, crawl = stores.catalog.totals(), stores.settings.crawl
    of_all = crawl.model_copy(update={"concurrency": crawl.concurrency * crawl.workers})
    return Budget(of_all, kept.pages, kept.bytes, stores.clock.now())


def make_lookout(directory: Path, settings: Settings, admission: LinkJudge, events: Events) -> Lookout:
    """Build what looks after list files and the disk."""
    return Lookout(Lists(settings.scope), admission, settings.crawl, directory, events)


@asynccontextmanager
async def open_pool(
    worker: str, directory: Path, settings: Settings, joints: Joints, lookout: Lookout, budget: Budget, clock: Clock
) -> AsyncIterator[Pool]:
    """Open what visits URLs, in one process: requests, archive, processors, and the pool that runs the visits."""
    async with AsyncExitStack() as stack:
        requests = await stack.enter_async_context(open_requests(settings, clock))
        archive = _open_archive(worker, directory, settings, clock)
        stack.push_async_callback(archive.aclose)
        reader_processes = make_reader_processes(settings)
        stack.push_async_callback(reader_processes.aclose)
        rules = TurnRules(settings.politeness, settings.breaker)
        settler = Settler(archive, joints.commits, joints.frontier, joints.admission, joints.events, rules, clock)
        reader = Reader(settings, make_processors(settings), reader_processes)
        prober = Prober(settings, requests, joints.robots, archive, reader, settler.until_room, clock)
        crawler = Crawler(
            settings=settings,
            gate=Gate(settings, joints.frontier, joints.robots, archive, joints.admission, requests, settler, prober, clock),
            requests=requests,
            lessons=joints.lessons,
            sameness=Sameness(settings, joints.claims),
            revisions=Revisions(settings, archive, reader),
            archive=archive,
            reader=reader,
            admission=joints.admission,
            outlinks=Outlinks(joints.admission.key),
            settler=settler,
            events=joints.events,
            clock=clock,
        )
        yield Pool(
            worker=worker,
            visit=crawler.visit,
            give_back=crawler.give_back,
            frontier=joints.frontier,
            lookout=lookout,
            budget=budget,
            events=joints.events,
            longest_wait=inf if settings.crawl.forever else settings.crawl.longest_wait,
            drain=settings.crawl.drain,
            clock=clock,
        )


@cache
def _version() -> str:
    return version("gossamer")  # two milliseconds each time


def _open_archive(worker: str, directory: Path, settings: Settings, clock: Clock) -> Archive:
    chosen, path = chosen_archive(directory, settings)
    about = {
        "software": f"gossamer/{_version()}",
        "http-header-user-agent": user_agent(settings),
        "robots": "obey" if settings.robots.obey else "ignore",
        "operator": settings.crawl.contact or NO_CONTACT,
    }
    archive: Archive = chosen.open(path, settings.storage, about, clock.now, worker, alone=worker == WORKER)
    return archive


def _keeps_credit(settings: Settings) -> bool:
    return settings.crawl.order == "opic"


def _is_durable(settings: Settings) -> bool:
    return settings.storage.durability == "durable"
