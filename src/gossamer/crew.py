"""A crawl of several processes: the node keeps everything, its workers fetch, read and write archive files of their own.

`open_crew` is to several processes what `open_crawl` of `assemble.py` is to one, and made of the same parts; `work` is what a
worker process runs, forked in advance or a new interpreter. Whatever a visit needs of the node goes over a socket (`remote/`).
"""

import asyncio
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import msgspec
import uvloop
from msgspec.structs import replace

from gossamer.assemble import (
    Crawl,
    Joints,
    Stores,
    make_admission,
    make_briefing,
    make_budget,
    make_commits,
    make_lookout,
    open_pool,
    open_stores,
    rank_meanwhile,
    reader_sources,
)
from gossamer.children import start as start_anew
from gossamer.clock import Clock, SystemClock
from gossamer.config.sections import Settings
from gossamer.dedupe.claims import StoredClaims
from gossamer.errors import CannotGoOn, GossamerError
from gossamer.readers.scripts.travel import ReaderSource
from gossamer.registry import import_ours
from gossamer.remote import wire
from gossamer.remote.client import (
    NodeConnection,
    RemoteClaims,
    RemoteCommits,
    RemoteFrontier,
    RemoteLessons,
    RemoteRobots,
)
from gossamer.remote.process import Spares, WorkerProcess, adopted
from gossamer.remote.server import NodeService, Session
from gossamer.remote.wire import Tell, WorkerGreeting
from gossamer.run.garbage import collected_seldom
from gossamer.run.node import Node
from gossamer.url.parse import Url, parse
from gossamer.watch.budget import Budget
from gossamer.watch.events import Events, Retold, RunTally, Trouble, bug, hear, retell, tell_of_calls
from gossamer.watch.stall import StallWatch

WORK = (sys.executable, "-P", "-c", "import sys; from gossamer.crew import main; main(int(sys.argv[1]))")


@contextmanager
def forked_workers(settings: Settings) -> Iterator[Spares]:
    """Fork the workers of a crawl, before anything is opened and any thread begun."""
    wire.version()  # takes a while, and is shared, as is what all workers would import by themselves
    import_ours("archive", "fetcher", "processor")
    spares = Spares(settings.crawl.workers, work)
    try:
        yield spares
    finally:
        spares.close()


@asynccontextmanager
async def open_crew(
    spares: Spares, directory: Path, settings: Settings, seeds: Sequence[Url], clock: Clock
) -> AsyncIterator[Crawl]:
    """Open a crawl of several processes, ready to run. The caller holds the directory's lock."""
    events, tally = Events(), RunTally()
    async with open_stores(directory, settings, seeds, clock, events=events) as stores:
        await stores.archive.repair()
        events.subscribe(tally)
        async with rank_meanwhile(stores, events):
            yield Crawl(stores=stores, events=events, tally=tally, pool=await _make_node(stores, spares, seeds, events))


async def _make_node(stores: Stores, spares: Spares, seeds: Sequence[Url], events: Events) -> Node:
    settings, directory, clock = stores.settings, stores.directory, stores.clock
    greeting = WorkerGreeting(
        worker="",
        directory=str(directory),
        settings=share_of(settings).model_dump_json().encode(),
        seeds=tuple(seed.wire for seed in seeds),
        clock=clock.now() - time.monotonic(),
        sources=msgspec.msgpack.encode(reader_sources(settings)),
    )

    async def start(worker: str) -> WorkerProcess:
        ours, process = spares.take() or start_anew(WORK, silent=False)
        return await WorkerProcess.adopt(ours, process, replace(greeting, worker=worker), Session(worker, service))

    def told(worker: str, event: bytes) -> None:
        heard = hear(event)
        events.publish(
            replace(heard, what=f"worker {worker}: {heard.what}", worker=worker) if isinstance(heard, Trouble) else heard
        )

    def met(worker: str, error: Exception) -> None:
        events.publish(bug(error, f"answering worker {worker}"))

    node = Node(
        start=start,
        repair=stores.archive.repair,
        frontier=stores.frontier,
        lookout=make_lookout(directory, settings, stores.admission, events),
        budget=await make_budget(stores),
        events=events,
        settings=settings.crawl,
        clock=clock,
    )
    node.reconsider = stores.arrivals.reconsider
    commits = make_commits(stores, events, is_shared=True)
    service = NodeService(
        stores.frontier,
        stores.robots,
        StoredClaims(stores.deduper, stores.near),
        make_briefing(stores),
        commits,
        node.lease,
        node.visitor,
        told,
        met,
        stores.user_agent,
        stores.arrivals.urls,
    )
    return node


def share_of(settings: Settings) -> Settings:
    """Return what one of several workers may spend; the node watches over budget and disk."""
    limits = {"max_pages": None, "max_bytes": None, "max_seconds": None, "free_disk": 0}
    crawl = settings.crawl.model_copy(update=limits)
    connections = settings.fetch.connections * 9 // (8 * settings.crawl.workers) + 1  # hosts are not divided quite evenly
    fetch = settings.fetch.model_copy(update={"connections": connections})
    return settings.model_copy(update={"crawl": crawl, "fetch": fetch})


# --- the worker's side -----------------------------------------------------------------------------------------------


def main(descriptor: int) -> None:
    """Be a worker that is an interpreter of its own."""
    sys.exit(work(socket.socket(fileno=descriptor)))


def work(connected: socket.socket) -> int:
    """Work for the node at the other end of a socket until there is nothing to do; return an exit code."""
    try:
        greeting = adopted(connected)
    except EOFError:
        return 0  # nobody to work for
    except CannotGoOn as error:
        return asyncio.run(_refuse(connected, error))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_work(connected, greeting))


async def _refuse(connected: socket.socket, error: CannotGoOn) -> int:
    """Tell the node why this worker cannot work for it."""
    connection = await NodeConnection.over(connected)
    connection.fail(error)
    await connection.aclose()
    return error.exit_code


async def _work(connected: socket.socket, greeting: WorkerGreeting) -> int:
    settings, clock, events = Settings.model_validate_json(greeting.settings), SystemClock(greeting.clock), Events()
    connection = await NodeConnection.over(connected)
    events.subscribe(lambda event: connection.tell(Tell(retell(event))) if isinstance(event, Retold) else None)
    tell_of_calls(events)
    try:
        await _crawl(greeting, settings, connection, events, clock)
        return 0
    except GossamerError as error:
        connection.fail(error)
        return error.exit_code
    finally:
        await connection.aclose()


async def _crawl(
    greeting: WorkerGreeting, settings: Settings, connection: NodeConnection, events: Events, clock: Clock
) -> None:
    directory = Path(greeting.directory)
    joints = Joints(
        frontier=RemoteFrontier(connection),
        robots=RemoteRobots(connection),
        claims=RemoteClaims(connection),
        lessons=RemoteLessons(connection),
        commits=RemoteCommits(connection),
        admission=make_admission(settings, [parse(seed) for seed in greeting.seeds], directory),
        events=events,
    )
    connection.told_of_arrivals = joints.admission.extend
    lookout = make_lookout(directory, settings, joints.admission, Events())  # nobody listens: the node tells the same
    budget = Budget(settings.crawl, 0, 0, clock.now())
    sources = msgspec.msgpack.decode(greeting.sources, type=tuple[ReaderSource, ...])
    async with open_pool(
        greeting.worker, directory, settings, joints, lookout, budget, clock, sources, asks_ahead=True
    ) as pool:
        connection.told_to_stop = pool.cancel
        with collected_seldom(), StallWatch(events, settings.crawl.stall):
            await pool.run()
