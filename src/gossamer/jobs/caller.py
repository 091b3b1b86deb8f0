"""The other end of a control socket, for a program with an event loop: one connection, kept; questions interleave."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import count
from typing import Any

from gossamer.children import LENGTH
from gossamer.errors import CrawlEnded, CrawlSilent
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.sockets import short
from gossamer.jobs.wire import UNWATCH, WATCH, ControlReply, Question, length_of, raised, reply_of, sent

ANSWER = 4.5  # seconds that a crawl has to answer: who asks a server knows within five


class Caller:
    """A connection to whoever holds a crawl."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Queue[ControlReply | None]] = {}
        self._task = asyncio.create_task(self._listen())

    @classmethod
    async def connect(cls, directory: CrawlDirectory) -> "Caller":
        """Connect; raises `OSError` when nobody listens."""
        with short(directory.socket) as address:
            return cls(*await asyncio.wait_for(asyncio.open_unix_connection(address), ANSWER))

    @property
    def is_over(self) -> bool:
        """Whether the other end has hung up."""
        return self._task.done()

    async def ask(self, operation: str, arguments: dict[str, Any], who: str = "", patience: float = ANSWER) -> Any:
        """Return the answer to a question, or raise the error it came to; `CrawlSilent`: there was none."""
        number, replies = self._send(operation, arguments, who)
        try:
            async with asyncio.timeout(patience):
                reply = await replies.get()
        except TimeoutError:
            raise CrawlSilent(
                f"the crawl has not answered for {patience:.2g} s; it may be stopped or very busy; ask again"
            ) from None
        finally:
            self._waiting.pop(number, None)
        if reply is None:
            raise CrawlEnded("the crawl ended while it was asked; ask again")
        if reply.problem is not None:
            raise raised(reply.problem)
        return reply.answer

    async def watch(self, *kinds: str) -> AsyncIterator[tuple[str, Any]]:
        """Walk over events of some kinds, each with its kind, until the crawl ends."""
        number, replies = self._send(WATCH, {"kinds": list(kinds)}, "")
        try:
            while (reply := await replies.get()) is not None:
                if reply.problem is not None:
                    raise raised(reply.problem)
                yield reply.kind, reply.event
        finally:
            self._waiting.pop(number, None)
            if not self._task.done():
                self._writer.write(sent(Question(next(self._numbers), UNWATCH, {"question": number})))

    def _send(self, operation: str, arguments: dict[str, Any], who: str) -> "tuple[int, asyncio.Queue[ControlReply | None]]":
        if self._task.done():
            raise CrawlEnded("the crawl has hung up; ask again")
        number, replies = next(self._numbers), asyncio.Queue[ControlReply | None]()
        self._writer.write(sent(Question(number, operation, arguments, who)))
        self._waiting[number] = replies
        return number, replies

    async def _listen(self) -> None:
        try:
            while True:
                length = length_of(await self._reader.readexactly(LENGTH))
                reply = reply_of(await self._reader.readexactly(length))
                if reply.id in self._waiting:
                    self._waiting[reply.id].put_nowait(reply)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            for replies in self._waiting.values():
                replies.put_nowait(None)

    async def aclose(self) -> None:
        """Hang up."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()
