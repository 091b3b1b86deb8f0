"""Reading aside: heavy documents are read by child processes, which can be killed; the event loop turns on meanwhile.

A child is started when it is first needed and lives on. It is handed the descriptor of a body, so that nothing large passes
through the parent, and answers with what it read. It has no network to speak of, no store, and a limit of memory; one that
is not done by the deadline, or dies, is gone with the document it was given, and the next document gets a new child. A child
ends when its parent does, however that ends.

On the socket a message is its length in four bytes, then MessagePack; a task's length comes with the descriptor.
"""

import asyncio
import ctypes
import os
import resource
import signal
import socket
import subprocess
import traceback
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from gossamer.document.body import Body
from gossamer.document.digest import payload_digest
from gossamer.errors import GossamerError
from gossamer.protocols import Processor
from gossamer.records import Extract
from gossamer.worker.read import document_from, read_by

CHILDREN = 2
START = 60.0  # seconds a child may take until it is ready
MEMORY = 768 * 1024 * 1024  # address space of a child
GROWN = 192 * 1024 * 1024  # resident memory after which a child is replaced

_LENGTH = 4
_PIECE = 1024 * 1024
_PARENT_DEATH_SIGNAL = 1  # an option of prctl(2)


class Task(Struct, frozen=True, array_like=True):
    """What is to be done with a body."""

    step: str  # digest, read, or skim: read in linear time
    url: str
    content_type: str
    encoding: str
    chunked: bool
    limit: int  # bytes after decompression


class Reading(Struct, frozen=True, array_like=True):
    """What a body came to."""

    mime: str
    too_big: bool = False  # there was more than may be decompressed: not read
    extract: Extract = Extract()


class Reply(Struct, frozen=True, array_like=True):
    """What a child says."""

    digest: str = ""
    reading: Reading | None = None
    bug: str = ""  # the trace of an exception
    last: bool = False  # the child ends now


class Aside:
    """A few children, and whoever waits for one."""

    def __init__(self, program: Sequence[str], greeting: bytes, deadline: float) -> None:
        self._program = program
        self._greeting = greeting  # the first message to every child
        self._deadline = deadline
        self._places = asyncio.Semaphore(CHILDREN)
        self._idle: list[_Child] = []
        self._ended: list[_Child] = []

    async def ask(self, task: Task, body: Body) -> Reply | None:
        """Have a task done; None: it was not done in time, or killed the child."""
        async with self._places:
            child = self._idle.pop() if self._idle else None
            try:
                child = child or await self._start()
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
        if reply.bug:
            raise GossamerError(f"reading {task.url} met a bug: {reply.bug}")
        return reply

    async def aclose(self) -> None:
        """End the children."""
        while self._idle:
            self._end(self._idle.pop())
        await asyncio.to_thread(self._reap)

    async def _start(self) -> "_Child":
        child = _Child(self._program)
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
            self._ended.append(child)
        self._ended = [ended for ended in self._ended if ended.process.poll() is None]

    def _reap(self) -> None:
        for child in self._ended:
            child.process.wait()


class _Child:
    """One child process, from the parent's side."""

    def __init__(self, program: Sequence[str]) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.setblocking(False)
        with theirs:
            try:
                self.process = subprocess.Popen(
                    [*program, str(theirs.fileno())],
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C is for the parent
                )
            except BaseException:
                self._socket.close()
                raise

    async def greet(self, greeting: bytes) -> None:
        """Send the first message and wait until the child is ready."""
        await asyncio.get_running_loop().sock_sendall(self._socket, _framed(greeting))
        await self._receive(1)

    async def ask(self, task: Task, body: Body) -> Reply:
        """Send a task and return the answer to it."""
        message = _framed(msgspec.msgpack.encode(task))
        descriptor = body.descriptor()
        try:
            socket.send_fds(self._socket, [message[:_LENGTH]], [descriptor])
        finally:
            os.close(descriptor)
        await asyncio.get_running_loop().sock_sendall(self._socket, message[_LENGTH:])
        length = int.from_bytes(await self._receive(_LENGTH), "big")
        return msgspec.msgpack.decode(await self._receive(length), type=Reply)

    def kill(self) -> None:
        """End the child at once."""
        self._socket.close()
        self.process.kill()

    async def _receive(self, length: int) -> bytes:
        received = bytearray()
        loop = asyncio.get_running_loop()
        while len(received) < length:
            piece = await loop.sock_recv(self._socket, min(length - len(received), _PIECE))
            if not piece:
                raise EOFError
            received += piece
        return bytes(received)


# --- the child's side ------------------------------------------------------------------------------------------------


def greeted(connection: socket.socket) -> bytes:
    """Return the first message, and be ready for the worst: end with the parent, take little memory, leave no core behind."""
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return _exactly(connection, int.from_bytes(_exactly(connection, _LENGTH), "big"))


def serve(connection: socket.socket, processors: Mapping[str, Processor]) -> None:
    """Do one task after the other until the parent is gone."""
    connection.sendall(b"!")
    while True:
        try:
            length, descriptors, *_ = socket.recv_fds(connection, _LENGTH, 1)
            if not length:
                return
            task = msgspec.msgpack.decode(_exactly(connection, int.from_bytes(length, "big")), type=Task)
            reply = _answer(task, descriptors[0], processors)
            connection.sendall(_framed(msgspec.msgpack.encode(reply)))
        except (EOFError, ConnectionError):
            return
        if reply.last:
            return


def _answer(task: Task, descriptor: int, processors: Mapping[str, Processor]) -> Reply:
    with open(descriptor, "rb"):
        raw = os.pread(descriptor, os.fstat(descriptor).st_size, 0)  # its position is the parent's
    try:
        if task.step == "digest":
            return Reply(digest=payload_digest(Body.of(raw), task.chunked))
        return Reply(reading=_read(task, raw, processors), last=_resident() > GROWN)
    except MemoryError:
        raise  # nothing is left to go on with
    except Exception:  # noqa: BLE001 - the far end of the one in `crawl.py`, where this becomes the outcome `bug`
        return Reply(bug=traceback.format_exc())


def _read(task: Task, raw: bytes, processors: Mapping[str, Processor]) -> Reading:
    document = document_from(raw, task.chunked, task.encoding, task.content_type, task.url, task.limit)
    if document.too_big:
        return Reading(document.mime, too_big=True)
    return Reading(document.mime, extract=read_by(processors, document, task.step == "skim"))


def _resident() -> int:
    """Return the bytes of memory this process has at most had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _framed(message: bytes) -> bytes:
    return len(message).to_bytes(_LENGTH, "big") + message


def _exactly(connection: socket.socket, length: int) -> bytes:
    """Read so many bytes, or raise `EOFError`."""
    received = bytearray()
    while len(received) < length:
        piece = connection.recv(min(length - len(received), _PIECE))
        if not piece:
            raise EOFError
        received += piece
    return bytes(received)
