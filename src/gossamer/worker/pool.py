"""The pool: leases URLs while there is room, runs a visit for each, and knows when the crawl is over.

It ends when nothing waits, when the budget is spent, when it is told to stop (visits under way are finished first), or when
the next thing to do is too far away. It sleeps only until the frontier says that a host is ready, or a visit ends.
"""

import asyncio
from collections.abc import Callable, Coroutine
from enum import StrEnum

from gossamer.clock import Clock
from gossamer.protocols import Leasing
from gossamer.records import Lease
from gossamer.worker.budget import Budget
from gossamer.worker.events import Events
from gossamer.worker.lookout import Lookout
from gossamer.worker.steering import Steering


class End(StrEnum):
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
        visit: Callable[[Lease], Coroutine[None, None, None]],
        frontier: Leasing,
        lookout: Lookout,
        budget: Budget,
        events: Events,
        longest_wait: float,
        clock: Clock,
    ) -> None:
        super().__init__(budget, events, clock)
        self._worker = worker
        self._visit = visit
        self._frontier = frontier
        self._lookout = lookout
        self._longest_wait = longest_wait
        self._visits: set[asyncio.Task[None]] = set()

    def cancel(self) -> None:
        """Drop the visits under way; their leases come back when the crawl is opened again."""
        self.stop("told to stop at once")
        for task in self._visits:
            task.cancel()

    @property
    def under_way(self) -> int:
        """Visits under way."""
        return len(self._visits)

    async def run(self) -> End:
        """Crawl until there is a reason to end."""
        try:
            end = await self._crawl()
            await self._drain()
            if self._failure is not None:
                raise self._failure
            return End.STOPPED if self._stopping else end
        finally:
            for task in self._visits:
                task.cancel()
            await asyncio.gather(*self._visits, return_exceptions=True)

    async def _crawl(self) -> End:
        while not self._stopping and self._failure is None:
            self._wake.clear()
            now = self._clock.now()
            self._lookout.look(now)
            if self._budget.spent(now):
                return End.BUDGET
            room = 0 if self._lookout.short_of_disk else self._budget.room(len(self._visits))
            if room:
                granted = await self._frontier.lease(self._worker, room, now)
                self.next_time = granted.next_time
                for lease in granted.leases:
                    self._begin(lease)
                if not self._visits:
                    if granted.next_time is None:
                        return End.FINISHED
                    if granted.next_time - now > self._longest_wait:
                        return End.WAITING
            await self._wait(self.next_time if room else None)
        return End.STOPPED

    def _begin(self, lease: Lease) -> None:
        task = asyncio.create_task(self._visit(lease))
        self._visits.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._visits.discard(task)
        super()._ended(task)

    async def _drain(self) -> None:
        while self._visits and self._failure is None:
            self._wake.clear()
            await self._wait(None)
