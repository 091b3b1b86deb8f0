"""One request and its answer, over a connection that is kept or opened for it.

An exchange takes the pieces of an answer as the connection reads them, tells where head and body end (`framing`, `chunks`), and
says how it went. It sends one request and no more: when a kept connection ends under it, asking again needs a turn of the host.

Every answer has the limits of a page. Only when it meets one of them it is asked what it is: what nobody reads may go on within
the limits of a file. So the type costs nothing where it makes no difference, and is told by the first bytes, not by the last.

It is long because connection, head, body and limits are one state, which ends at whatever moment any of them says so.
"""

import asyncio
import errno
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, zip_longest
from math import inf
from typing import cast

from gossamer.clock import Clock
from gossamer.config.sections import Fetch
from gossamer.document.body import Body
from gossamer.document.reading import type_of
from gossamer.fetchers.chunks import Chunks
from gossamer.fetchers.failure import Ended, ExchangeEnd
from gossamer.fetchers.framing import CHUNKED, Refused, end_of_head, is_http, read_head
from gossamer.fetchers.kept import Connection, ConnectionPool
from gossamer.fetchers.message import Head, Target, request_head, secret_head
from gossamer.fetchers.secure import SecureConnection, Trust, why_not
from gossamer.fetchers.tunnel import ProxyError, Tunnel
from gossamer.records.fetch import Request

Guard = Callable[[str], str]  # why an address may not be contacted; empty: it may

ENOUGH: Ended = ExchangeEnd.LIMIT, "there is more than the limit"  # how an exchange ends that was stopped
_NO_DESCRIPTORS = {errno.EMFILE, errno.ENFILE}
_HEAD_START = 0.2  # seconds one address is ahead of the next
_MOST_CHUNKS = 500_000  # of a file: each takes a microsecond, of which one host may not have too many
_LONGEST_END = 3  # bytes of the end of a head that may have come before the last piece


class HttpExchange:
    """One request and its answer. What an exchange begins with stands here, once for all of them."""

    RATE_SECONDS = 10  # the time over which the minimum rate is measured

    _room = 0
    _until = inf
    _turn: Callable[[], Awaitable[str]] | None = None
    _url = ""
    _pages: frozenset[str] | None = None
    _is_file = False  # it was found to be one
    head: Head | None = None  # of the answer; None: it is not whole, or none
    head_size = 0  # bytes of heads so far, interim ones included
    request_head = b""  # as it may be shown
    _tunnel: Tunnel | None = None
    started: float | None = None  # when the request left
    answered: float | None = None  # when the first byte of the answer was here
    address = ""
    connections = 0  # opened for this exchange
    refusal = ""  # why an address was not connected to
    refused = ""  # that address
    no_socket = ""  # why this machine could not open a socket, or may not use it
    spool_error: OSError | None = None
    begun = False  # the first line of a head came
    unanswered = False  # the request left on a kept connection, and not one byte came back
    _mark = ""  # what is odd about the head
    _pending: bytes | bytearray = b""  # a head that is not whole
    _extent = 0
    _keeps = False
    _looked = 0  # bytes there were when the rate was last looked at
    _chunks: Chunks | None = None
    _connection: Connection | None = None

    def __init__(self, settings: Fetch, guard: Guard, clock: Clock, kept: ConnectionPool) -> None:
        self._settings = settings
        self._guard = guard
        self._clock = clock
        self._kept = kept
        self.body = Body(settings.spool)

    def prepare(
        self, request: Request, target: Target, addresses: tuple[str, ...], trust: Trust | None, tunnel: Tunnel | None = None
    ) -> None:
        """Make ready for a request; `trust` secures the connection, None: it is in the clear.

        With a `tunnel` an address may be empty: nobody here knows it.
        """
        self._room = self._settings.max_body if request.max_body is None else request.max_body
        self._until = inf if request.until is None else request.until
        self._turn = request.turn
        self._url = request.url
        self._pages = request.pages if request.max_body is None else None
        self.request_head = self._sent_head = request_head(request, target)
        if request.secrets:
            self._sent_head = secret_head(request, target)
        if tunnel is not None:
            self._tunnel = tunnel
        self.place = target.origin if trust is None else trust.place(target.origin)
        self._target = target
        self._addresses = addresses
        self._trust = trust

    async def perform(self) -> Ended:
        """Ask, and take the answer; return how it went."""
        kept = self._kept
        loop = kept.loop
        self._begin = self._looked_at = loop.time()
        self._result: asyncio.Future[Ended] = loop.create_future()
        waiting = kept.take(self.place)
        if waiting is not None and self._turn is not None and not await self._is_ready(waiting):
            waiting = None
        connection = waiting or await self._new_connection()
        if isinstance(connection, tuple):
            return connection
        self._connection = connection
        if not self._leave(connection.address):
            connection.end(keep=True)
            return ExchangeEnd.TURN_OVER, "the turn is over"
        connection.begin(self, self._sent_head)
        self._looked_at = loop.time()
        kept.watch(self, self._next_look())
        try:
            return await self._result
        except asyncio.CancelledError:
            connection.close()
            raise
        finally:
            kept.leave(self)

    # --- the connection -----------------------------------------------------------------------------------------------

    async def _is_ready(self, connection: Connection) -> bool:
        """Hold a connection until the request may leave, and close it if something was said before; tell whether it may now."""
        if self._turn is not None:
            await self._hold(connection)
        if connection.is_quiet():
            return True
        connection.close()
        return False

    async def _hold(self, connection: Connection) -> None:
        """Wait until the request may leave; that time is not the server's. A turn is over when another connection is opened."""
        ready = self._kept.loop.time()
        try:
            if self._turn is not None:
                self.no_socket = await self._turn()
        except asyncio.CancelledError:
            connection.close()
            raise
        self._begin += self._kept.loop.time() - ready

    async def _new_connection(self) -> Connection | Ended:
        """Return a connection on which nothing was said; if there is none, how it went."""
        try:
            connection = await self._connect()
        except TimeoutError:
            return ExchangeEnd.TIMED_OUT, f"Connection timed out after {self._milliseconds()} milliseconds"
        except ssl.SSLError as error:
            return ExchangeEnd.NO_TLS, why_not(error)
        except OSError as error:
            return ExchangeEnd.NO_CONNECTION, error.strerror or "Could not connect to server"
        if await self._is_ready(connection):
            return connection
        return ExchangeEnd.SPOKE_FIRST if connection.spoke else ExchangeEnd.SILENT, ""

    async def _connect(self) -> Connection:
        """Connect to the first address that answers."""
        async with asyncio.timeout(min(self._settings.connect_timeout, self._settings.total_timeout)):
            if len(self._addresses) == 1:
                return await self._open(self._addresses[0])
            return await self._race()

    async def _race(self) -> Connection:
        """Try one address after the other, each with a short head start before the next (RFC 8305)."""
        under_way: set[asyncio.Task[Connection]] = set()
        failure: OSError | None = None
        addresses = iter(_alternating(self._addresses))
        address = next(addresses, None)
        try:
            while address is not None or under_way:
                if address is not None:
                    under_way.add(asyncio.create_task(self._open(address)))
                    address = next(addresses, None)
                patience = None if address is None else _HEAD_START
                done, under_way = await asyncio.wait(under_way, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    error = task.exception()
                    if error is None:
                        under_way |= done - {task}
                        return task.result()
                    if not isinstance(failure, ssl.SSLError):  # which says more than that another address was silent
                        failure = cast(OSError, error)
        finally:
            for task in under_way:
                task.cancel()
                task.add_done_callback(_close)
        raise failure or OSError

    async def _open(self, address: str) -> Connection:
        if self._tunnel is not None:
            return await self._open_through(self._tunnel, address)
        connection, opened = self._prepared(address, address)
        await self._kept.connect(connection, opened, self._target.port)
        return connection

    async def _open_through(self, tunnel: Tunnel, address: str) -> Connection:
        """Connect through a proxy, at the first of its own addresses that answers."""
        for near in tunnel.addresses[:-1]:
            with suppress(ProxyError):
                return await self._open_through_address(tunnel, near, address)
        return await self._open_through_address(tunnel, tunnel.addresses[-1], address)

    async def _open_through_address(self, tunnel: Tunnel, near: str, address: str) -> Connection:
        connection, opened = self._prepared(address, near)
        reach = partial(tunnel.open, self._kept.loop, opened, near, address)
        await self._kept.connect(connection, opened, self._target.port, reach)
        return connection

    def _prepared(self, address: str, near: str) -> tuple[Connection, socket.socket]:
        """Return a connection to an address over a socket that is to be connected to a near one: the same, or a proxy's."""
        opened = self._open_socket(address, near)
        if opened is None:
            raise OSError
        try:
            return self._connection_over(opened, address), opened
        except BaseException:
            opened.close()
            raise

    def _open_socket(self, address: str, near: str) -> socket.socket | None:
        """Open the socket of one connect, unless the address may not be contacted: no connect goes past this."""
        self.refusal = self._guard(address) if address else ""
        if self.refusal:
            self.refused = address
            return None
        try:
            opened = socket.socket(socket.AF_INET6 if ":" in near else socket.AF_INET, socket.SOCK_STREAM)
        except OSError as error:
            self.no_socket = f"no socket could be opened ({error.strerror})"
            if error.errno in _NO_DESCRIPTORS:
                self.no_socket += "; raise `ulimit -n` or lower crawl.concurrency"
            return None
        self.connections += 1
        return opened

    def _connection_over(self, opened: socket.socket, address: str) -> Connection:
        if self._trust is None:
            return Connection(self.place, address, opened, self._kept)
        return SecureConnection(self.place, address, opened, self._kept, self._trust, self._target.host)

    def _leave(self, address: str) -> bool:
        """Note when and where the request leaves; False: its turn is over, and it must not."""
        now = self._clock.now()
        if now >= self._until:
            self.no_socket = "the turn was over before the request could leave"
        if self.no_socket:
            return False
        self.started = now
        self.address = address
        return True

    # --- called by the connection -------------------------------------------------------------------------------------

    def take(self, data: bytes) -> None:
        """Take a piece of the answer."""
        if self.head is None:
            if self.answered is None:
                self.answered = self._clock.now()
            rest = self._take_head(data)
            if rest is None:
                return
            data = rest
        self._take_body(data)

    def lost(self, error: Exception | None) -> None:
        """Take it that the connection is no more."""
        if self.head is None:
            self._finish(*self._lost_before_the_body(error))
        elif error is not None:
            self._finish(*_broken(error))
        elif self._extent >= 0:
            missing = self._extent - self.body.size
            self._finish(ExchangeEnd.CUT, f"end of response with {missing} bytes missing")
        elif self._extent == CHUNKED:
            self._finish(ExchangeEnd.CUT, "transfer closed with outstanding read data remaining")
        else:
            self._finish(ExchangeEnd.WHOLE, self._mark)

    def _lost_before_the_body(self, error: Exception | None) -> Ended:
        assert self._connection is not None
        refused = self._judge_beginning()
        if refused is not None:
            return refused
        if self.begun:
            return ExchangeEnd.LOST, ""
        if self._connection.served > 1 and self.answered is None:
            self.unanswered = True
            return ExchangeEnd.UNANSWERED, ""
        if error is not None:
            return _broken(error)
        return ExchangeEnd.SILENT, "Empty reply from server"

    # --- head and body ------------------------------------------------------------------------------------------------

    def _take_head(self, data: bytes) -> bytes | None:
        """Take what belongs to heads; return what is behind the last one, None when that is still to come."""
        start = 0
        if self._pending:
            start = max(0, len(self._pending) - _LONGEST_END)
            self._pending += data
            data = bytes(self._pending) if end_of_head(self._pending, start) else b""
        while end := end_of_head(data, start):
            answer = read_head(data[:end])
            self.head_size += end
            data, start = data[end:], 0
            self._pending = b""
            if isinstance(answer, Refused):
                self.begun = self.begun or answer.begun
                self._finish(answer.ending, answer.text)
                return None
            self.begun = True
            if self.head_size > self._settings.max_headers:
                self._finish(*ENOUGH)
                return None
            status = answer.head.status
            if status >= 200 or status == 101:
                self.head, self._extent, self._keeps, self._mark = answer.head, answer.extent, answer.keeps, answer.mark
                return data
        self._wait_for_head(data)
        return None

    def _wait_for_head(self, data: bytes) -> None:
        """Keep the beginning of a head, unless it can be none."""
        if data:
            self._pending = bytearray(data)
        if not is_http(self._pending):
            self._finish(ExchangeEnd.NOT_HTTP, "Received HTTP/0.9 when not allowed")
        elif self.head_size + len(self._pending) > self._settings.max_headers:
            self.head_size += len(self._pending)
            self._finish(*ENOUGH)

    def _judge_beginning(self) -> Ended | None:
        """Say what is wrong with the lines of a head that never became whole; None: nothing, or there is no line."""
        end = self._pending.rfind(b"\n") + 1
        if not end:
            return None
        answer = read_head(bytes(self._pending[:end]) + b"\r\n")
        self.begun = self.begun or not isinstance(answer, Refused) or answer.begun
        return (answer.ending, answer.text) if isinstance(answer, Refused) else None

    def _take_body(self, data: bytes) -> None:
        extent = self._extent
        if extent >= 0:
            missing = extent - self.body.size
            if len(data) > missing:
                data = data[:missing]
                self._keeps = False  # more was said than asked for
            if self._write(data) and len(data) == missing:
                self._finish(ExchangeEnd.WHOLE, self._mark)
        elif extent == CHUNKED:
            self._take_chunks(data)
        else:
            self._write(data)

    def _take_chunks(self, data: bytes) -> None:
        if self._chunks is None:
            self._chunks = Chunks()
        end = self._chunks.take(data)
        if end >= 0:
            self._keeps = self._keeps and end == len(data) and not self._chunks.is_odd
            data = data[:end]
        if not self._write(data):
            return
        if self._is_file and self._chunks.count > _MOST_CHUNKS:
            self._finish(*ENOUGH)
        elif end >= 0:
            self._finish(ExchangeEnd.WHOLE, self._mark)
        elif self._chunks.error is not None:
            self._finish(*self._chunks.error)

    def _write(self, data: bytes) -> bool:
        """Keep a piece of the body; False: the exchange ended there."""
        if data and not self._keep(data):
            self._finish(*ENOUGH)
            return False
        return True

    def _keep(self, piece: bytes) -> bool:
        """Keep a piece of the body; False: it is enough."""
        try:
            if len(piece) > self._room:
                self.body.write(piece[: self._room])
                piece, self._room = piece[self._room :], 0
                return self._goes_on() and self._keep(piece)
            self.body.write(piece)
        except OSError as error:
            self.spool_error = error
            return False
        self._room -= len(piece)
        return True

    def _finish(self, ending: ExchangeEnd, text: str) -> None:
        assert self._connection is not None
        self._connection.end(keep=self._keeps and ending is ExchangeEnd.WHOLE)
        if not self._result.done():
            self._result.set_result((ending, text))

    # --- limits -------------------------------------------------------------------------------------------------------

    @property
    def seconds(self) -> float:
        """How long the exchange may take."""
        settings = self._settings
        return max(settings.total_timeout, settings.file_timeout) if self._is_file else settings.total_timeout

    def _goes_on(self) -> bool:
        """Give what has come to the limits of a page those of a file, if it is one; False: it is none, or had them."""
        head = self.head
        if self._is_file or self._pages is None or head is None or not self.body.size:
            return False
        said = dict(reversed(head.headers))  # of two alike the first counts
        mime = type_of(
            self.body,
            chunked=head.chunked,
            encoding=said.get("content-encoding", ""),
            content_type=said.get("content-type", ""),
            url=self._url,
        )
        self._is_file = mime not in self._pages
        if self._is_file:
            self._room += max(self._settings.max_file - self._settings.max_body, 0)
        return self._is_file

    def due(self, now: float) -> float:
        """End when the time is over or the answer comes too slowly; return when to look again."""
        size = self.head_size + len(self._pending) + self.body.size
        if now >= self._begin + self.seconds and not self._goes_on():
            came = f"{self.body.size} out of {self._extent}" if self._extent > 0 else f"{self.body.size}"
            text = f"Operation timed out after {self._milliseconds()} milliseconds with {came} bytes received"
            self._finish(*self._judge_beginning() or (ExchangeEnd.TIMED_OUT, text))
        elif now >= self._looked_at + self.RATE_SECONDS:
            rate = self._settings.min_rate
            if size - self._looked < rate * self.RATE_SECONDS:
                text = f"Operation too slow. Less than {rate} bytes/sec transferred the last {self.RATE_SECONDS} seconds"
                self._finish(ExchangeEnd.TIMED_OUT, text)
            self._looked, self._looked_at = size, now
        return self._next_look()

    def cancel(self) -> None:
        """End, as if the caller had given up."""
        self._result.cancel()

    def _next_look(self) -> float:
        return min(self._begin + self.seconds, self._looked_at + self.RATE_SECONDS)

    def _milliseconds(self) -> int:
        return round(1000 * (self._kept.loop.time() - self._begin))


def _alternating(addresses: Sequence[str]) -> list[str]:
    """Order addresses so that both kinds take turns: one kind may lead nowhere."""
    newer = [address for address in addresses if ":" in address]
    older = [address for address in addresses if ":" not in address]
    first, second = (newer, older) if ":" in addresses[0] else (older, newer)
    return [address for address in chain.from_iterable(zip_longest(first, second)) if address is not None]


def _broken(error: Exception) -> Ended:
    return ExchangeEnd.LOST, f"Recv failure: {getattr(error, 'strerror', None) or 'connection lost'}"


def _close(task: asyncio.Task[Connection]) -> None:
    """Close a connection that came second."""
    if not task.cancelled() and task.exception() is None:
        task.result().close()
