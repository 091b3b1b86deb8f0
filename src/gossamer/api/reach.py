"""The way to one crawl: whoever holds it is asked over its socket; a crawl that nobody holds gets a keeper first."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
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

LOOKING = frozenset({"pulse", *OPERATIONS_LOOKING})
TRIES = 2
MINUTE = 60.0
GLANCE = 1.0  # seconds that a run has to tell its pulse
UNDER_WAY = frozenset({"running", "paused", "stopping"})  # states of a pulse that only a run can be in


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
        for _ in range(TRIES if operation in LOOKING else 0):
            with suppress(CrawlEnded):
                return await (await self._connected_soon()).ask(operation, arguments, who, patience)
        return await (await self._connected_soon()).ask(operation, arguments, who, patience)

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

    async def watch(self) -> AsyncIterator[Any]:
        """Walk over the pulses of the crawl, as long as somebody holds it."""
        async for _, pulse in self.live(PULSE):
            yield pulse

    async def live(self, *kinds: str) -> AsyncIterator[tuple[str, Any]]:
        """Walk over events of some kinds (`jobs/wire.py`), each with its kind, as long as somebody holds the crawl."""
        caller = await self._connected()
        async for kind, event in caller.watch(*kinds):
            yield kind, event

    async def position(self, after: str) -> str:
        """Return the id behind which a reader goes on: the one it names, the last without one.

        One of another crawl, which stood here before, is as good as none that was seen.
        """
        async with opened(self.directory) as chronicle:
            last = await chronicle.head()
            await chronicle.lag(after)  # says what is wrong with it
        return (after if after.rsplit("-", 2)[0] == last.rsplit("-", 2)[0] else "") if after else last

    def events(self, after: str) -> AsyncIterator[Event]:
        """Walk over what happened, and wait for more."""
        return told_to_programs(self.directory, after, lambda: True)

    async def _connected_soon(self) -> Caller:
        """Return a connection; a keeper that takes long to open the crawl goes on with it, and answers who asks later."""
        connecting = asyncio.ensure_future(self._connected())
        try:
            async with asyncio.timeout(ANSWER):
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
