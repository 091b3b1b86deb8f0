"""Connections: kept between requests, found again by their place, and the times of the exchanges that run over them.

No byte that came before a request was sent is part of its answer: a connection on which something was said that nobody asked
for is closed, and right before it is used it is looked at once more, the kernel's buffer included.

At most `most` are open as long as some of them are idle: the one idle the longest is closed first. The loop watches idle ones
too, so that one the server closes is gone at once. One timer serves all exchanges: it is set to the first time that is over.
"""

import asyncio
import select
import socket
from collections.abc import Awaitable, Callable
from math import inf
from typing import Protocol, cast

IDLE_SECONDS = 118.0  # a connection idle for longer is hardly alive
_PIECE = 64 * 1024  # bytes
_MOST_PIECES = 4  # that may wait, of which all are about the connection itself
_RESOLUTION = 0.02  # seconds between two looks at the times


class Timed(Protocol):
    """Anything with a deadline."""

    def due(self, now: float) -> float:
        """Return when to look again; an exchange whose time is over ends itself. Times are the loop's."""

    def cancel(self) -> None:
        """End, as if the caller had given up."""


class Exchange(Timed, Protocol):
    """One request and its answer on a connection."""

    def take(self, data: bytes) -> None:
        """Take what the server said."""

    def lost(self, error: Exception | None) -> None:
        """Take it that the connection is no more."""


class Connection(asyncio.Protocol):
    """One connection to a server, in the clear; `place` is what it may be used for again."""

    def __init__(self, place: str, address: str, opened: socket.socket, kept: "ConnectionPool") -> None:
        self.place = place
        self.address = address
        self.served = 0  # exchanges so far
        self.spoke = False  # the server did, without being asked
        self.idle_since = 0.0
        self._opened = opened
        self._arrived = select.poll()  # without waiting, and at half the cost of a read that fails
        self._arrived.register(opened, select.POLLIN)
        self._kept = kept
        self._exchange: Exchange | None = None
        self._transport: asyncio.Transport | None = None
        self._is_lost = False
        self._error: Exception | None = None

    async def secure(self) -> None:
        """Make ready for the first request; a connection in the clear is."""

    def is_quiet(self) -> bool:
        """Tell whether nothing was said that nobody asked for; what waits in the kernel counts, and is looked at now."""
        if self._transport is None or self._transport.is_closing():
            return False
        return not self._arrived.poll(0) or self._is_about_itself()

    def _is_about_itself(self) -> bool:
        """Read what waits; tell whether all of it is about the connection, which is open after it."""
        try:
            for _ in range(_MOST_PIECES):
                said = self._opened.recv(_PIECE)
                if not said:
                    return False  # the server closed
                self.data_received(said)
        except BlockingIOError:
            return self._transport is not None and not self._transport.is_closing()
        except OSError:
            pass
        return False

    def begin(self, exchange: Exchange, request: bytes) -> None:
        """Send a request now, not at the end of the loop's turn: politeness counts from here."""
        self._exchange = exchange
        self.served += 1
        if not self._is_lost:
            self._send(request)
        if self._is_lost and self._exchange is not None:
            self._exchange = None
            exchange.lost(self._error)

    def _send(self, data: bytes) -> None:
        assert self._transport is not None
        try:
            sent = self._opened.send(data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            self._is_lost, self._error = True, error
            self._transport.abort()
            return
        if sent < len(data):
            self._transport.write(data[sent:])

    def end(self, keep: bool) -> None:
        """Let go of the exchange; keep the connection for the next one, or close it."""
        self._exchange = None
        if keep and self._transport is not None and not self._transport.is_closing():
            self._kept.put(self)
        else:
            self.close()

    def close(self) -> None:
        """Close at once; whoever exchanges is not told."""
        self._exchange = None
        if self._transport is not None:
            self._transport.abort()

    # --- called by the loop -------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._kept.add(self)

    def data_received(self, data: bytes) -> None:
        if self._exchange is not None:
            self._exchange.take(data)
        else:
            self.spoke = True
            self.close()  # nobody could tell what the next answer is

    def connection_lost(self, error: Exception | None) -> None:
        self._kept.forget(self)
        self._is_lost, self._error = True, error
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.lost(error)


class ConnectionPool:
    """Every connection, and every exchange under way."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._loop: asyncio.AbstractEventLoop | None = None
        self._open: set[Connection] = set()
        self._idle: dict[Connection, None] = {}  # in the order they became it
        self._by_place: dict[str, list[Connection]] = {}
        self._running: dict[Timed, None] = {}
        self._connecting: set[asyncio.Task[object]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = inf

    @property
    def idle(self) -> int:
        """How many connections wait for a request."""
        return len(self._idle)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop all of it runs in; asked for once, which is a system call each time."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
        return self._loop

    def take(self, place: str) -> Connection | None:
        """Take the idle connection to a place that was used last and on which nothing was said since."""
        waiting = self._by_place.get(place)
        while waiting:
            connection = waiting.pop()
            del self._idle[connection]
            if not waiting:
                del self._by_place[place]
            if self.loop.time() - connection.idle_since < IDLE_SECONDS and connection.is_quiet():
                return connection
            connection.close()
        return None

    def put(self, connection: Connection) -> None:
        """Keep a connection that has nothing to do."""
        connection.idle_since = self.loop.time()
        self._idle[connection] = None
        self._by_place.setdefault(connection.place, []).append(connection)
        if len(self._open) > self._most:
            self._close_oldest()

    def drop(self, place: str) -> None:
        """Close the idle connections to a place."""
        for connection in self._by_place.get(place, ())[:]:
            self.forget(connection)
            connection.close()

    def forget(self, connection: Connection) -> None:
        """Forget a connection that is no more."""
        self._open.discard(connection)
        if connection in self._idle:
            del self._idle[connection]
            waiting = self._by_place[connection.place]
            waiting.remove(connection)
            if not waiting:
                del self._by_place[connection.place]

    async def connect(
        self, connection: Connection, opened: socket.socket, port: int, reach: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        """Connect a socket, or have it `reach` its place another way, and secure the connection; closed when that fails."""
        task = cast("asyncio.Task[object]", asyncio.current_task())
        self._connecting.add(task)
        try:
            opened.setblocking(False)
            await (self.loop.sock_connect(opened, (connection.address, port)) if reach is None else reach())
            await self.loop.create_connection(lambda: connection, sock=opened)
            await connection.secure()
        except BaseException:
            connection.close()
            opened.close()
            raise
        finally:
            self._connecting.discard(task)

    def add(self, connection: Connection) -> None:
        """Count a connection that is open now."""
        if len(self._open) >= self._most and self._idle:
            self._close_oldest()
        self._open.add(connection)

    def _close_oldest(self) -> None:
        oldest = next(iter(self._idle))
        self.forget(oldest)
        oldest.close()

    # --- exchanges and their times ------------------------------------------------------------------------------------

    def watch(self, exchange: Timed, due: float) -> None:
        """Look at an exchange when its time comes."""
        self._running[exchange] = None
        if due < self._timer_at:
            self._set_timer(due)

    def leave(self, exchange: Timed) -> None:
        """Look at an exchange no more."""
        self._running.pop(exchange, None)

    def _set_timer(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = due
        self._timer = self.loop.call_at(due, self._look)

    def _look(self) -> None:
        """End what takes too long, and come again when the next may."""
        self._timer, self._timer_at = None, inf
        now = self.loop.time()
        due = min([exchange.due(now) for exchange in list(self._running)], default=inf)
        if due < inf:
            self._set_timer(max(due, now + _RESOLUTION))

    def close(self) -> None:
        """Close every connection; exchanges under way are cancelled."""
        if self._timer is not None:
            self._timer.cancel()
        for exchange in list(self._running):
            exchange.cancel()
        for task in list(self._connecting):
            task.cancel()
        for connection in list(self._open):
            connection.close()
