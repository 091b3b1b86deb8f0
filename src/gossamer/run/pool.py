"""The pool: leases URLs while there is room, runs a visit for each, and knows when the crawl is over.

A visit is done by one of several visitors, each a task that does one visit after the other: a task for each visit took 4 us
longer. It has ended for its visitor when nothing is left but to make it durable; it is under way until it is. A node gives
leases a moment ahead: a visit waits for the turn that its lease names, all of them with one timer.

It ends when nothing waits, when the budget is spent, when it is told to stop (visits under way are finished first), or when
the next thing to do is too far away. It sleeps only until the frontier says that a host is ready, or a visit ends.

What is still under way when its time to finish is over (`crawl.drain`) is dropped and given back: it keeps its place, and
nothing is counted against it. A visit that has outlived its lease is dropped, too, so that nothing is waited for that never
ends: its URL is somebody else's by then.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from enum import StrEnum
from heapq import heappop, heappush
from typing import Any, cast

from gossamer.clock import Clock
from gossamer.config.sections import CrawlSettings
from gossamer.joints.frontier import Leasing
from gossamer.records.lease import Lease
from gossamer.run.lookout import Lookout
from gossamer.run.roll import Tally, WorkerStanding, memory_of
from gossamer.run.steering import GIVING_BACK, Steering
from gossamer.watch.budget import Budget
from gossamer.watch.events import Event, Events, Trouble, VisitsEnded

OVERDUE = 5.0  # seconds after the end of its lease at which a visit is dropped
TICK = 0.002  # seconds between two looks at whose turn it is, at least


class RunEnd(StrEnum):
    """Why a run is over."""

    FINISHED = "finished"  # nothing waits
    BUDGET = "budget spent"
    STOPPED = "stopped"  # on request
    WAITING = "waiting"  # every host with work is blocked for longer than crawl.longest_wait


class Pool(Steering):
    """Runs visits, as many at once as there is room for."""

    def __init__(
        self,
        *,
        worker: str,
        visit: Callable[[Lease], Coroutine[None, None, "asyncio.Future[None]"]],
        give_back: Callable[[Lease], "asyncio.Future[None]"],
        frontier: Leasing,
        lookout: Lookout,
        budget: Budget,
        events: Events,
        longest_wait: float,
        forever: bool = False,
        drain: float,
        clock: Clock,
        asks_ahead: bool = False,  # of a node, which knows sooner how many visits have ended, and counts them
    ) -> None:
        super().__init__(budget, events, clock, drain)
        self._asks_ahead = asks_ahead
        self._worker = worker
        self._tally = Tally(self.began)
        self._visit = visit
        self._give_back = give_back
        self._frontier = frontier
        self._lookout = lookout
        self._longest_wait = longest_wait
        self._forever = forever
        self._visitors: set[asyncio.Task[None]] = set()
        self._idle: list[asyncio.Future[Lease]] = []  # what visitors without a visit wait for
        self._early: list[tuple[float, int, Lease]] = []  # visits whose turn is still to come, a heap
        self._timer: asyncio.TimerHandle | None = None  # for the next of them
        self._visiting: dict[int, tuple[Lease, asyncio.Task[None]]] = {}  # visits that have begun and not ended, by token
        self._dropped: list[Lease] = []
        self._settling: dict[asyncio.Future[None], int] = {}  # visits that ended, by what tells that they are durable

    def adopt(self, settings: CrawlSettings) -> None:
        """Go by other limits from now on."""
        super().adopt(settings)
        self._lookout.adopt(settings)
        self._longest_wait = settings.longest_wait

    def limits(self) -> dict[str, Any]:
        """Return the limits in force, as `crawl` has them."""
        return {**super().limits(), "free_disk": self._lookout.floor, "longest_wait": self._longest_wait}

    def workers(self) -> list[WorkerStanding]:
        """Return how this process stands: it is the only worker."""
        tally = self._tally
        return [
            WorkerStanding(
                name=self._worker,
                pid=os.getpid(),
                since=self.began,
                under_way=self.under_way,
                visits=tally.visits,
                pages=tally.pages,
                bytes=tally.bytes,
                rss=memory_of(os.getpid()),
                last_seen=self._clock.now(),
                hosts=len({lease.entry.host for lease, _ in self._visiting.values()}),
                outcomes=dict(tally.outcomes),
            )
        ]

    def _spend(self, event: Event) -> None:
        super()._spend(event)
        if isinstance(event, VisitsEnded):
            self._tally.visits += len(event.visits)
            self._tally.pages += event.kept
            self._tally.bytes += event.received
            self._tally.outcomes.update(event.outcomes)

    def cancel(self) -> None:
        """Drop the visits under way, and give them back."""
        self._is_hurried = True
        self.stop("told to stop at once")
        self._settling.clear()
        self._drop()

    @property
    def under_way(self) -> int:
        """Visits under way."""
        return len(self._early) + len(self._visitors) - len(self._idle) + sum(self._settling.values())

    @property
    def oldest(self) -> Lease | None:
        """Of the visits that fetch and read, the one that has been under way longest."""
        return next((lease for lease, _ in self._visiting.values()), None)

    async def run(self) -> RunEnd:
        """Crawl until there is a reason to end."""
        self._loop = asyncio.get_running_loop()
        try:
            while (end := await self._sparing(self._crawl())) is None:
                pass
            await self._drain(self._clock.now() + self._begin_to_drain())
            await self._return_dropped()
            if self._failure is not None:
                raise self._failure
            return RunEnd.STOPPED if self._stopping else end
        finally:
            self._dismiss()
            await asyncio.gather(*self._visitors, return_exceptions=True)

    async def _crawl(self) -> RunEnd:
        while not self._stopping and self._failure is None:
            self._wake.clear()
            now = self._clock.now()
            self._lookout.look(now)
            self._drop_overdue(now)
            if self._is_spent(now):
                return RunEnd.BUDGET
            is_held = self._lookout.short_of_disk or self.is_paused
            room = 0 if is_held else self._budget.room(0 if self._asks_ahead else self.under_way)
            if room:
                granted = await self._frontier.lease(self._worker, room, now)
                self.next_time = granted.next_time
                self._accept(granted.leases)
                if not self.under_way:
                    if granted.next_time is None:
                        if await self.reconsider():
                            continue
                        return RunEnd.FINISHED
                    if granted.next_time - now > self._longest_wait and not self._forever:
                        return RunEnd.WAITING
            await self._wait(self.next_time if room else None)
        return RunEnd.STOPPED

    def _accept(self, leases: Sequence[Lease]) -> None:
        now = self._clock.now()
        for lease in leases:
            if lease.leased_at > now:
                heappush(self._early, (lease.leased_at, lease.token, lease))
            else:
                self._begin(lease)
        self._await_turn(now)

    def _take_turns(self) -> None:
        """Begin the visits whose turn it is."""
        now = self._clock.now()
        while self._early and self._early[0][0] <= now:
            self._begin(heappop(self._early)[2])
        self._await_turn(now)

    def _await_turn(self, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._early:
            self._timer = self._loop.call_later(max(self._early[0][0] - now, TICK), self._take_turns)

    def _begin(self, lease: Lease) -> None:
        if self._idle:
            self._idle.pop().set_result(lease)
            return
        visitor = self._loop.create_task(self._visit_all(lease))
        self._visitors.add(visitor)
        visitor.add_done_callback(self._ended)

    async def _visit_all(self, lease: Lease) -> None:
        """Visit one URL after the other."""
        task = cast("asyncio.Task[None]", asyncio.current_task())
        while True:
            self._visiting[lease.token] = lease, task
            try:
                durable = await self._visit(lease)
            finally:
                del self._visiting[lease.token]
            if durable not in self._settling:
                self._settling[durable] = 0
                durable.add_done_callback(self._settled)
            self._settling[durable] += 1
            turn = self._loop.create_future()
            self._idle.append(turn)
            lease = await turn

    def _settled(self, durable: "asyncio.Future[None]") -> None:
        if self._settling.pop(durable, 0):  # else it was dropped
            super()._ended(durable)

    def _ended(self, visitor: "asyncio.Future[None]") -> None:
        self._visitors.discard(visitor)
        super()._ended(visitor)

    def _dismiss(self) -> None:
        self._early.clear()
        self._idle.clear()
        for visitor in self._visitors:
            visitor.cancel()

    def _drop_overdue(self, now: float) -> None:
        """Drop the visits that should have ended long ago: whatever they wait for, it does not come."""
        if self.oldest is None or self.oldest.until + OVERDUE > now:
            return  # the others have more time
        for lease, task in [each for each in self._visiting.values() if each[0].until + OVERDUE <= now]:
            self._events.publish(Trouble(f"{lease.entry.url} was dropped: its visit did not end within crawl.lease"))
            task.cancel()

    async def _drain(self, end: float) -> None:
        while self.under_way and self._failure is None and self._clock.now() < end:
            self._wake.clear()
            await self._wait(end)
        if self._failure is None:
            self._drop()

    def _drop(self) -> None:
        self._dropped += [lease for _, _, lease in self._early] + [lease for lease, _ in self._visiting.values()]
        self._dismiss()

    async def _return_dropped(self) -> None:
        """Give back what was dropped; where not even that can be written, it comes back when the crawl is opened again."""
        if self._dropped:
            await asyncio.gather(*self._visitors, return_exceptions=True)
            await asyncio.wait({self._give_back(lease) for lease in self._dropped}, timeout=GIVING_BACK / 2)
