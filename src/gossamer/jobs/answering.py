"""Answer questions about a crawl over the socket in its directory: whoever holds the crawl does, a run or a keeper.

A connection is kept, and its questions are answered as they are done, at most so many at once. Whoever watches gets a pulse
a second and is told of trouble; one who does not read misses some, and costs nothing. A change that was begun is carried to its
end, whoever hangs up meanwhile: what is changed is told by the chronicle.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from gossamer.assemble import Crawl, Stores
from gossamer.children import LENGTH
from gossamer.errors import CrawlReadOnly, GossamerError, UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.operate import LOOKING, OPERATIONS, STEERING, carry_out
from gossamer.jobs.plain import plain
from gossamer.jobs.pulse import Pulses
from gossamer.jobs.sockets import short
from gossamer.jobs.wire import (
    MOST,
    PULSE,
    UNWATCH,
    WATCH,
    YIELD,
    ControlReply,
    Question,
    WireProblem,
    length_of,
    problem_of,
    question_of,
    sent,
)
from gossamer.jobs.words import peer

AT_ONCE = 16  # questions of one connection that are worked on
WATCHES = 256  # of one connection
FINISHING = 5.0  # seconds that changes under way have when a crawl ends
UNREAD = 4 * 1024 * 1024  # bytes on their way to somebody beyond which pulses are left out
_log = logging.getLogger(__name__)


@asynccontextmanager
async def serve_control(
    directory: CrawlDirectory,
    stores: Stores,
    pulses: Pulses,
    *,
    running: Crawl | None = None,
    let_go: Callable[[], None] | None = None,
    changed: Callable[[], Awaitable[None]] | None = None,
) -> AsyncIterator["Switchboard"]:
    """Answer questions while the block runs.

    `running`: the crawl, if it does. `let_go`: what a keeper does to yield. `changed`: called after a change of a crawl that
    does not run; one that has none can only be read.
    """
    board = Switchboard(stores, pulses, running, let_go, changed)
    directory.socket.unlink(missing_ok=True)
    before = os.umask(0o177)  # nobody but the owner may ask
    try:
        with short(directory.socket) as address:
            server = await asyncio.start_unix_server(board.serve, address)
    finally:
        os.umask(before)
    try:
        yield board
    finally:
        server.close()
        directory.socket.unlink(missing_ok=True)
        await board.aclose()


class Switchboard:
    """All connections to a crawl."""

    def __init__(
        self,
        stores: Stores,
        pulses: Pulses,
        running: Crawl | None = None,
        let_go: Callable[[], None] | None = None,
        changed: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._stores = stores
        self._pulses = pulses
        self._running = running
        self._changed = changed
        self._let_go = let_go
        self._connections: set[asyncio.Task[None]] = set()
        self._changes: set[asyncio.Task[Any]] = set()
        self.asked = 0  # questions so far, for whoever ends when nobody asks

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection until it ends."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await _Connection(self, reader, writer).run()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # whoever asked is gone
        finally:
            self._connections.discard(task)
            writer.close()

    async def aclose(self) -> None:
        """Finish what was begun, then hang up on everybody."""
        if self._changes:
            await asyncio.wait(self._changes, timeout=FINISHING)
            await asyncio.sleep(0)  # its answers are written in the next turn
        for connection in list(self._connections):
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def answer(self, question: Question, who: str) -> ControlReply:
        """Carry out an operation."""
        self.asked += 1
        try:
            return ControlReply(question.id, await self._carried_out(question, who))
        except GossamerError as error:
            return ControlReply(question.id, problem=problem_of(error))
        except TypeError as error:  # arguments that the operation does not take
            return ControlReply(question.id, problem=WireProblem("UsageError", f"not understood: {error}"))

    async def _carried_out(self, question: Question, who: str) -> Any:
        operation, arguments = question.operation, question.arguments
        if operation == YIELD:
            if self._let_go is None:
                raise UsageError("this crawl runs; stop it first")
            self._let_go()
            return True
        if operation == "pulse":
            return plain(self._pulses.last)
        if operation not in OPERATIONS and operation not in STEERING:
            raise UsageError(f"there is no operation {operation!r}")
        if operation == "status":
            arguments["running"] = self._running is not None
        if operation in LOOKING:
            answer = await carry_out(self._stores, operation, arguments, who, self._running)
            if operation == "status" and self._running is not None:
                answer["pages_per_second"] = round(self._pulses.pace, 3)
            return answer
        if self._running is None and self._changed is None:
            raise CrawlReadOnly(f"{self._stores.directory} can only be read here, so nothing of it is changed")
        change = asyncio.create_task(self._change(operation, arguments, who))
        self._changes.add(change)
        change.add_done_callback(self._changes.discard)
        return await asyncio.shield(change)

    async def _change(self, operation: str, arguments: dict[str, Any], who: str) -> Any:
        answer = await carry_out(self._stores, operation, arguments, who, self._running)
        if self._changed is not None:
            await self._changed()
        return answer

    def follow(self, kinds: Any) -> AsyncIterator[tuple[str, Any]]:
        """Walk over events as they come."""
        return self._pulses.follow(kinds if isinstance(kinds, list) and kinds else (PULSE,))


class _Connection:
    """One connection: reads questions, and writes replies as they are done."""

    def __init__(self, board: Switchboard, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._board = board
        self._reader = reader
        self._writer = writer
        self._who = peer(writer.get_extra_info("socket"))
        self._room = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        self._watches: dict[int, asyncio.Task[None]] = {}  # by the number of the question

    async def run(self) -> None:
        """Answer until the other end hangs up."""
        try:
            while True:
                length = length_of(await self._reader.readexactly(LENGTH))
                if length > MOST:
                    too_long = f"a question has {length:,} bytes, and {MOST:,} are taken; ask for less at once"
                    await self._write(ControlReply(0, problem=WireProblem("UsageError", too_long)))
                    return
                content = await self._reader.readexactly(length)
                await self._room.acquire()
                self._begin(content)
        finally:
            tasks = [*self._tasks, *self._watches.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, content: bytes) -> None:
        task = asyncio.create_task(self._answer(content))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        self._room.release()
        self._look_at(task)

    def _look_at(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, ConnectionError):
            _log.error("a question could not be answered", exc_info=error)
            self._writer.close()

    async def _answer(self, content: bytes) -> None:
        try:
            question = question_of(content)
        except UsageError as error:
            await self._write(ControlReply(0, problem=problem_of(error)))
            return
        who = f"{self._who} ({question.who})" if question.who else self._who
        if question.operation == WATCH:
            await self._watch(question)
        elif question.operation == UNWATCH:
            if (watch := self._watches.pop(question.arguments.get("question", 0), None)) is not None:
                watch.cancel()
        else:
            await self._write(await self._board.answer(question, who))

    async def _watch(self, question: Question) -> None:
        """Begin to tell of events, beside the questions that are answered."""
        if len(self._watches) >= WATCHES:
            problem = WireProblem("UsageError", f"{WATCHES} watch over this connection already; hang up on some")
            await self._write(ControlReply(question.id, problem=problem))
            return
        task = self._watches[question.id] = asyncio.create_task(self._tell(question))
        task.add_done_callback(self._look_at)

    async def _tell(self, question: Question) -> None:
        async for kind, event in self._board.follow(question.arguments.get("kinds")):
            if self._writer.transport.get_write_buffer_size() < UNREAD:
                self._writer.write(sent(ControlReply(question.id, event=event, kind=kind)))

    async def _write(self, reply: ControlReply) -> None:
        self._writer.write(sent(reply))
        await self._writer.drain()
