"""What one exchange with a server has brought so far, and the steps that fill it: open, request, lines, body.

Shared by those that send: libcurl where there is TLS (`transfer`), we ourselves where there is none (`plain`) and to the few
whose heads everybody else refuses (`lenient`).

Every answer has the limits of a page. Only when it meets one of them it is asked what it is: what nobody reads may go on within
the limits of a file. So the type costs nothing where it makes no difference, and is told by the first bytes, not by the last.
"""

import errno
import socket
from collections.abc import Awaitable, Callable
from math import inf
from typing import Any

import pycurl

from gossamer.clock import Clock
from gossamer.config.sections import Fetch
from gossamer.document.body import Body
from gossamer.document.reading import type_of
from gossamer.fetchers.message import Head, Target, final_head, request_head
from gossamer.records import Request

Guard = Callable[[str], str]  # why an address may not be contacted; empty: it may

STOP = -1  # what a step returns to end the exchange
ENOUGH = pycurl.E_WRITE_ERROR, "there is more than the limit"  # how an exchange ends that was stopped, in libcurl's code
_NO_DESCRIPTORS = {errno.EMFILE, errno.ENFILE}


class Received:
    """The state of one exchange; used for one after the other."""

    RATE_SECONDS = 10  # the time over which the minimum rate is measured

    # What every exchange begins with stands here, once for all of them.
    _room = 0
    _until = inf
    _turn: Callable[[], Awaitable[str]] | None = None
    _url = ""
    _pages: frozenset[str] | None = None
    _is_file = False  # it was found to be one
    request_head = b""
    started: float | None = None  # when the request left
    answered: float | None = None  # when the first byte of the answer was here
    address = ""
    connections = 0  # opened for this transfer
    refusal = ""  # why an address was not connected to
    no_socket = ""  # why this machine could not open a socket, or may not use it
    spool_error: OSError | None = None

    def __init__(self, settings: Fetch, guard: Guard, clock: Clock) -> None:
        self._settings = settings
        self._guard = guard
        self._clock = clock
        self.lines: list[bytes] = []
        self.body = Body(settings.spool)

    def compose(self, request: Request, target: Target) -> None:
        """Compose the request."""
        self._room = self._settings.max_body if request.max_body is None else request.max_body
        self._until = inf if request.until is None else request.until
        self._turn = request.turn
        self._url = request.url
        self._pages = request.pages if request.max_body is None else None
        self.request_head = request_head(request, target)

    def forget(self) -> None:
        """Let go of what the last transfer brought; its body belongs to whoever took it."""
        for name in vars(self).keys() & vars(Received).keys():
            delattr(self, name)  # what it begins with is there again
        self.lines = []
        self.body = Body(self._settings.spool)

    def head(self) -> Head | None:
        """Return the head of the answer; None: it is not whole, or none."""
        return final_head(self.lines)

    @property
    def begun(self) -> bool:
        """Whether any line of a head came."""
        return bool(self.lines)

    @property
    def head_size(self) -> int:
        """Bytes of all header lines so far."""
        return sum(map(len, self.lines))

    @property
    def seconds(self) -> float:
        """How long the exchange may take."""
        settings = self._settings
        return max(settings.total_timeout, settings.file_timeout) if self._is_file else settings.total_timeout

    def _goes_on(self) -> bool:
        """Give what has come to the limits of a page those of a file, if it is one; False: it is none, or had them."""
        head = self.head()
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

    def _open_socket(self, address: str, port: int) -> socket.socket | None:
        """Open a socket for a connect of our own; None: it may not be, or cannot."""
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        opened = self._on_open(0, (family, socket.SOCK_STREAM, 0, (address, port)))
        return opened if isinstance(opened, socket.socket) else None

    # --- steps; libcurl calls them back, and an exception in one of them would be printed by pycurl, so none leaves --

    def _on_open(self, _purpose: int, address: Any) -> Any:
        """Open the socket of one connect, unless the address may not be contacted: no connect goes past this."""
        if self.started is not None:
            return pycurl.SOCKET_BAD  # for a second request: see above
        family, kind, protocol, place = address
        self.refusal = self._guard(place[0])
        if self.refusal:
            return pycurl.SOCKET_BAD
        try:
            opened = socket.socket(family, kind, protocol)
        except OSError as error:
            self.no_socket = f"no socket could be opened ({error.strerror})"
            if error.errno in _NO_DESCRIPTORS:
                self.no_socket += "; raise `ulimit -n` or lower crawl.concurrency"
            return pycurl.SOCKET_BAD
        self.connections += 1
        return opened

    def _on_request(self, address: str, _local: str, _port: int, _local_port: int) -> int:
        return int(pycurl.PREREQFUNC_OK if self._leave(address) else pycurl.PREREQFUNC_ABORT)

    async def _wait_for_turn(self) -> None:
        """Wait until the host may get a request, if it is asked for several at once; `_leave` follows, and the request."""
        if self._turn is not None:
            self.no_socket = await self._turn()

    def _leave(self, address: str) -> bool:
        """Note when and where the request leaves; stop a second one, and one whose turn is over."""
        now = self._clock.now()
        if self.started is None and now >= self._until:
            self.no_socket = "the turn was over before the request could leave"
        if self.started is not None or self.no_socket:
            return False
        self.started = now
        self.address = address
        return True

    def _on_header(self, line: bytes) -> None:
        """Take a line of the head. The first is timed here: libcurl's own timer may run ahead, and politeness counts on it."""
        if self.answered is None:
            self.answered = self._clock.now()
        self.lines.append(line)

    def _on_body(self, chunk: bytes) -> int | None:
        """Take a piece of the body; end the transfer when it is enough."""
        if not self.body.size and self.head_size > self._settings.max_headers:
            return STOP
        try:
            if len(chunk) > self._room:
                self.body.write(chunk[: self._room])
                chunk, self._room = chunk[self._room :], 0
                return self._on_body(chunk) if self._goes_on() else STOP
            self.body.write(chunk)
        except OSError as error:
            self.spool_error = error
            return STOP
        self._room -= len(chunk)
        return None
