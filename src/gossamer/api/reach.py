"""The way to one crawl: whoever holds it is asked over its socket; a crawl that nobody holds gets a keeper first."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from gossamer.errors import CrawlEnded, CrawlSilent
from gossamer.jobs.caller import ANSWER, Caller
from gossamer.jobs.chronicle import told_to_programs
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.keeping import reached
from gossamer.jobs.operate import LOOKING as OPERATIONS_LOOKING
from gossamer.jobs.wire import PULSE
from gossamer.records.event import Event

LOOKING = frozenset({"pulse", *OPERATIONS_LOOKING})
TRIES = 2
LOOK_AGAIN = 0.5  # seconds between two looks whether a crawl runs


class CrawlReach:
    """What a door needs of a crawl: to ask, to watch, to read what happened."""

    def __init__(self, job: str, directory: CrawlDirectory) -> None:
        self.job = job
        self.directory = directory
        self._caller: Caller | None = None
        self._calling = asyncio.Lock()

    async def ask(self, operation: str, who: str = "", patience: float = ANSWER, **arguments: Any) -> Any:
        """Carry out an operation, whether the crawl runs or not; one that changes nothing also while a run begins or ends."""
        for _ in range(TRIES if operation in LOOKING else 0):
            with suppress(CrawlEnded):
                return await (await self._connected()).ask(operation, arguments, who, patience)
        return await (await self._connected()).ask(operation, arguments, who, patience)

    async def watch(self) -> AsyncIterator[Any]:
        """Walk over the pulses of the crawl, over all its runs; while it does not run there is one and then none."""
        async for _, pulse in self.live(PULSE):
            yield pulse

    async def live(self, *kinds: str) -> AsyncIterator[tuple[str, Any]]:
        """Walk over events of some kinds (`jobs/wire.py`), each with its kind, over all runs of the crawl."""
        is_new = True
        while True:
            if await asyncio.to_thread(self.directory.runner) is not None:
                with suppress(CrawlSilent):
                    async for kind, event in (await self._connected()).watch(*kinds):
                        yield kind, event
                is_new = True
            elif is_new and PULSE in kinds:
                is_new = False
                with suppress(CrawlSilent):
                    yield PULSE, await self.ask("pulse")
            await asyncio.sleep(LOOK_AGAIN)

    def events(self, after: str) -> AsyncIterator[Event]:
        """Walk over what happened, and wait for more."""
        return told_to_programs(self.directory, after, lambda: True)

    async def _connected(self) -> Caller:
        async with self._calling:
            if self._caller is None or self._caller.is_over:
                self._caller = await reached(self.directory)
            return self._caller

    async def aclose(self) -> None:
        """Hang up."""
        if self._caller is not None:
            await self._caller.aclose()
