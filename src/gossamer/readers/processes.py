"""Reader processes: heavy documents are read by child processes, which can be killed; the event loop turns on meanwhile.

A child is started when it is first needed and lives on, a second when a document has waited for the first too long. It is
handed the descriptor of a body, so that nothing large passes through the parent, and answers with what it read (`child.py`).
One that is not done by the deadline, or dies, is gone with the document it was given, and the next document gets a new child.
"""

import asyncio
import os
import socket
from collections.abc import Sequence

import msgspec

from gossamer.children import LENGTH, PIECE, framed, start
from gossamer.document.body import Body
from gossamer.errors import GossamerError
from gossamer.readers.child import ReaderReply, Task

CHILDREN = 2
PATIENCE = 1.0  # seconds a document waits for a child that is busy before another is started
START = 60.0  # seconds a child may take until it is ready


class ReaderProcesses:
    """A few children, and whoever waits for one."""

    def __init__(self, program: Sequence[str], greeting: bytes, deadline: float) -> None:
        self._program = program
        self._greeting = greeting  # the first message to every child
        self._deadline = deadline
        self._places = asyncio.Semaphore(CHILDREN)
        self._living: set[_Child] = set()
        self._idle: list[_Child] = []
        self._freed = asyncio.Event()  # a child became idle, or ended
        self._ended: list[_Child] = []

    async def ask(self, task: Task, body: Body) -> ReaderReply | None:
        """Have a task done; None: it was not done in time, or killed the child."""
        asked, child = asyncio.get_running_loop().time(), None
        async with self._places:
            try:
                child = await self._take(asked)
                async with asyncio.timeout(self._deadline):
                    reply = await child.ask(task, body)
            except (TimeoutError, OSError, EOFError):
                self._end(child)
                return None
            except BaseException:
                self._end(child)
                raise
            if reply.last:
                self._end(child)
            else:
                self._idle.append(child)
                self._freed.set()
        if reply.bug:
            raise GossamerError(f"reading {task.url} met a bug: {reply.bug}")
        return reply

    async def aclose(self) -> None:
        """End the children."""
        while self._idle:
            self._end(self._idle.pop())
        await asyncio.to_thread(self._reap)

    async def _take(self, asked: float) -> "_Child":
        """Return an idle child, or a new one when none gets idle in time."""
        while self._living and not self._idle:
            self._freed.clear()
            try:
                async with asyncio.timeout_at(asked + PATIENCE):
                    await self._freed.wait()
            except TimeoutError:
                break
        return self._idle.pop() if self._idle else await self._start()

    async def _start(self) -> "_Child":
        child = _Child(self._program)
        self._living.add(child)
        try:
            async with asyncio.timeout(START):
                await child.greet(self._greeting)
        except BaseException:
            self._end(child)
            raise
        return child

    def _end(self, child: "_Child | None") -> None:
        if child is not None:
            child.kill()
            self._living.discard(child)
            self._ended.append(child)
            self._freed.set()
        self._ended = [ended for ended in self._ended if ended.process.poll() is None]

    def _reap(self) -> None:
        for child in self._ended:
            child.process.wait()


class _Child:
    """One child process, from the parent's side."""

    def __init__(self, program: Sequence[str]) -> None:
        self._socket, self.process = start(program, silent=True)
        self._socket.setblocking(False)

    async def greet(self, greeting: bytes) -> None:
        """Send the first message and wait until the child is ready."""
        await asyncio.get_running_loop().sock_sendall(self._socket, framed(greeting))
        await self._receive(1)

    async def ask(self, task: Task, body: Body) -> ReaderReply:
        """Send a task and return the answer to it."""
        message = framed(msgspec.msgpack.encode(task))
        descriptor = body.descriptor()
        try:
            socket.send_fds(self._socket, [message[:LENGTH]], [descriptor])
        finally:
            os.close(descriptor)
        await asyncio.get_running_loop().sock_sendall(self._socket, message[LENGTH:])
        length = int.from_bytes(await self._receive(LENGTH), "big")
        return msgspec.msgpack.decode(await self._receive(length), type=ReaderReply)

    def kill(self) -> None:
        """End the child at once."""
        self._socket.close()
        self.process.kill()

    async def _receive(self, length: int) -> bytes:
        received = bytearray()
        loop = asyncio.get_running_loop()
        while len(received) < length:
            piece = await loop.sock_recv(self._socket, min(length - len(received), PIECE))
            if not piece:
                raise EOFError
            received += piece
        return bytes(received)
