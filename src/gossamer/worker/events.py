"""What happens while a crawl runs, for whoever watches: the progress line, the log, later the live stream.

Listeners are called at once and in order; they must be quick and must not raise.
"""

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec
from msgspec import Struct

from gossamer.visit import Visit
from gossamer.worker.budget import KEPT
from gossamer.worker.haste import Haste


class VisitsEnded(Struct, frozen=True):
    """Visits are over and durable: those of one commit, told at once, because each that listens takes its time."""

    visits: Sequence[Visit]


class Paused(Struct, frozen=True, tag=True):
    """No new visit is begun for now."""

    reason: str


class Resumed(Struct, frozen=True, tag=True):
    """Visits are begun again."""


class Stopping(Struct, frozen=True):
    """No new visit will be begun; those under way are finished."""

    reason: str


class ListsRead(Struct, frozen=True):
    """A list file changed; its new lines count from now on."""


class Trouble(Struct, frozen=True, tag=True):
    """Something of ours went wrong; the crawl goes on."""

    what: str
    trace: str = ""


class Slowed(Struct, frozen=True):
    """A host brings forth too many URLs and is left alone for a while."""

    host: str
    seconds: float
    reason: str


class WorkerBegan(Struct, frozen=True):
    """A worker process was started."""

    worker: str
    pid: int


Event = VisitsEnded | Paused | Resumed | Stopping | ListsRead | Trouble | Slowed | WorkerBegan
Retold = Paused | Resumed | Trouble  # what a worker in a process of its own tells its node; the node knows the rest
Listener = Callable[[Event], None]


class Events:
    """Hands every event to every listener."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> None:
        """Call `listener` with every event from now on."""
        self._listeners.append(listener)

    def publish(self, event: Event) -> None:
        """Tell everyone."""
        for listener in self._listeners:
            listener(event)


retell = msgspec.msgpack.Encoder().encode
hear = msgspec.msgpack.Decoder(Retold).decode


class Tally:
    """What a run has done so far: finished URLs by outcome, requests, bytes."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.visits = 0  # turns of a host that were used
        self.bytes = 0
        self.retries = 0
        self.haste = Haste()

    def __call__(self, event: Event) -> None:
        if not isinstance(event, VisitsEnded):
            return
        settlements = [visit.settlement for visit in event.visits]
        self.haste.look(settlements)
        self.bytes += sum([visit.received for visit in event.visits])
        self.visits += sum([settlement.answer is not None for settlement in settlements])
        self.outcomes.update([visit.page.outcome for visit in event.visits if visit.page is not None])
        self.retries += sum([visit.page is None and visit.settlement.fate == "retry" for visit in event.visits])

    @property
    def pages(self) -> int:
        """Pages kept."""
        return sum(self.outcomes[outcome] for outcome in KEPT)
