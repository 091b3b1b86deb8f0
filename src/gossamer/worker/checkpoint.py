"""A checkpoint: a consistent copy of a crawl, running or not, that can be resumed elsewhere.

Taken between two commits, so that frontier, digests, catalog and archive tell the same story. Copies are cheap: closed files of
archive and stores are linked where the file system can. Leases that are out come back when the copy is opened.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

Step = Callable[[], Awaitable[None]]


class Stillness:
    """Held while something is made durable, and while a checkpoint is taken: never both at once."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> None:
        await self._lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


async def take_checkpoint(stillness: Stillness, copies: Sequence[Step]) -> None:
    """Copy every store while nothing is committed."""
    async with stillness:
        for copy in copies:
            await copy()
