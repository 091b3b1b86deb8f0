"""The node: what the pool is for one process, for several. It keeps everything and fetches nothing.

Workers in processes of their own ask it for leases, and wait until there is something to do: it gives evenly (`allot.py`), as
long as budget and disk allow. It ends for the same reasons as the pool; only here is known when nothing waits
and nobody is under way.

A worker that dies costs nothing: its leases come back at once, counted like those that ran out, so that a page which kills its
workers is given up in the end (`crawl.returns`); its archive file is repaired, and another worker takes its place. That one
begins with a single visit and is trusted with one more for each that it ends: should the same page kill it, few others are
blamed with it.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any, Protocol

from gossamer.clock import Clock
from gossamer.config.sections import CrawlSettings
from gossamer.errors import CannotGoOn
from gossamer.joints.frontier import Frontier
from gossamer.records.lease import Lease, Leases
from gossamer.run.allot import Allotment, Homes
from gossamer.run.lookout import Lookout
from gossamer.run.pool import RunEnd
from gossamer.run.roll import Tally, WorkerStanding, memory_of
from gossamer.run.steering import GIVING_BACK, Steering
from gossamer.watch.budget import Budget
from gossamer.watch.events import Event, Events, Trouble, VisitsEnded, WorkerBegan

# Leases given at once while a worker has yet to begin: with everything in one hand, half the hosts would have to move.
EARLY = 8
AHEAD = 0.1  # seconds a lease may be given before its turn: it is on its way meanwhile, and the worker waits for the rest
TOGETHER = 0.02  # seconds that a turn may be later than it could be, so that several are given at once
PATIENCE = 10.0  # seconds a worker may take to end that was told to stop at once
START = 60.0  # seconds until a worker must have asked for work
IDLE_DEATHS = 5  # workers in a row that may die without having had a single lease


class UnderWay(Protocol):
    """The visits of a worker that are under way."""

    def __len__(self) -> int: ...

    @property
    def oldest(self) -> Lease | None: ...

    def visits(self, host: str) -> bool: ...

    def add(self, lease: Lease) -> None: ...

    def end(self, token: int) -> None: ...

    def end_expired(self, now: float) -> None: ...


class Worker(Protocol):
    """A worker in a process of its own, as the node sees it."""

    @property
    def out(self) -> UnderWay: ...

    failure: BaseException | None
    is_ready: bool  # it has asked for work
    has_worked: bool  # and was given some; whoever grants leases says so
    gone: asyncio.Event

    @property
    def silence(self) -> float:
        """Seconds since it was last heard of."""
        ...

    def stop(self) -> None:
        """Tell it to drop what it does and end."""
        ...

    async def abandon(self, now: float) -> int:
        """Give back what it has held; return how many visits it leaves undone."""
        ...


class Process(Protocol):
    """The process of a worker."""

    @property
    def session(self) -> Worker: ...

    @property
    def pid(self) -> int: ...

    def kill(self) -> None: ...

    async def reap(self, patience: float) -> int: ...


class Node(Steering):
    """Leads the workers of a crawl."""

    def __init__(
        self,
        *,
        start: Callable[[str], Awaitable[Process]],
        repair: Callable[[str], Awaitable[None]],  # the archive file of a worker that is gone
        frontier: Frontier,
        lookout: Lookout,
        budget: Budget,
        events: Events,
        settings: CrawlSettings,
        clock: Clock,
    ) -> None:
        super().__init__(budget, events, clock, settings.drain)
        self._start = start
        self._repair = repair
        self._frontier = frontier
        self._lookout = lookout
        self._settings = settings
        self._longest_wait = settings.longest_wait
        self._names = (f"w{number}" for number in count(1))
        self._crew: dict[str, Process] = {}
        self._trust: dict[str, int] = {}  # visits a worker may have under way at once
        self._asking: dict[str, tuple[int, asyncio.Future[Leases]]] = {}
        self._given: dict[str, list[Lease]] = {}  # leases that a worker gets as soon as it asks
        self._homes = Homes()
        self._tallies: dict[str, Tally] = {}
        self.is_over = False  # nothing more is leased; visits under way are finished
        self._idle_deaths = 0

    def adopt(self, settings: CrawlSettings) -> None:
        """Go by other limits from now on."""
        super().adopt(settings)
        self._lookout.adopt(settings)
        self._longest_wait = settings.longest_wait

    def limits(self) -> dict[str, Any]:
        """Return the limits in force, as `crawl` has them."""
        return {**super().limits(), "free_disk": self._lookout.floor, "longest_wait": self._longest_wait}

    def workers(self) -> list[WorkerStanding]:
        """Return how each worker stands that lives."""
        now, homes = self._clock.now(), self._homes.hosts
        return [
            WorkerStanding(
                name=name,
                pid=self._crew[name].pid,
                since=tally.since,
                under_way=len(session.out),
                visits=tally.visits,
                pages=tally.pages,
                bytes=tally.bytes,
                outcomes=dict(tally.outcomes),
                rss=memory_of(self._crew[name].pid),
                last_seen=max(tally.ended, now - session.silence),
                hosts=homes[name],
            )
            for name, session in self._present().items()
            if (tally := self._tallies.get(name)) is not None
        ]

    def cancel(self) -> None:
        """Drop the visits under way, and give them back."""
        self._is_hurried = True
        self.stop("told to stop at once")
        self._drop()

    def _drop(self) -> None:
        for process in self._crew.values():
            process.session.stop()
            asyncio.get_running_loop().call_later(PATIENCE, process.kill)

    @property
    def under_way(self) -> int:
        """Visits under way."""
        return sum(len(process.session.out) for process in self._crew.values())

    @property
    def oldest(self) -> Lease | None:
        """The visit that has been under way longest."""
        firsts = [process.session.out.oldest for process in self._crew.values()]
        return min([lease for lease in firsts if lease is not None], key=lambda lease: lease.leased_at, default=None)

    async def lease(self, worker: str, limit: int, now: float) -> Leases:
        """Return leases for a worker when there are some; none and no next time when there will be none."""
        if self.is_over or self._may_have(worker):
            return self._handed_over(worker, limit, now)
        answer: asyncio.Future[Leases] = asyncio.get_running_loop().create_future()
        self._asking[worker] = (limit, answer)
        self._wake.set()
        return await answer

    async def run(self) -> RunEnd:
        """Crawl until there is a reason to end."""
        places = [asyncio.create_task(self._staff(self._settings.concurrency)) for _ in range(self._settings.workers)]
        for place in places:
            place.add_done_callback(self._ended)
        try:
            while (end := await self._sparing(self._crawl())) is None:
                pass
            seconds = self._begin_to_drain()
            self._send_home()
            await self._drain(places, seconds)
            if self._failure is not None:
                raise self._failure
            return RunEnd.STOPPED if self._stopping else end
        finally:
            self._send_home()
            for process in self._crew.values():
                process.kill()
            await asyncio.gather(*places, return_exceptions=True)

    async def _crawl(self) -> RunEnd:
        while not self._stopping and self._failure is None:
            self._wake.clear()
            now = self._clock.now()
            has_looked = self._lookout.look(now)
            if self._is_spent(now):
                return RunEnd.BUDGET
            self.next_time = None
            is_held = self._lookout.short_of_disk or self.is_paused
            if not is_held and await self._give(now) and not self.under_way:
                if self.next_time is None:
                    if await self.reconsider():
                        continue
                    return RunEnd.FINISHED
                if self.next_time - now > self._longest_wait and not self._settings.forever:
                    return RunEnd.WAITING
            if has_looked:
                self._let_look(now)
            await self._wait(None if self.next_time is None else self.next_time - AHEAD)
        return RunEnd.STOPPED

    async def _give(self, now: float) -> bool:
        """Give what is due, evenly, as many as those who ask have room for; True: somebody still asks, and nothing is due."""
        self._hand_over(now)
        present = self._present()
        loads = {name: len(session.out) for name, session in present.items()}
        rooms = {
            worker: min(limit, min(self._trust[worker], self._settings.concurrency) - loads[worker])
            for worker, (limit, _) in self._asking.items()
            if worker in loads
        }
        self._homes.forget(now)
        allotment = Allotment(self._homes, loads, self._trust, rooms, self.visitor)
        limit = min(self._budget.room(self.under_way), allotment.room)
        if sum(session.is_ready for session in present.values()) < self._settings.workers:
            limit = min(limit, EARLY)
        if not limit:
            return False
        granted = await self._lease_ahead(allotment, limit, now)
        self.next_time = granted.next_time
        present = self._present()
        for worker in {lease.worker for lease in granted.leases} - present.keys():
            await self._frontier.abandon(worker, now)  # it died meanwhile
        for lease in granted.leases:
            if lease.worker in present:
                present[lease.worker].out.add(lease)
                self._given.setdefault(lease.worker, []).append(lease)
        self._hand_over(now)
        return len(granted.leases) < limit

    async def _lease_ahead(self, allotment: Allotment, limit: int, now: float) -> Leases:
        """Lease what is ready, then what will be when it has reached its worker, as if it were that time already."""
        leases: tuple[Lease, ...] = ()
        next_time: float | None = now
        while len(leases) < limit and next_time is not None and next_time <= now + AHEAD:
            then = next_time + TOGETHER if next_time > now else now
            granted = await self._frontier.lease(allotment, limit - len(leases), then)
            leases, next_time = leases + granted.leases, granted.next_time
        return Leases(leases, next_time)

    def visitor(self, host: str) -> str:
        """Return the worker that visits a host just now; an empty text: none does."""
        return next((name for name, session in self._present().items() if session.out.visits(host)), "")

    def _present(self) -> dict[str, Worker]:
        """Return the workers that live: what is given to one that is gone would be lost while it is buried."""
        return {name: process.session for name, process in self._crew.items() if not process.session.gone.is_set()}

    def _room(self, worker: str) -> int:
        """Return how many visits a worker may begin beside those it has: leases that wait here are none yet."""
        return self._settings.concurrency - len(self._crew[worker].session.out) + len(self._given.get(worker, ()))

    def _may_have(self, worker: str) -> bool:
        """Tell whether a worker was given something and has room for it."""
        return worker in self._given and self._room(worker) > 0

    def _hand_over(self, now: float) -> None:
        """Answer those who ask and were given something."""
        for worker, (most, _) in list(self._asking.items()):
            if self._may_have(worker):
                self._answer(worker, self._handed_over(worker, most, now))

    def _handed_over(self, worker: str, limit: int, now: float) -> Leases:
        """Return what a worker was given; should it not have asked for a long time, some of it is no longer its own."""
        most = min(limit, self._room(worker)) if worker in self._given else 0
        given = [lease for lease in self._given.pop(worker, ()) if lease.until > now]
        if given[most:]:
            self._given[worker] = given[most:]
        if given:
            self._crew[worker].session.has_worked = True
        return Leases(tuple(given[:most]), None if self.is_over else now)

    def _let_look(self, now: float) -> None:
        """Let those who still wait look around themselves; they ask again. Forget visits whose leases have run out."""
        for worker in list(self._asking):
            self._answer(worker, Leases((), now))
        for process in self._crew.values():
            process.session.out.end_expired(now)

    def _answer(self, worker: str, granted: Leases) -> None:
        _, answer = self._asking.pop(worker)
        answer.set_result(granted)

    def _send_home(self) -> None:
        """Tell everybody who asks, now and later, that there is nothing more to do."""
        self.is_over = True
        for worker in list(self._asking):
            self._answer(worker, Leases((), None))
        for process in self._crew.values():
            self._end_if_not_ready(process)

    async def _drain(self, places: "list[asyncio.Task[None]]", seconds: float) -> None:
        """Wait for the workers to finish, and let them give back what is still under way when the time for that is over."""
        if self._failure is None:
            _, late = await asyncio.wait(places, timeout=seconds)
            if late:
                self._drop()
                await asyncio.wait(late, timeout=GIVING_BACK)

    def _spend(self, event: Event) -> None:
        super()._spend(event)
        if isinstance(event, VisitsEnded):
            self._idle_deaths = 0
            now = self._clock.now()
            for visit in event.visits:
                lease = visit.settlement.lease
                if (tally := self._tallies.get(lease.worker)) is not None:
                    tally.add(visit, now)
                if lease.worker in self._trust:
                    self._trust[lease.worker] += 1
                    self._crew[lease.worker].session.out.end(lease.token)  # now, or the last visit ends unnoticed
            self._wake.set()

    # --- the crew ----------------------------------------------------------------------------------------------------

    async def _staff(self, trust: int) -> None:
        """Keep one place in the crew filled until the crawl is over."""
        while not self.is_over:
            await self._sparing(self._employ(trust))
            trust = 1

    async def _employ(self, trust: int) -> None:
        """Let a worker work until it ends."""
        name = next(self._names)
        self._trust[name] = trust
        self._tallies[name] = Tally(self._clock.now())
        process = self._crew[name] = await self._start(name)
        self._events.publish(WorkerBegan(name, process.pid))
        late = asyncio.get_running_loop().call_later(START, self._end_if_not_ready, process)
        await process.session.gone.wait()
        late.cancel()
        await self._bury(name, process)

    def _end_if_not_ready(self, process: Process) -> None:
        if not process.session.is_ready:
            process.kill()

    async def _bury(self, name: str, process: Process) -> None:
        """See to what a worker leaves behind."""
        code, session = await process.reap(PATIENCE), process.session
        if name in self._asking:
            self._answer(name, Leases((), None))
        left = await session.abandon(self._clock.now())
        del self._crew[name], self._trust[name], self._tallies[name]
        self._given.pop(name, None)
        self._wake.set()
        if session.failure is not None:
            raise session.failure
        if not self.is_over or (code and session.has_worked):
            self._events.publish(
                Trouble(f"worker {name} {_how(code)}; {left} visits are left to others", worker=name, died=True)
            )
        await self._repair(name)
        if not session.has_worked and not self.is_over:
            self._idle_deaths += 1
            if self._idle_deaths == IDLE_DEATHS:
                raise CannotGoOn(
                    f"{IDLE_DEATHS} workers in a row ended before their first visit, the last one {_how(code)}; "
                    "what they said on the way is above, else look for a shortage of memory or processes"
                )


def _how(code: int) -> str:
    """Say how a process ended."""
    if code >= 0:
        return f"ended with exit code {code}"
    return f"was killed by {signal.Signals(-code).name}"
