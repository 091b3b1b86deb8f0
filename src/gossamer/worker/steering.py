"""What is common to all that lead a run, whether they visit themselves (`pool`) or through workers (`node`): they are told to
stop, count what is spent, take note of what failed, and sleep until there is something to do.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from gossamer.clock import Clock
from gossamer.worker.budget import Budget, Limit
from gossamer.worker.events import Event, Events, Stopping, VisitsEnded
from gossamer.worker.lookout import LOOK_AROUND


async def _nothing_more() -> bool:
    return False


class Steering:
    """The part of a pool or a node that looks outward."""

    def __init__(self, budget: Budget, events: Events, clock: Clock) -> None:
        self._budget = budget
        self.spent: Limit | None = None  # why the run ended, if the budget was why
        self._events = events
        self._clock = clock
        self._wake = asyncio.Event()
        self._stopping = ""
        self._failure: BaseException | None = None
        self.next_time: float | None = None
        self.reconsider: Callable[[], Awaitable[bool]] = _nothing_more  # what may bring more work when none is left
        events.subscribe(self._spend)

    def begin_anew(self, given: Collection[str]) -> None:
        """Let the budget count this run only, for the limits that were given for it."""
        self._budget.begin_anew(given)

    def allowance(self) -> list[Limit]:
        """Return what this run may spend, of everything that has a limit."""
        return self._budget.allowance()

    def budget_left(self) -> tuple[int | None, float | None]:
        """Return how many pages and seconds the budget has left; None: as many as it takes."""
        return self._budget.left(self._clock.now())

    def stop(self, reason: str) -> None:
        """Begin no new visit; `run` returns when those under way are finished."""
        if not self._stopping:
            self._stopping = reason
            self._events.publish(Stopping(reason))
        self._wake.set()

    def _is_spent(self, now: float) -> bool:
        """Tell whether the budget is spent, and remember which limit was reached."""
        self.spent = self._budget.spent(now)
        return self.spent is not None

    def _ended(self, work: "asyncio.Future[Any]") -> None:
        """Take note of something that is over."""
        if self._failure is None and not work.cancelled():
            self._failure = work.exception()  # the first says why, others may follow from it
        self._wake.set()

    async def _wait(self, until: float | None) -> None:
        """Sleep until something ends, somebody asks, a host is ready, or it is time to look around."""
        seconds = LOOK_AROUND
        if until is not None:
            seconds = min(seconds, max(until - self._clock.now(), 0.0))
        timer = asyncio.get_running_loop().call_later(seconds, self._wake.set)
        try:
            await self._wake.wait()
        finally:
            timer.cancel()

    def _spend(self, event: Event) -> None:
        if isinstance(event, VisitsEnded):
            self._budget.spend(event.kept, event.received)
