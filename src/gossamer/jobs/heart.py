"""The heart of a crawl that runs: makes its pulse once a second, from counters that are kept anyway.

What has to be looked for is looked for seldom, and never at the cost of the crawl: hosts are counted in slices, pages are
judged on a thread, and after each such look so much time passes that it takes a hundredth of it at most.
"""

import asyncio
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from socket import gethostname
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from gossamer.assemble import WORKER, Crawl, Stores
from gossamer.errors import GossamerError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.freshness import fresh_share
from gossamer.jobs.plain import plain
from gossamer.jobs.pulse import PulseFile, Pulses, free_disk, kept_of, still_pulse
from gossamer.jobs.wire import TROUBLE
from gossamer.joints.slices import Slices
from gossamer.policy.standing import state_of
from gossamer.records.host import HostMark, HostOrder, HostState
from gossamer.records.pulse import RESPONSE_CLASSES, Pulse, WorkerPulse
from gossamer.run.roll import WorkerStanding
from gossamer.run.steering import BY_OPERATOR
from gossamer.watch.events import Event, Events, Paused, Resumed, Trouble, VisitsEnded, bug

EVERY = 1.0  # seconds between two pulses
CENSUS = 30.0  # between two counts of hosts and rules, at least
FRESHNESS = 300.0  # between two estimates of how fresh pages are, at least
SHARE = 100  # times as long as a look took pass until the next
AT_ONCE = 500  # hosts of a page of the census


class Census(Struct, frozen=True, kw_only=True):
    """The counts that are looked for now and then."""

    hosts_seen: int = 0
    breakers_open: int = 0
    hosts_paused: int = 0
    hosts_blocked: int = 0
    rules: int = 0


class Vitals:
    """Counts what happens in a run, beside its tally; a listener."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.responses = [0] * (len(RESPONSE_CLASSES) + 1)
        self.response_seconds = 0.0
        self.last_commit = 0.0
        self.stalls: Counter[str] = Counter()  # by worker
        self.stall_seconds = 0.0
        self.deaths = 0
        self._troubles: dict[str, str] = {}  # why nothing is begun, by cause

    @property
    def trouble(self) -> str:
        """Why no visit is begun; empty: visits are."""
        return "; ".join(self._troubles.values())

    def __call__(self, event: Event) -> None:
        if isinstance(event, VisitsEnded):
            self._count(event)
        elif isinstance(event, Trouble):
            self.deaths += event.died
            if event.stalled:
                self.stalls[event.worker or WORKER] += 1
                self.stall_seconds += event.stalled
        elif isinstance(event, Paused):
            self._troubles[event.cause] = event.reason
        elif isinstance(event, Resumed):
            self._troubles.pop(event.cause, None)

    def _count(self, event: VisitsEnded) -> None:
        responses = self.responses
        for visit in event.visits:
            answer = visit.settlement.answer
            if answer is not None:
                responses[bisect_left(RESPONSE_CLASSES, answer.seconds)] += 1
                self.response_seconds += answer.seconds
        self.last_commit = self._now()


class Heart:
    """Makes the pulses of a crawl that runs."""

    def __init__(self, crawl: Crawl, before: Pulse) -> None:
        self._crawl = crawl
        self._before = before
        self._began = crawl.stores.clock.now()
        self._machine = gethostname()
        self.vitals = Vitals(crawl.stores.clock.now)
        self.census = Census(**{name: getattr(before, name) for name in Census.__struct_fields__})
        self.freshness = before.freshness

    async def beat(self, end: str = "") -> Pulse:
        """Return the crawl at this moment; `end`: how its run has ended."""
        crawl, before, vitals, census = self._crawl, self._before, self.vitals, self.census
        tally, pool = crawl.tally, crawl.pool
        frontier, outcomes = await crawl.stores.frontier.statistics(), await crawl.stores.catalog.counts()
        finished = dict(before.finished)
        for outcome, count in tally.outcomes.items():
            finished[outcome] = finished.get(outcome, 0) + count
        return Pulse(
            at=crawl.stores.clock.now(),
            state=self._state(end),
            trouble="" if end else vitals.trouble,
            since=self._began,
            finished=finished,
            outcomes=outcomes,
            pages=kept_of(outcomes),
            requests=before.requests + tally.visits,
            bytes=before.bytes + tally.bytes,
            retries=before.retries + tally.retries,
            too_soon=before.too_soon + tally.politeness.count,
            worker_deaths=before.worker_deaths + vitals.deaths,
            stalls=before.stalls + vitals.stalls.total(),
            stall_seconds=before.stall_seconds + vitals.stall_seconds,
            responses=tuple([old + new for old, new in zip(before.responses, vitals.responses, strict=True)]),
            response_seconds=before.response_seconds + vitals.response_seconds,
            last_commit=vitals.last_commit or before.last_commit,
            frontier=frontier,
            under_way=0 if end else pool.under_way,
            workers=() if end else tuple(map(self._worker, pool.workers())),
            disk_free=free_disk(crawl.stores.directory),
            hosts_seen=census.hosts_seen,
            breakers_open=census.breakers_open,
            hosts_paused=census.hosts_paused,
            hosts_blocked=census.hosts_blocked,
            rules=census.rules,
            freshness=self.freshness,
            next_time=pool.next_time,
            end=end,
        )

    def _state(self, end: str) -> str:
        if end:
            return end if end in ("finished", "waiting") else "stopped"
        if self._crawl.pool.is_stopping:
            return "stopping"
        return "paused" if self.vitals.trouble else "running"

    def _worker(self, worker: WorkerStanding) -> WorkerPulse:
        return WorkerPulse(machine=self._machine, stalls=self.vitals.stalls[worker.name], **asdict(worker))

    async def look_for_hosts(self) -> None:
        """Count hosts by how they stand, and rules that were learned."""
        counts, seen = await count_hosts(self._crawl.stores)
        learned = await self._crawl.stores.lessons.summary()
        self.census = Census(
            hosts_seen=seen,
            breakers_open=counts["open"],
            hosts_paused=counts["paused"],
            hosts_blocked=counts["blocked"],
            rules=learned["templates"] + learned["parameters"],
        )

    async def look_for_changes(self) -> None:
        """Estimate how fresh the pages are, on a thread."""
        stores = self._crawl.stores
        place = CrawlDirectory(stores.directory)
        self.freshness = await asyncio.to_thread(fresh_share, place, stores.settings, stores.clock.now())


async def count_hosts(stores: Stores) -> tuple[Counter[str], int]:
    """Count hosts by how an operator or their failures hold them; in slices, never long at a time on the loop."""
    counts, seen, slices = Counter[str](), 0, Slices()
    after: HostMark | None = None
    while True:
        now = stores.clock.now()
        page = await stores.frontier.list_hosts(HostOrder.NAME, after, AT_ONCE, now)
        for host in page.hosts:
            seen += 1
            if host.policy.blocked:
                counts["blocked"] += 1
            elif host.policy.paused:
                counts["paused"] += 1
            elif state_of(host.policy, host.clock, host.waiting, now) is HostState.OPEN:
                counts["open"] += 1
        after = page.next
        if after is None:
            return counts, seen
        await slices.turn()


@asynccontextmanager
async def beating(crawl: Crawl) -> AsyncIterator[Pulses]:
    """Make pulses while the block runs, tell them and what happens, and keep the last one at its end."""
    heart = Heart(crawl, await still_pulse(crawl.stores, "running"))
    if crawl.pool.is_paused:  # since before anybody listened
        heart.vitals(Paused(BY_OPERATOR, "operator"))
    file = PulseFile(crawl.stores.directory)
    pulses = Pulses(await heart.beat())
    file.keep(pulses.last)
    crawl.events.subscribe(heart.vitals)
    crawl.events.subscribe(lambda event: _tell(pulses, event, crawl.stores.clock.now()))

    async def beat() -> None:
        while True:
            await asyncio.sleep(EVERY)
            pulses.tell(await heart.beat())
            file.keep(pulses.last)

    tasks = [
        asyncio.create_task(_again(crawl.events, beat)),
        asyncio.create_task(_seldom(crawl.events, heart.look_for_hosts, CENSUS)),
        asyncio.create_task(_seldom(crawl.events, heart.look_for_changes, FRESHNESS)),
    ]
    try:
        yield pulses
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        pulses.tell(await heart.beat(pulses.end))
        file.keep(pulses.last, is_last=True)
        file.close()


def _tell(pulses: Pulses, event: Event, now: float) -> None:
    """Tell whoever follows of an event; what is known of visits is in the chronicle, and a trace in the log."""
    if not isinstance(event, VisitsEnded):
        facts = {name: part for name, part in plain(event).items() if name != "trace"}
        pulses.happened(TROUBLE, {"at": now, "event": type(event).__name__.lower(), **facts})


async def _again(events: Events, step: Callable[[], Awaitable[Any]]) -> None:
    """Take a step that never ends by itself; a bug costs a second of it, and is told once."""
    told = False
    while True:
        try:
            await step()
        except Exception as error:  # noqa: BLE001 - what a bug may cost: a pulse
            if not told:
                events.publish(bug(error, "making a pulse"))
            told = True
            await asyncio.sleep(EVERY)


async def _seldom(events: Events, look: Callable[[], Awaitable[None]], every: float) -> None:
    """Look again and again, so seldom that it takes a hundredth of the time."""

    async def look_on() -> None:
        while True:
            began = time.monotonic()
            try:
                await look()
            except GossamerError:  # a store that is away, or closes: the next look may see it
                pass
            await asyncio.sleep(max(every, SHARE * (time.monotonic() - began)))

    await _again(events, look_on)
