"""The live streams that are open: so many at once, and all of them end with the server."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from gossamer.api.refusal import RequestRefused

AHEAD = 200  # messages that wait for one reader


class Streams:
    """All open streams."""

    def __init__(self, most: int) -> None:
        self.is_over = False
        self._most = most
        self._open: set[asyncio.Queue[bytes | None]] = set()

    def check(self) -> None:
        """Refuse one stream too many."""
        if len(self._open) >= self._most:
            raise RequestRefused(429, "streams", f"{self._most} streams are open, and no more are served", {"Retry-After": "5"})

    @contextmanager
    def opened(self) -> "Iterator[asyncio.Queue[bytes | None]]":
        """Hold a stream open; None in its queue ends it."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(AHEAD)
        self._open.add(queue)
        try:
            yield queue
        finally:
            self._open.discard(queue)

    def close(self) -> None:
        """End all streams; one whose reader is behind ends when it looks up."""
        self.is_over = True
        for queue in self._open:
            with suppress(asyncio.QueueFull):
                queue.put_nowait(None)
