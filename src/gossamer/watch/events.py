"""What happens while a crawl runs, for whoever watches: the progress line, the log, later the live stream.

Listeners are called at once and in order, and must be quick. One that raises is a bug of ours: that is told like any other
trouble, once, and the others hear of the event all the same.
"""

import asyncio
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from gossamer.errors import ENDING
from gossamer.records.lease import Fate
from gossamer.records.outcome import Outcome
from gossamer.records.reason import Reason
from gossamer.records.visit import Visit
from gossamer.watch.budget import KEPT
from gossamer.watch.politeness import PolitenessWatch

_OK, _RETRY = Outcome.OK, Fate.RETRY  # looking a member up in its enum takes as long as a call


class VisitsEnded:
    """Visits are over and durable: those of one commit, told at once, and counted once for all that listen."""

    __slots__ = ("items", "outcomes", "problems", "read", "received", "requests", "retries", "visits")

    def __init__(self, visits: Sequence[Visit]) -> None:
        self.visits = visits
        received = requests = retries = read = fine = items = problems = 0
        others: list[Outcome] = []
        for visit in visits:
            settlement, page = visit.settlement, visit.page
            received += visit.received
            if settlement.answer is not None:
                requests += 1
            if visit.edges is not None:
                read += 1
            if visit.harvest is not None:
                items += len(visit.harvest.items)
                problems += len(visit.harvest.problems)
            if page is None:
                retries += settlement.fate is _RETRY
            elif page.outcome is _OK:  # nearly always
                fine += 1
            else:
                others.append(page.outcome)
        self.received = received  # bytes
        self.requests = requests  # turns of a host that were used
        self.retries = retries
        self.read = read  # pages whose links are known
        self.items = items  # that readers found
        self.problems = problems  # in readers
        self.outcomes = Counter[str](others)  # of the URLs that are finished
        if fine:
            self.outcomes[_OK] = fine

    @property
    def kept(self) -> int:
        """Pages kept."""
        return sum([self.outcomes[outcome] for outcome in KEPT])


class Paused(Struct, frozen=True, tag=True):
    """No new visit is begun for now."""

    reason: str
    cause: str = ""  # what has to pass, in a word: who resumes says the same


class Resumed(Struct, frozen=True, tag=True):
    """Visits are begun again, as far as one cause goes."""

    cause: str = ""


class Stopping(Struct, frozen=True):
    """No new visit will be begun; those under way are finished."""

    reason: str


class ListsRead(Struct, frozen=True):
    """A list file changed; its new lines count from now on."""


class Trouble(Struct, frozen=True, tag=True):
    """Something of ours went wrong; the crawl goes on."""

    what: str
    trace: str = ""
    stalled: float = 0.0  # seconds for which an event loop stood still, if that is what happened
    worker: str = ""  # whom it happened to, where there are several
    died: bool = False  # that worker is gone


def bug(error: BaseException, doing: str) -> Trouble:
    """Return what is told of an exception that nobody expected: what was being done, and the trace."""
    return Trouble(f"{type(error).__name__}: {error} while {doing}", "".join(traceback.format_exception(error)))


def tell_of_calls(events: "Events") -> None:
    """Tell of what is raised in calls that the running loop makes by itself, timers and the like, instead of printing it."""

    def tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception) and not isinstance(error, ENDING):
            events.publish(bug(error, "the event loop turned"))
        else:
            loop.default_exception_handler(context)

    asyncio.get_running_loop().set_exception_handler(tell)


class Slowed(Struct, frozen=True):
    """A host brings forth too many URLs and is left alone for a while."""

    host: str
    seconds: float
    reason: Reason


class WorkerBegan(Struct, frozen=True):
    """A worker process was started."""

    worker: str
    pid: int


class SeedArrived(Struct, frozen=True):
    """A seed that redirects has led to a page: its site belongs to the crawl from now on."""

    seed: str
    url: str


Event = SeedArrived | VisitsEnded | Paused | Resumed | Stopping | ListsRead | Trouble | Slowed | WorkerBegan
Retold = Paused | Resumed | Trouble  # what a worker in a process of its own tells its node; the node knows the rest
Listener = Callable[[Event], None]


class Events:
    """Hands every event to every listener."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._failing: list[Listener] = []

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with every event from now on."""
        self._listeners.append(listener)

    def publish(self, event: Event) -> None:
        """Tell everyone."""
        for listener in self._listeners:
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 - what a bug may cost: one listener one event
                if listener not in self._failing:
                    self._failing.append(listener)
                    self.publish(bug(error, f"telling of {type(event).__name__}"))


retell = msgspec.msgpack.Encoder().encode
hear = msgspec.msgpack.Decoder(Retold).decode


class RunTally:
    """The counters of a run: finished URLs by outcome, requests, bytes; and the bugs of ours it met."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.visits = 0  # turns of a host that were used
        self.bytes = 0
        self.retries = 0
        self.items = 0  # that readers found
        self.problems = 0  # in readers
        self.bugs = 0  # traces in the log
        self.politeness = PolitenessWatch()

    def __call__(self, event: Event) -> None:
        if isinstance(event, Trouble):
            self.bugs += bool(event.trace)
        if not isinstance(event, VisitsEnded):
            return
        self.politeness.look([visit.settlement for visit in event.visits])
        self.bytes += event.received
        self.visits += event.requests
        self.outcomes.update(event.outcomes)
        self.retries += event.retries
        self.items += event.items
        self.problems += event.problems

    @property
    def pages(self) -> int:
        """Pages kept."""
        return sum(self.outcomes[outcome] for outcome in KEPT)
