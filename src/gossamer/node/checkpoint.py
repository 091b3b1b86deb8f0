"""A checkpoint: a consistent copy of a crawl, running or not, that can be resumed elsewhere.

Taken between two commits, so that frontier, digests, catalog and archive tell the same story. Copies are cheap: closed files of
archive and stores are linked where the file system can. Leases that are out come back when the copy is opened.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

Step = Callable[[], Awaitable[None]]


class CommitPause:
    """Held while something is made durable, by several at once; a checkpoint waits for all of them and lets none begin."""

    def __init__(self) -> None:
        self._gate = asyncio.Lock()
        self._writers = 0
        self._is_still = asyncio.Event()
        self._is_still.set()

    async def __aenter__(self) -> None:
        async with self._gate:
            self._writers += 1
            self._is_still.clear()

    async def __aexit__(self, *_: object) -> None:
        self._writers -= 1
        if not self._writers:
            self._is_still.set()

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Wait until nothing is being made durable, and keep it so."""
        async with self._gate:
            await self._is_still.wait()
            yield


async def take_checkpoint(commit_pause: CommitPause, copies: Sequence[Step]) -> None:
    """Copy every store while nothing is committed."""
    async with commit_pause.alone():
        for copy in copies:
            await copy()
