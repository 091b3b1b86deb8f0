"""Worker processes: how the node starts and ends them, and how they are adopted.

A worker is connected by a socket that nobody else has, runs in a session of its own (Ctrl-C is for the node), ignores requests
to end that do not come from its node, and dies with its node, however that dies: the kernel kills it, and should that fail,
the end of the socket tells it.

The first workers are forked while the node is a single thread and has opened nothing: what was imported by then is shared, and
half a second of processor time is saved for each. Later there are threads and stores, so a worker that takes the place of a
dead one is a new interpreter.
"""

import asyncio
import gc
import os
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Protocol

from gossamer.children import end_with_parent, framed, receive
from gossamer.remote.server import Session
from gossamer.remote.wire import WorkerGreeting, decode_greeting, greet

_STANDARD = 3  # descriptors 0, 1 and 2


class Started(Protocol):
    """A process that was started."""

    @property
    def pid(self) -> int: ...

    def kill(self) -> None: ...

    def wait(self, timeout: float | None = None) -> int: ...


class WorkerProcess:
    """A running worker and the session it is served by."""

    def __init__(self, session: Session, process: Started) -> None:
        self.session = session
        self._process = process

    @classmethod
    async def adopt(cls, ours: socket.socket, process: Started, greeting: WorkerGreeting, session: Session) -> "WorkerProcess":
        """Greet a process that was started and serve it from now on."""
        ours.setblocking(False)
        await asyncio.get_running_loop().sock_sendall(ours, framed(greet(greeting)))
        await asyncio.get_running_loop().create_unix_connection(lambda: session.line, sock=ours)
        return cls(session, process)

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    async def reap(self, patience: float) -> int:
        """Return its exit code when it is really gone, helped along if need be; negative: the signal that killed it."""
        try:
            return await asyncio.to_thread(self._process.wait, patience)
        except subprocess.TimeoutExpired:
            self.kill()
            return await asyncio.to_thread(self._process.wait)


# --- forks -----------------------------------------------------------------------------------------------------------


class Spares:
    """Workers forked in advance; `work` is what each runs, and returns its exit code."""

    def __init__(self, count: int, work: Callable[[socket.socket], int]) -> None:
        self._ready: list[tuple[socket.socket, Forked]] = []
        gc.freeze()  # what is here now stays shared: no collection of a worker touches it
        for _ in range(count):
            self._ready.append(self._fork(work))

    def take(self) -> tuple[socket.socket, Started] | None:
        """Return a worker that waits for its greeting, None when there is none left."""
        return self._ready.pop() if self._ready else None

    def close(self) -> None:
        """End those that nobody took."""
        for ours, process in self._ready:
            ours.close()
            process.kill()
            process.wait()

    def _fork(self, work: Callable[[socket.socket], int]) -> tuple[socket.socket, "Forked"]:
        ours, theirs = socket.socketpair()
        sys.stderr.flush()
        pid = os.fork()
        if pid:
            theirs.close()
            return ours, Forked(pid)
        code = 1
        try:
            os.setsid()
            for inherited in (ours, *(other for other, _ in self._ready)):
                inherited.detach()  # closed below, and not a second time when the object goes
            _let_go_of_everything_but(theirs.fileno())
            code = work(theirs)
        finally:
            if sys.exc_info()[0] is not None:
                traceback.print_exc()
                sys.stderr.flush()
            os._exit(code)  # the node's open contexts are not ours to leave


class Forked:
    """A process that was forked."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._descriptor = os.pidfd_open(pid)
        self._code: int | None = None

    def kill(self) -> None:
        """End it at once."""
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code; raise `TimeoutExpired` when it is still there after so long."""
        if self._code is None:
            if not select.select([self._descriptor], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("worker", timeout or 0.0)
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            os.close(self._descriptor)
        return self._code


def _let_go_of_everything_but(descriptor: int) -> None:
    """Close what was inherited: the lock of the crawl, sockets of other workers; keep the standard error."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.closerange(_STANDARD, descriptor)
    os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))


# --- the worker's side -----------------------------------------------------------------------------------------------


def adopted(connection: socket.socket) -> WorkerGreeting:
    """Return the first message of the node, and be ready to end with it; raise `EOFError` when it is gone."""
    end_with_parent()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    return decode_greeting(receive(connection))
