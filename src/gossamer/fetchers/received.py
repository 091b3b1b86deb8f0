"""What one exchange with a server has brought so far, and the limits that hold for it.

Every answer has the limits of a page. Only when it meets one of them it is asked what it is: what nobody reads may go on within
the limits of a file. So the type costs nothing where it makes no difference, and is told by the first bytes, not by the last.
"""

import errno
import socket
from collections.abc import Awaitable, Callable
from math import inf

from gossamer.clock import Clock
from gossamer.config.sections import Fetch
from gossamer.document.body import Body
from gossamer.document.reading import type_of
from gossamer.fetchers.failure import Ended, ExchangeEnd
from gossamer.fetchers.message import Head, Target, request_head
from gossamer.records.fetch import Request

Guard = Callable[[str], str]  # why an address may not be contacted; empty: it may

ENOUGH: Ended = ExchangeEnd.LIMIT, "there is more than the limit"  # how an exchange ends that was stopped
_NO_DESCRIPTORS = {errno.EMFILE, errno.ENFILE}


class Received:
    """The state of one exchange."""

    RATE_SECONDS = 10  # the time over which the minimum rate is measured

    # What every exchange begins with stands here, once for all of them.
    _room = 0
    _until = inf
    _turn: Callable[[], Awaitable[str]] | None = None
    _url = ""
    _pages: frozenset[str] | None = None
    _is_file = False  # it was found to be one
    head: Head | None = None  # of the answer; None: it is not whole, or none
    head_size = 0  # bytes of heads so far, interim ones included
    request_head = b""
    started: float | None = None  # when the request left
    answered: float | None = None  # when the first byte of the answer was here
    address = ""
    connections = 0  # opened for this exchange
    refusal = ""  # why an address was not connected to
    refused = ""  # that address
    no_socket = ""  # why this machine could not open a socket, or may not use it
    spool_error: OSError | None = None

    def __init__(self, settings: Fetch, guard: Guard, clock: Clock) -> None:
        self._settings = settings
        self._guard = guard
        self._clock = clock
        self.body = Body(settings.spool)

    def compose(self, request: Request, target: Target) -> None:
        """Compose the request."""
        self._room = self._settings.max_body if request.max_body is None else request.max_body
        self._until = inf if request.until is None else request.until
        self._turn = request.turn
        self._url = request.url
        self._pages = request.pages if request.max_body is None else None
        self.request_head = request_head(request, target)

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

    def _open_socket(self, address: str) -> socket.socket | None:
        """Open the socket of one connect, unless the address may not be contacted: no connect goes past this."""
        self.refusal = self._guard(address)
        if self.refusal:
            self.refused = address
            return None
        try:
            opened = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        except OSError as error:
            self.no_socket = f"no socket could be opened ({error.strerror})"
            if error.errno in _NO_DESCRIPTORS:
                self.no_socket += "; raise `ulimit -n` or lower crawl.concurrency"
            return None
        self.connections += 1
        return opened

    async def _wait_for_turn(self) -> None:
        """Wait until the host may get a request, if it is asked for several at once; `_leave` follows, and the request."""
        if self._turn is not None:
            self.no_socket = await self._turn()

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
