"""A connection: uvicorn's, with the limits and the manners that it does not have itself.

A head has so many seconds to arrive; more connections than are wanted are told so; a message that is no HTTP, or whose head is
too long, is answered with a problem like everything else. When an answer was sent before the
whole body was read, the rest is read and dropped for a moment, so that whoever sends it sees the answer and no reset
connection; then the connection is closed.
"""

import asyncio
import sys
from http import HTTPStatus
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from gossamer.api.guard import HEADERS
from gossamer.api.problems import PROBLEM, problem

LINGER = 2.0  # seconds in which the rest of a body is read and dropped
DETAILS = {
    400: ("http", "this is no HTTP request"),
    408: ("slow", "the head of the request has not arrived in time"),
    431: ("head-too-long", "the head of the request is too long"),
    503: ("connections", "there are too many connections; ask again"),
}


def connections(most: int, patience: float) -> "type[Connection]":
    """Return what uvicorn makes of each connection: at most so many at once, and so many seconds for a head."""
    return type("BoundConnection", (Connection,), {"most": most, "patience": patience})


class Connection(H11Protocol):
    """One connection."""

    most: ClassVar[int]
    patience: ClassVar[float]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._waiting: asyncio.TimerHandle | None = None  # for a head
        self._lingering: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._refuse(503)
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Read on."""
        if self._lingering is not None or self.transport.is_closing():
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._waiting is None and not self.transport.is_closing() and self.conn.trailing_data[0]:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._stop_waiting()
        if self._lingering is not None:
            self._lingering.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request; h11 says which status it deserves."""
        error = sys.exception()
        hint = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        self._refuse(hint if hint in DETAILS else 400)

    def on_response_complete(self) -> None:
        """Take the next request, unless there is a rest of a body that nobody reads."""
        if self.conn.their_state is not h11.SEND_BODY or self.transport.is_closing():
            super().on_response_complete()
            return
        self.server_state.total_requests += 1
        self._linger()

    def _linger(self) -> None:
        """Say that nothing more comes from here, and drop what comes from there."""
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._lingering = self.loop.call_later(LINGER, self.transport.abort)
        self.flow.resume_reading()

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(self.patience, self._give_up)

    def _give_up(self) -> None:
        """Refuse half a head; a browser's connection that waits for its first request is just closed."""
        self._refuse(408) if self.conn.trailing_data[0] else self.transport.close()

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _refuse(self, status: int) -> None:
        """Answer without the application, and close; one whose answer has begun is closed at once."""
        self._stop_waiting()
        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            if self.cycle is not None:
                self.cycle.disconnected = True
            kind, detail = DETAILS[status]
            body = problem(kind, status, detail)
            fields = [(b"content-type", PROBLEM.encode()), (b"content-length", b"%d" % len(body)), *HEADERS]
            fields += [(b"cache-control", b"no-store"), (b"connection", b"close")]
            head = b"HTTP/1.1 %d %s\r\n" % (status, HTTPStatus(status).phrase.encode())
            self.transport.write(head + b"".join(name + b": " + value + b"\r\n" for name, value in fields) + b"\r\n" + body)
        self._linger()
