"""The way to one crawl: whoever holds it is asked over its socket; a crawl that nobody holds gets a keeper first."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from time import monotonic
from typing import Any

from msgspec import convert
from msgspec.structs import replace

from gossamer.errors import CrawlEnded, CrawlSilent
from gossamer.jobs.caller import ANSWER, Caller
from gossamer.jobs.chronicle import opened, told_to_programs
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.history import PulseHistory
from gossamer.jobs.keeping import reached
from gossamer.jobs.operate import LOOKING as OPERATIONS_LOOKING
from gossamer.jobs.pulse import last_kept
from gossamer.jobs.shelves import Shelves
from gossamer.jobs.wire import PULSE
from gossamer.records.event import Event
from gossamer.records.pulse import Pulse

MINUTE = 60.0
LEAST = 0.5  # seconds for an answer when it took long to connect
GLANCE = 1.0  # seconds that a run has to tell its pulse
UNDER_WAY = frozenset({"running", "paused", "stopping"})  # states of a pulse that only a run can be in
LOOKING = frozenset({"pulse", *OPERATIONS_LOOKING})
TRIES = 2
LOOK_AGAIN = 0.5  # seconds between two looks whether a crawl runs
STILL = 5.0  # seconds between two pulses of one that does not


class CrawlReach:
    """What a door needs of a crawl: to ask, to watch, to read what happened."""

    def __init__(self, job: str, directory: CrawlDirectory) -> None:
        self.job = job
        self.directory = directory
        self._caller: Caller | None = None
        self._calling = asyncio.Lock()
        self.shelves = Shelves(directory)  # what it keeps
        self.history = PulseHistory(directory.path)  # what it counted
        self.changing = asyncio.Lock()  # held by whoever looks at something first, then changes it
        self._paces: deque[tuple[float, dict[str, int]]] = deque()  # pages of each worker, over the last minute

    async def ask(self, operation: str, who: str = "", patience: float = ANSWER, **arguments: Any) -> Any:
        """Carry out an operation, whether the crawl runs or not; one that changes nothing also while a run begins or ends."""
        end = monotonic() + patience  # of all that it takes: to connect, to ask, to ask once more
        for _ in range(TRIES if operation in LOOKING else 0):
            with suppress(CrawlEnded):
                return await self._asked(operation, who, end, arguments)
        return await self._asked(operation, who, end, arguments)

    async def _asked(self, operation: str, who: str, end: float, arguments: dict[str, Any]) -> Any:
        caller = await self._connected_soon(end - monotonic())
        return await caller.ask(operation, arguments, who, max(end - monotonic(), LEAST))

    async def pulse(self) -> dict[str, Any]:
        """Return the crawl in numbers."""
        pulse: dict[str, Any] = await self.ask("pulse")
        self._paces.append((pulse["at"], {f"{one['name']} {one['pid']}": one["pages"] for one in pulse["workers"]}))
        while self._paces[0][0] < pulse["at"] - MINUTE:
            self._paces.popleft()
        return pulse

    def pace(self, pulse: dict[str, Any], worker: dict[str, Any]) -> float:
        """Return the pages a second of a worker: over the last minute as far as somebody looked, else over its life."""
        name = f"{worker['name']} {worker['pid']}"
        begun = next(((at, pages[name]) for at, pages in self._paces if name in pages), (worker["since"], 0))
        at, pages = begun if pulse["at"] - begun[0] >= 1 else (worker["since"], 0)
        seconds = pulse["at"] - at
        return max(worker["pages"] - pages, 0) / seconds if seconds > 0 else 0.0

    async def glance(self) -> Pulse | None:
        """Return the crawl's numbers without making anybody open it: a run's last pulse, else the one that was kept last.

        None: there was never any. A run that does not answer at once is shown as it was when it last did.
        """
        running = self.directory.runner() is not None
        if running:
            with suppress(OSError, CrawlSilent):
                async with self._calling:
                    if self._caller is None or self._caller.is_over:
                        self._caller = await Caller.connect(self.directory)
                    caller = self._caller
                return convert(await caller.ask("pulse", {}, patience=GLANCE), Pulse)
        kept = await asyncio.to_thread(last_kept, self.directory.path)
        if kept is None or running or kept.state not in UNDER_WAY:
            return kept
        left = kept.frontier.waiting + kept.frontier.leased
        return replace(kept, state="stopped" if left else "finished", since=0.0, under_way=0, workers=())

    async def position(self, after: str) -> str:
        """Return the id behind which a reader goes on: the one it names, the last without one.

        One of another crawl, which stood here before, is as good as none that was seen.
        """
        async with opened(self.directory) as chronicle:
            last = await chronicle.head()
            await chronicle.lag(after)  # says what is wrong with it
        return (after if after.rsplit("-", 2)[0] == last.rsplit("-", 2)[0] else "") if after else last

    async def live(self, *kinds: str) -> AsyncIterator[tuple[str, Any]]:
        """Walk over events of some kinds (`jobs/wire.py`), each with its kind, over all runs of the crawl.

        While nobody runs it, the pulse that was kept last is told again now and then: nobody holds a crawl open to be watched.
        """
        told_at = 0.0
        while True:
            if await asyncio.to_thread(self.directory.runner) is not None:
                with suppress(CrawlSilent):
                    async for kind, event in (await self._connected()).watch(*kinds):
                        yield kind, event
                told_at = 0.0
            elif PULSE in kinds and monotonic() - told_at >= STILL:
                told_at = monotonic()
                with suppress(CrawlSilent):
                    yield PULSE, await self.glance() or await self.ask("pulse")
            await asyncio.sleep(LOOK_AGAIN)

    def events(self, after: str) -> AsyncIterator[Event]:
        """Walk over what happened, and wait for more."""
        return told_to_programs(self.directory, after, lambda: True)

    async def _connected_soon(self, patience: float) -> Caller:
        """Return a connection; a keeper that takes long to open the crawl goes on with it, and answers who asks later."""
        connecting = asyncio.ensure_future(self._connected())
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(connecting)
        except TimeoutError:
            connecting.add_done_callback(lambda task: task.cancelled() or task.exception())
            raise CrawlSilent(f"{self.job} has not answered for {ANSWER:g} s; ask again") from None

    async def _connected(self) -> Caller:
        async with self._calling:
            if self._caller is None or self._caller.is_over:
                self._caller = await reached(self.directory)
            return self._caller

    async def aclose(self) -> None:
        """Hang up, and close what was opened."""
        await self.shelves.aclose()
        if self._caller is not None:
            await self._caller.aclose()
