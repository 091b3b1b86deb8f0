"""What is common to all that lead a run, whether they visit themselves (`pool`) or through workers (`node`): they are told to
stop, count what is spent, take note of what failed, and sleep until there is something to do.

A store that failed ends the run. A bug of ours does not: it is told, and whatever it struck is tried again, a lease when it has
run out. Only when nothing but bugs was met for a while does it end.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Collection
from typing import Any, TypeVar

from gossamer.clock import Clock
from gossamer.config.sections import CrawlSettings
from gossamer.errors import ENDING, NOT_LOST, CannotGoOn
from gossamer.run.lookout import LOOK_AROUND
from gossamer.run.roll import WorkerStanding
from gossamer.watch.budget import Budget, Limit
from gossamer.watch.events import Event, Events, Paused, Resumed, Stopping, VisitsEnded, bug

_Result = TypeVar("_Result")
GIVING_BACK = 2.0  # seconds for visits that were dropped to be given back
BY_OPERATOR = "paused by an operator, until it is resumed"
MOST_BUGS = 5  # without a visit that ended between them


async def _nothing_more() -> bool:
    return False


class Steering(ABC):
    """The part of a pool or a node that looks outward."""

    def __init__(self, budget: Budget, events: Events, clock: Clock, drain: float) -> None:
        self._budget = budget
        self._drain_seconds = drain
        self.spent: Limit | None = None  # why the run ended, if the budget was why
        self._events = events
        self._clock = clock
        self._wake = asyncio.Event()
        self._stopping = ""
        self._is_hurried = False  # nothing under way is to be finished
        self.is_paused = False  # no new lease until an operator resumes
        self.began = clock.now()
        self._failure: BaseException | None = None
        self._bugs = 0  # since a visit ended
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

    def pause(self) -> None:
        """Lease nothing more until `resume`; visits under way are finished. It does not end a run."""
        if not self.is_paused:
            self.is_paused = True
            self._events.publish(Paused(BY_OPERATOR, "operator"))

    def resume(self) -> None:
        """Lease again."""
        if self.is_paused:
            self.is_paused = False
            self._events.publish(Resumed("operator"))
            self._wake.set()

    def adopt(self, settings: CrawlSettings) -> None:
        """Go by other limits from now on: of what may be spent, of time to drain and to wait, of the disk."""
        self._budget.adopt(settings)
        self._drain_seconds = settings.drain
        self._wake.set()

    def limits(self) -> dict[str, Any]:
        """Return the limits in force, as `crawl` has them."""
        return {**self._budget.limits(), "drain": self._drain_seconds}

    @property
    def is_stopping(self) -> bool:
        """Tell whether it was told to stop."""
        return bool(self._stopping)

    @abstractmethod
    def workers(self) -> list[WorkerStanding]:
        """Return how each worker stands."""

    @property
    def state(self) -> str:
        """What the run does, in a word."""
        return "stopping" if self._stopping else "running"

    @property
    @abstractmethod
    def under_way(self) -> int:
        """Visits under way."""

    def _begin_to_drain(self) -> float:
        """Say how long visits under way have to end; return for how long they are left alone: giving them back takes time."""
        seconds = self._drain_seconds
        if self.under_way and not self._is_hurried:
            self._events.publish(Stopping(f"stopping: up to {seconds:g} s for requests under way"))
        return max(seconds - GIVING_BACK, seconds / 2)

    def _is_spent(self, now: float) -> bool:
        """Tell whether the budget is spent, and remember which limit was reached."""
        self.spent = self._budget.spent(now)
        return self.spent is not None

    def _ended(self, work: "asyncio.Future[Any]") -> None:
        """Take note of something that is over."""
        error = None if work.cancelled() else work.exception()
        if isinstance(error, Exception) and not isinstance(error, ENDING):
            self._bear(error)
        elif self._failure is None:
            self._failure = error  # the first says why, others may follow from it
        self._wake.set()

    def _bear(self, error: Exception) -> None:
        """Go on after a bug, unless there was nothing else for a while."""
        self._events.publish(bug(error, "leading the crawl"))
        self._bugs += 1
        if self._bugs >= MOST_BUGS and self._failure is None:
            what = f"{type(error).__name__}: {error}"
            self._failure = CannotGoOn(f"a bug of ours strikes again and again ({what}); {NOT_LOST}")
            self._failure.__cause__ = error
        self._wake.set()

    async def _sparing(self, step: Awaitable[_Result]) -> _Result | None:
        """Return what a step comes to; None: it met a bug, and a moment has passed since."""
        try:
            return await step
        except ENDING:
            raise
        except Exception as error:  # noqa: BLE001 - what a bug may cost: a second
            self._bear(error)
        await asyncio.sleep(LOOK_AROUND)
        return None

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
            self._bugs = 0
            self._budget.spend(event.kept, event.received)
