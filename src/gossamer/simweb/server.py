"""Serves a synthetic web over HTTP/1.1, by hand, because it must not be what a benchmark measures.

A connection answers its requests one after the other, in order; whatever is malformed gets 400 and the connection is closed.
Answers are rendered when first asked for and kept in a bounded cache. Every request goes into the ledger.
"""

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic
from typing import Protocol, cast

from gossamer.simweb.answers import UNKNOWN, Digests, WireAnswer, answer_cut_short, answer_note, digest
from gossamer.simweb.ledger import RequestLedger, SeenRequest
from gossamer.simweb.requests import Malformed, RequestHead, read_head
from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.sites import Ailment, Resource
from gossamer.simweb.stamps import StampedListener, arrival_of_last_read
from gossamer.simweb.web import Web, build

_LONGEST_HEAD = 64 * 1024
_BACKLOG = 4096
_PORT_TRIES = 20
_BAD_REQUEST = answer_note(400, close=True)
_BAD_METHOD = answer_note(405, (("Allow", "GET, HEAD"),), close=True)
_NOT_FOUND = answer_note(404)
_SOON = (("Retry-After", "0"),)
_AILMENTS: dict[Ailment, WireAnswer] = {
    "busy": answer_note(503, (("Retry-After", "1"),)),
    "broken": answer_note(500),
    "no gateway": answer_note(502),
    "overloaded": answer_note(503),
    "no hurry": answer_note(503, _SOON),
    "slow down": answer_note(429, _SOON),
    "asked too often": answer_note(429),
    "cut short": answer_cut_short(),
}
_MOST_IN_A_ROW = 2  # failing answers of a host
_NOBODYS = RequestHead("", "", "", False, "")  # a request that could not be read
_NOTHING = digest(b"")


class Answering(Protocol):
    """What a connection belongs to."""

    ledger: RequestLedger
    connections: "set[ClientConnection]"

    def answer(self, request: RequestHead) -> tuple[WireAnswer, float]:
        """Return the answer to a request, and the seconds to wait before it is sent."""


class SimwebServer:
    """A synthetic web that listens. `start` builds the web, because its URLs carry the port."""

    web: Web
    port: int

    def __init__(
        self,
        settings: SimwebSettings,
        ledger: RequestLedger | None = None,
        others: Callable[[RequestHead], WireAnswer] = lambda request: _NOT_FOUND,
    ) -> None:
        self.settings = settings
        self._others = others  # who answers for hosts that are not of this web
        self.ledger = ledger if ledger is not None else RequestLedger()
        self.connections: set[ClientConnection] = set()
        self._servers: list[asyncio.Server] = []
        self._cache: OrderedDict[int, WireAnswer] = OrderedDict()
        self._cached_bytes = 0
        self._failed: dict[int, int] = {}
        self._in_a_row: dict[str, int] = {}  # failing answers, of hosts whose last one was

    async def start(self) -> None:
        """Bind, build, and listen on every address."""
        sockets = _bind(self.settings)
        self.port = sockets[0].getsockname()[1]
        self.web = build(self.settings, self.port)
        if self.settings.warm:
            self._warm()
        loop = asyncio.get_running_loop()
        for bound in sockets:
            self._servers.append(await loop.create_server(lambda: ClientConnection(self), sock=bound, backlog=_BACKLOG))

    async def stop(self) -> None:
        """Stop listening, drop the connections, close the ledger."""
        for server in self._servers:
            server.close()
        for connection in list(self.connections):
            connection.abort()
        for server in self._servers:
            await server.wait_closed()
        self._servers.clear()
        self.ledger.close()

    def answer(self, request: RequestHead) -> tuple[WireAnswer, float]:
        """Return the answer to a request, and the seconds to wait before it is sent."""
        if request.method not in ("GET", "HEAD"):
            return _BAD_METHOD, 0.0
        resource = self.web.find(request.host, request.path)
        if resource is None:
            return self._others(request), 0.0
        delay = _slowness(resource) if resource.host.slow else self.settings.wait
        if resource.failures and self._fails(resource):
            return _AILMENTS[resource.ailment], delay
        if self._in_a_row:
            self._in_a_row.pop(resource.host.name, None)
        if resource.cookie not in request.cookie:
            return answer_note(302, (("Location", request.path), ("Set-Cookie", f"{resource.cookie}; Path=/"))), delay
        if resource.coding != "identity" and resource.coding not in request.codings:
            return self.web.answer_for(resource, identity=True), delay
        return self._cached(resource), delay

    def _fails(self, resource: Resource) -> bool:
        """Tell whether a resource that is to fail does so now: not too often, and its host not too often in a row."""
        failed, in_a_row = self._failed.get(resource.number, 0), self._in_a_row.get(resource.host.name, 0)
        if failed == resource.failures or in_a_row == _MOST_IN_A_ROW:
            return False
        self._failed[resource.number] = failed + 1
        self._in_a_row[resource.host.name] = in_a_row + 1
        return True

    def _warm(self) -> None:
        for resource in (resource for host in self.web.hosts for resource in host.table.values()):
            self._cached(resource)
            if self._cached_bytes > self.settings.cache_bytes * 0.9:
                return

    def _cached(self, resource: Resource) -> WireAnswer:
        answer = self._cache.get(resource.number)
        if answer is not None:
            self._cache.move_to_end(resource.number)
            return answer
        answer = self._cache[resource.number] = self.web.answer_for(resource)
        self._cached_bytes += len(answer.wire)
        while self._cached_bytes > self.settings.cache_bytes and self._cache:
            _, oldest = self._cache.popitem(last=False)
            self._cached_bytes -= len(oldest.wire)
        return answer


class ClientConnection(asyncio.Protocol):
    """One connection of a client."""

    __slots__ = ("_arrived", "_buffer", "_pending", "_server", "_stopped", "_timer", "_transport")

    def __init__(self, server: Answering) -> None:
        self._server = server
        self._transport: asyncio.Transport | None = None
        self._buffer = b""
        self._arrived = 0.0  # when the oldest byte of the buffer came
        self._stopped = False  # the client reads too slowly to be sent more
        self._timer: asyncio.TimerHandle | None = None  # for the one request that is being answered slowly
        self._pending: tuple[RequestHead, float] | None = None  # that request, and when it came

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.connections.discard(self)
        self._transport = None
        if self._timer is not None and self._pending is not None:
            self._timer.cancel()
            request, start = self._pending
            self._record(start, request, 0)

    def data_received(self, data: bytes) -> None:
        if not self._buffer:
            self._arrived = arrival_of_last_read()
        self._buffer += data
        self._proceed()

    def pause_writing(self) -> None:
        self._stopped = True

    def resume_writing(self) -> None:
        self._stopped = False
        self._proceed()

    def abort(self) -> None:
        """Drop the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def _proceed(self) -> None:
        """Answer the requests that are complete, as long as nothing has to be waited for."""
        while self._buffer and self._timer is None and not self._stopped:
            if not self._buffer[:1].isalpha() or b"\n\n" in self._buffer[:_LONGEST_HEAD]:
                return self._refuse()
            head, end, rest = self._buffer.partition(b"\r\n\r\n")
            if not end:
                return self._refuse() if len(head) > _LONGEST_HEAD else None
            self._buffer = rest
            try:
                request = read_head(head)
            except Malformed:
                return self._refuse()
            answer, delay = self._server.answer(request)
            if delay:
                self._pending = request, self._arrived
                self._timer = asyncio.get_running_loop().call_later(delay, self._send_late, request, answer, self._arrived)
            else:
                self._send(request, answer, self._arrived)

    def _send_late(self, request: RequestHead, answer: WireAnswer, start: float) -> None:
        self._timer = self._pending = None
        self._send(request, answer, start)
        self._proceed()

    def _send(self, request: RequestHead, answer: WireAnswer, start: float) -> None:
        if self._transport is None:
            return
        sent, digests = answer.wire, answer.digests
        if request.method == "HEAD":
            sent, digests = answer.head, Digests(digests.head, _NOTHING)
        self._transport.write(sent)
        self._record(start, request, answer.status, answer.version, digests)
        if answer.close or request.close:
            self._buffer = b""
            self._transport.close()

    def _refuse(self) -> None:
        """Answer 400 and close: what follows malformed bytes cannot be told apart from them."""
        self._buffer = b""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(_BAD_REQUEST.wire)
            self._record(self._arrived, _NOBODYS, 400)
            self._transport.close()

    def _record(self, start: float, request: RequestHead, status: int, version: int = 0, digests: Digests = UNKNOWN) -> None:
        line = SeenRequest(start, monotonic(), request.host, request.path, status, version, request.conditional, *digests)
        self._server.ledger.add(line)


def _slowness(resource: Resource) -> float:
    """Make an answer of a slow host take 0.2 to 0.6 s, always the same for the same resource."""
    return 0.2 + 0.4 * (resource.number * 37 % 101) / 100


def _bind(settings: SimwebSettings) -> list[socket.socket]:
    """Bind one port on every address; with any free port, try others when it is taken on some of them."""
    addresses = [f"127.0.0.{number + 1}" for number in range(settings.addresses)]
    for attempt in range(_PORT_TRIES):
        sockets: list[socket.socket] = []
        port = settings.port
        try:
            for address in addresses:
                sockets.append(socket.create_server((address, port), backlog=_BACKLOG))
                port = sockets[0].getsockname()[1]
        except OSError:
            for bound in sockets:
                bound.close()
            if settings.port or attempt == _PORT_TRIES - 1:
                raise
        else:
            return [StampedListener(fileno=bound.detach()) for bound in sockets] if settings.stamped else sockets
    raise AssertionError("the last attempt returns or raises")
