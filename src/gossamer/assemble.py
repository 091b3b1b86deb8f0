"""The only file that builds: from settings and a directory to a crawl with all its parts.

`Stores` is what a crawl keeps; `Crawl` is that plus everything a visit needs. Both close what they opened, last opened first.

It is long because it is the only one: what a crawl is made of, and in which order that is opened, is read in one place.
"""

import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from gossamer.clock import Clock, SystemClock
from gossamer.config.sections import Settings
from gossamer.credentials import read_access
from gossamer.dedupe.claims import StoredClaims
from gossamer.document.sniff import GZIP
from gossamer.duplicates import make_dedupers
from gossamer.errors import ScriptError, StoreError
from gossamer.filters.scope import Scope
from gossamer.joints.archive import Archive
from gossamer.joints.catalog import Catalog
from gossamer.joints.chronicle import Chronicle
from gossamer.joints.commits import Commits
from gossamer.joints.documents import Processor
from gossamer.joints.frontier import Frontier, Leasing
from gossamer.joints.graph import LinkGraph
from gossamer.joints.keyvalue import KeyValue
from gossamer.joints.lessons import Lessons, Teaching
from gossamer.joints.robots import Advice, Robots
from gossamer.joints.sameness import Claims, Deduper, NearDuplicates
from gossamer.joints.shelving import Checkpointing
from gossamer.lessons.book import LessonBook
from gossamer.network import make_addressing, make_fetchers
from gossamer.node.briefing import Briefing, RevisitPrice
from gossamer.node.chains import Chains
from gossamer.node.checkpoint import CommitPause, take_checkpoint
from gossamer.node.chronicler import Chronicler, judge
from gossamer.node.commit import Committer
from gossamer.node.jars import CookieJars
from gossamer.node.ranker import Ranker
from gossamer.node.ranks import LatestRanks
from gossamer.node.recall import Recall
from gossamer.policy.turn import TurnRules
from gossamer.processors.requisites import requisites
from gossamer.processors.words import link_words
from gossamer.readers.child import ReaderGreeting
from gossamer.readers.processes import ReaderProcesses
from gossamer.readers.reading import Reader
from gossamer.readers.scripts.rules import Wants
from gossamer.readers.scripts.survey import survey
from gossamer.readers.scripts.travel import ReaderRule, ReaderSource
from gossamer.records.location import Location
from gossamer.records.page import Document
from gossamer.registry import choose, keys, located, named, only
from gossamer.robots.cache import RobotsCache
from gossamer.robots.rules import Rules, parse
from gossamer.run.lists import Lists
from gossamer.run.lookout import Lookout
from gossamer.run.node import Node
from gossamer.run.pool import Pool
from gossamer.seal import RESTORE
from gossamer.storage.shelving import DirectoryShelving
from gossamer.url.parse import Url
from gossamer.visit.admit import LinkJudge
from gossamer.visit.arrivals import Arrivals
from gossamer.visit.compare import Sameness
from gossamer.visit.crawl import Crawler
from gossamer.visit.gate import Gate
from gossamer.visit.harvest import Harvester
from gossamer.visit.links import Outlinks
from gossamer.visit.probe import Prober
from gossamer.visit.request import Requests
from gossamer.visit.revision import Revisions
from gossamer.visit.settle import Settler
from gossamer.watch.budget import Budget
from gossamer.watch.events import Events, RunTally
from gossamer.watch.pauses import Patient, Pause, away

WORKER = "one"  # the name of the only worker of a crawl in one process
NO_CONTACT = "no contact given"
NO_GRAPH = "none:graph"  # what a crawl has that keeps no link graph
NO_CHRONICLE = "none:chronicle"  # and one that keeps no chronicle
AGENT = "gossamer"  # whom a page means by it, beside all robots
INTERRUPTED = 0.9  # of the deadline: then a reader is interrupted in its child, and when it is over the child is killed
CHILD = (sys.executable, "-P", "-c", "import sys; from gossamer.readers.child import main; main(int(sys.argv[1]))")


class Stores(Struct, frozen=True, kw_only=True):
    """The open stores of a crawl, and the rules that explain it."""

    directory: Path
    settings: Settings
    clock: Clock
    frontier: Frontier
    kv: KeyValue
    catalog: Catalog
    archive: Archive
    graph: LinkGraph
    chronicle: Chronicle
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
    """The parts of a crawl that a visit calls, in the same process or over a socket."""

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


@asynccontextmanager
async def open_catalog(
    directory: Path, settings: Settings, writing: bool = False, pause: Pause | None = None
) -> AsyncIterator[Catalog]:
    """Open the catalog alone; to read it a crawl may be writing it."""
    location = located(settings.storage.catalog, directory, "storage.catalog")
    catalog: Catalog = await choose("catalog", location.scheme).open(location, _is_durable(settings), writing)
    try:
        yield _patient(catalog, location, pause)
    finally:
        await catalog.aclose()


async def has_catalog(directory: Path, settings: Settings) -> bool:
    """Tell whether a crawl has a catalog yet; to open one is to make it."""
    location = located(settings.storage.catalog, directory, "storage.catalog")
    return bool(await choose("catalog", location.scheme).exists(location))


@asynccontextmanager
async def open_graph(
    directory: Path, settings: Settings, writing: bool = False, pause: Pause | None = None
) -> AsyncIterator[LinkGraph]:
    """Open the link graph alone; to read it a crawl may be writing it."""
    location = located(settings.storage.graph or NO_GRAPH, directory, "storage.graph")
    graph: LinkGraph = await choose("graph", location.scheme).open(location, _is_durable(settings), writing)
    try:
        yield _patient(graph, location, pause)
    finally:
        await graph.aclose()


@asynccontextmanager
async def open_chronicle(
    directory: Path, settings: Settings, writing: bool = False, pause: Pause | None = None
) -> AsyncIterator[Chronicle]:
    """Open the chronicle alone; to read it a crawl may be writing it."""
    location = located(chronicle_uri(settings), directory, "storage.chronicle")
    keep = settings.chronicle.keep
    chronicle: Chronicle = await choose("chronicle", location.scheme).open(location, _is_durable(settings), writing, keep)
    try:
        yield _patient(chronicle, location, pause)
    finally:
        await chronicle.aclose()


def chronicle_uri(settings: Settings) -> str:
    """Return where the chronicle of a crawl is, or that there is none."""
    return settings.storage.chronicle if settings.chronicle.level != "off" else NO_CHRONICLE


@asynccontextmanager
async def open_archive(
    directory: Path, settings: Settings, clock: Clock, worker: str = "", pause: Pause | None = None
) -> AsyncIterator[Archive]:
    """Open the archive alone; a worker writes it under a name of its own, without one it is only read and looked after."""
    location = located(settings.storage.archive, directory, "storage.archive")
    about = {
        "software": f"gossamer/{_version()}",
        "http-header-user-agent": user_agent(settings),
        "robots": "obey" if settings.robots.obey else "ignore",
        "operator": settings.crawl.contact or NO_CONTACT,
    }
    archive: Archive = await choose("archive", location.scheme).open(location, settings.storage, about, clock.now, worker)
    try:
        yield _patient(archive, location, pause)
    finally:
        await archive.aclose()


async def checkpoint_stores(stores: Stores, target: Path) -> None:
    """Copy everything a crawl keeps into a new directory, consistently."""
    settings = stores.settings
    kept: list[tuple[str, str, Checkpointing]] = [
        ("frontier", settings.frontier.uri, stores.frontier),
        ("kv", settings.storage.kv, stores.kv),
        ("catalog", settings.storage.catalog, stores.catalog),
        ("archive", settings.storage.archive, stores.archive),
        ("graph", settings.storage.graph or NO_GRAPH, stores.graph),
        ("chronicle", chronicle_uri(settings), stores.chronicle),
    ]
    places = [located(uri, target, uri).path or target / family for family, uri, _ in kept]
    copies = [partial(store.checkpoint, DirectoryShelving(place)) for place, (*_, store) in zip(places, kept, strict=True)]
    await take_checkpoint(stores.commit_pause, copies)


def robots_rules(text: str | bytes, settings: Settings) -> Rules:
    """Read a robots.txt."""
    return parse(text, settings.robots.max_bytes)


def memory_robots(settings: Settings) -> Robots:
    """Return a robots.txt cache that lives as long as the process."""
    return RobotsCache(settings.robots, choose("kv", "memory")())


def make_admission(settings: Settings, seeds: Iterable[Url], directory: Path | None = None) -> LinkJudge:
    """Build the rules a link must pass, plugins included; `directory`: that of a crawl that has lists of its own."""
    filters = [choose("filter", key)(settings) for key in keys("filter")]
    scorer = choose("scorer", key)(settings) if (key := only("scorer")) is not None else None
    scope = Lists(settings.scope, directory).refreshed(Scope(settings.scope, seeds, keys("fetcher")))
    return LinkJudge(settings, scope, filters, scorer)


def make_processors(settings: Settings) -> dict[str, Processor]:
    """Build one processor per class, named by every MIME type it reads."""
    made: dict[Any, Processor] = {}
    by_type = {}
    for mime in keys("processor"):
        chosen = choose("processor", mime, mime in settings.documents.processors)
        if chosen not in made:
            made[chosen] = chosen(settings.documents.max_links, AGENT, settings.robots.meta)
        by_type[mime] = made[chosen]
    return by_type


def make_word_reader() -> Callable[[Document], dict[str, str]]:
    """Return what reads the words of a page's links."""
    return link_words


def make_requisite_reader() -> Callable[[Document], dict[str, str]]:
    """Return what reads which URLs a page loads."""
    return requisites


def make_reader_processes(settings: Settings, sources: tuple[ReaderSource, ...] = ()) -> ReaderProcesses:
    """Prepare the children that read heavy documents, or those that run readers; both with the same processors."""
    replaced = settings.documents.processors
    processors = {mime: named("processor", mime, mime in replaced) for mime in keys("processor")}
    longest = max(settings.fetch.max_body, settings.fetch.max_decoded)
    deadline = settings.documents.deadline
    greeting = ReaderGreeting(
        processors, settings.documents.max_links, AGENT, settings.robots.meta, longest, sources, INTERRUPTED * deadline
    )
    return ReaderProcesses(CHILD, msgspec.msgpack.encode(greeting), deadline)


def reader_sources(settings: Settings) -> tuple[ReaderSource, ...]:
    """Return where the readers of a crawl come from: its scripts as they are now, and plugins."""
    plugins = [ReaderSource(point=named("reader", key)) for key in keys("reader")]
    return (*[ReaderSource(path, read_script(Path(path))) for path in settings.documents.scripts], *plugins)


def read_script(path: Path) -> bytes:
    """Return the text of a script."""
    try:
        return path.read_bytes()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ScriptError(f"cannot read the script {path}: {why}; put it back, or name another with --script") from None


@cache
def readers_of(sources: tuple[ReaderSource, ...]) -> tuple[ReaderRule, ...]:
    """Return what readers there are, which a process of its own finds out; workers that are forked afterwards know it too."""
    return survey(sources) if sources else ()


@asynccontextmanager
async def open_requests(settings: Settings, clock: Clock) -> AsyncIterator[Requests]:
    """Open what sends requests: resolver and fetchers.

    Types that are read have the limits of a page; but for gzip files, of which most are packages and few are sitemaps.
    """
    async with AsyncExitStack() as stack:
        resolver, guard = make_addressing(settings)
        stack.push_async_callback(resolver.aclose)
        fetchers, access = make_fetchers(settings, resolver, guard, clock), read_access(settings)
        for fetcher in set(fetchers.values()):
            stack.push_async_callback(fetcher.aclose)
        pages = frozenset(keys("processor")) - GZIP
        yield Requests(settings, fetchers, user_agent(settings), clock, pages, access)


@asynccontextmanager
async def open_stores(
    directory: Path,
    settings: Settings,
    seeds: Iterable[Url],
    clock: Clock,
    copies: Path | None = None,
    events: Events | None = None,
) -> AsyncIterator[Stores]:
    """Open what a crawl keeps. The caller holds the directory's lock.

    `copies`: where copies of some stores are, because the directory can only be read (`jobs/look.py`).
    `events`: where a crawl that runs says that it waits for a store elsewhere; without them nobody waits.
    """
    pause = away(events) if events is not None else None
    await _refuse_missing(directory, settings)
    async with AsyncExitStack() as stack:
        location = located(settings.storage.kv, copies or directory, "storage.kv")
        kv: KeyValue = _patient(await choose("kv", location.scheme).open(location, _is_durable(settings)), location, pause)
        stack.push_async_callback(kv.aclose)
        catalog = await stack.enter_async_context(open_catalog(directory, settings, writing=True, pause=pause))
        archive = await stack.enter_async_context(open_archive(directory, settings, clock, pause=pause))
        if copies is None:
            await archive.finish(catalog.uses)
        graph = await stack.enter_async_context(open_graph(directory, settings, copies is None, pause))
        chronicle = await stack.enter_async_context(open_chronicle(copies or directory, settings, writing=True, pause=pause))
        location = located(settings.frontier.uri, copies or directory, "frontier.uri")
        frontier: Frontier = await choose("frontier", location.scheme).open(
            location,
            settings.frontier,
            settings.politeness,
            settings.breaker,
            settings.crawl.lease,
            clock.now(),
            _is_durable(settings),
            _keeps_credit(settings),
        )
        frontier = _patient(frontier, location, pause)
        stack.push_async_callback(frontier.aclose)
        kept_by = await frontier.time()
        if kept_by is not None:
            clock = SystemClock.showing(kept_by)
        await _refuse_emptiness(directory, frontier, catalog)
        await judge(chronicle, frontier, clock.now())
        revisit_price = RevisitPrice(kv, catalog, settings.recrawl, clock.now())
        await revisit_price.load()
        admission, ranks = make_admission(settings, seeds, directory), LatestRanks(graph)
        await ranks.renew()
        deduper, near = make_dedupers(kv, settings.dedupe, ranks.of)
        yield Stores(
            directory=directory,
            settings=settings,
            clock=clock,
            frontier=frontier,
            kv=kv,
            catalog=catalog,
            archive=archive,
            graph=graph,
            chronicle=chronicle,
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
        events, tally = Events(), RunTally()
        stores = await stack.enter_async_context(open_stores(directory, settings, seeds, clock, events=events))
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
        await stores.archive.repair()
        lookout, budget = make_lookout(directory, settings, stores.admission, events), await make_budget(stores)
        sources = reader_sources(settings)
        pool = await stack.enter_async_context(
            open_pool(WORKER, directory, settings, joints, lookout, budget, stores.clock, sources)
        )
        pool.reconsider = stores.arrivals.reconsider
        yield Crawl(stores=stores, events=events, tally=tally, pool=pool)


def make_commits(stores: Stores, events: Events, *, is_shared: bool = False) -> Commits:
    """Build what makes finished visits durable in the stores; those of several workers wait for each other a moment."""
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
        chronicler=Chronicler(stores.chronicle, stores.frontier, stores.settings.chronicle.level == "off"),
        jars=make_jars(stores),
        credit=_keeps_credit(stores.settings),
        is_shared=is_shared,
    )


def make_briefing(stores: Stores) -> Teaching:
    """Build what tells a worker about a leased URL."""
    forever = stores.settings.crawl.forever
    return Briefing(
        stores.lessons,
        stores.catalog,
        stores.kv,
        stores.revisit_price,
        forever,
        stores.ranks.of,
        stores.chains.of,
        make_jars(stores),
    )


def make_jars(stores: Stores) -> CookieJars | None:
    """Build what keeps cookies, if a rule of requests says so."""
    return CookieJars(stores.kv) if any(rule.cookies for rule in stores.settings.requests) else None


@asynccontextmanager
async def rank_meanwhile(stores: Stores, events: Events) -> AsyncIterator[None]:
    """Rank what waits by its links while a crawl runs, where its order goes by scores and they are ours."""
    settings, ranks = stores.settings, stores.ranks
    score = settings.score
    is_ranked = settings.storage.graph and score.rank_after and (score.importance or score.discovery)
    if not is_ranked or settings.crawl.order != "priority" or keys("scorer"):
        yield
        return
    pages = (await stores.catalog.totals()).pages
    ranking = stores.graph.ranking(score.rank_memory)
    ranker = Ranker(ranking, stores.frontier, score, pages, ranks.pages, events, ranks.renew)
    try:
        yield
    finally:
        await ranker.aclose()


async def make_budget(stores: Stores) -> Budget:
    """Count on from what a crawl has spent already."""
    kept, crawl = await stores.catalog.totals(), stores.settings.crawl
    of_all = crawl.model_copy(update={"concurrency": crawl.concurrency * crawl.workers})
    return Budget(of_all, kept.pages, kept.bytes, stores.clock.now())


def make_lookout(directory: Path, settings: Settings, admission: LinkJudge, events: Events) -> Lookout:
    """Build what looks after list files and the disk."""
    return Lookout(Lists(settings.scope, directory), admission, settings.crawl, directory, events)


@asynccontextmanager
async def open_pool(
    worker: str,
    directory: Path,
    settings: Settings,
    joints: Joints,
    lookout: Lookout,
    budget: Budget,
    clock: Clock,
    sources: tuple[ReaderSource, ...],
    *,
    asks_ahead: bool = False,  # of a node
) -> AsyncIterator[Pool]:
    """Open what visits URLs, in one process: requests, archive, processors, and the pool that runs the visits."""
    async with AsyncExitStack() as stack:
        requests = await stack.enter_async_context(open_requests(settings, clock))
        archive = await stack.enter_async_context(open_archive(directory, settings, clock, worker, away(joints.events)))
        reader_processes = make_reader_processes(settings)
        stack.push_async_callback(reader_processes.aclose)
        rules = TurnRules(settings.politeness, settings.breaker)
        settler = Settler(archive, joints.commits, joints.frontier, joints.admission, joints.events, rules, clock)
        reader = Reader(settings, make_processors(settings), reader_processes)
        script_processes = make_reader_processes(settings, sources)
        stack.push_async_callback(script_processes.aclose)
        harvester = Harvester(settings, Wants(readers_of(sources)), script_processes, clock)
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
            harvester=harvester,
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
            longest_wait=settings.crawl.longest_wait,
            forever=settings.crawl.forever,
            drain=settings.crawl.drain,
            clock=clock,
            asks_ahead=asks_ahead,
        )


@cache
def _version() -> str:
    return version("gossamer")  # two milliseconds each time


def _patient(store: Any, location: Location, pause: Pause | None) -> Any:
    """Return a store that waits while it is away; one in the crawl's directory never is."""
    return store if pause is None or location.path is not None else Patient(store, pause)


async def _refuse_missing(directory: Path, settings: Settings) -> None:
    """Refuse a crawl that has lost a whole store: the frontier is made last, so beside one all the others stand."""
    frontier = located(settings.frontier.uri, directory, "frontier.uri")
    if not await choose("frontier", frontier.scheme).exists(frontier):
        return
    for family, uri, knob in (
        ("kv", settings.storage.kv, "storage.kv"),
        ("catalog", settings.storage.catalog, "storage.catalog"),
    ):
        location = located(uri, directory, knob)
        if not await choose(family, location.scheme).exists(location):
            missing, there = (each.path or each.uri for each in (location, frontier))
            raise StoreError(f"{missing} is missing, but {there} is there; {RESTORE}")


async def _refuse_emptiness(directory: Path, frontier: Frontier, catalog: Catalog) -> None:
    """Refuse a crawl of which one store knows what another has lost: an empty store is no fresh start."""
    known, pages = await frontier.statistics(), sum((await catalog.counts()).values())
    if pages and not (known.waiting or known.leased or known.done or known.dead or known.removed):
        raise StoreError(f"the frontier of {directory} is empty, but its catalog has {pages:,} pages; {RESTORE}")
    if known.done and not pages:
        raise StoreError(f"the catalog of {directory} is empty, but its frontier has {known.done:,} pages done; {RESTORE}")


def _keeps_credit(settings: Settings) -> bool:
    return settings.crawl.order == "opic"


def _is_durable(settings: Settings) -> bool:
    return settings.storage.durability == "durable"
