"""The spool: what becomes of a visit whose body found no room in the temporary directory.

The request was sent and its turn is used. The visit waits until there is room, like everything that needs the disk, and says
so; then its URL is asked for again, at a turn of its own. A body for which there never is enough room is given up.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from typing import Any

from gossamer.clock import Clock
from gossamer.document.body import Body
from gossamer.errors import DiskFull, SpoolError
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.records.visit import Visit
from gossamer.visit.settle import unvisited

ROOM = 1024 * 1024  # bytes that must fit before a URL is asked for again
MOST_TRIES = 3  # of a URL, each with so much room before it
MOST_URLS = 10_000  # whose tries are remembered
IN_TIME = 5.0  # seconds before the end of a lease at which its visit ends


class Spool:
    """Waits for room where bodies are spooled."""

    def __init__(self, until_room: Callable[..., Awaitable[Any]], clock: Clock) -> None:
        self._until_room = until_room
        self._clock = clock
        self._tries: dict[str, int] = {}

    async def put_off(self, lease: Lease, error: SpoolError) -> Visit:
        """Return how a visit ends whose body could not be spooled, when there is room again or its lease runs out."""
        url, answer = lease.entry.url, Answer(at=self._clock.now(), failed=None)
        tries, reason = self._tries.pop(url, 0) + 1, because(Rule.FETCH_SPOOL, error=str(error))
        if tries > MOST_TRIES:
            ended = Settlement(lease=lease, fate=Fate.DEAD, outcome=Outcome.TOO_BIG, reason=reason, answer=answer)
            return Visit(settlement=ended, page=unvisited(lease.entry, Outcome.TOO_BIG, reason))
        self._tries[url] = tries
        if len(self._tries) > MOST_URLS:
            del self._tries[next(iter(self._tries))]
        with suppress(TimeoutError):
            async with asyncio.timeout(max(lease.until - IN_TIME - self._clock.now(), 0.0)):
                await self._until_room(_take_room, str(error))
        deferred = Settlement(lease=lease, fate=Fate.DEFERRED, outcome=Outcome.DEFERRED, reason=reason, answer=answer)
        return Visit(settlement=deferred)


async def _take_room(said: str) -> None:
    """Take some room and give it back."""
    with closing(Body(limit=0)) as body:
        try:
            body.write(bytes(ROOM))
            body.flush()
        except OSError as error:
            raise DiskFull(said) from error
