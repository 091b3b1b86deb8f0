"""Exchanges that read the answer without libcurl, for servers whose head it refuses and every browser reads.

libcurl ends an answer at a header line without a colon, and no option makes it go on. So such a server is asked again, in the
next turn of its host, over a connection of our own: the same request but for `Connection: close`, the same guard, sizes and
times, and bodies that end where RFC 9112 section 6.3 says. There is no minimum rate, and so a file has no more time than a
page. How it went is told in libcurl's codes.
"""

import asyncio
import socket
import ssl

import pycurl
from msgspec.structs import replace

from gossamer.fetchers.message import Head, Target, final_head
from gossamer.fetchers.received import ENOUGH, STOP, Received
from gossamer.records import Request

REFUSED = "Header without colon"  # what libcurl says of such a head
MARK = "a line of the head is no header"
_LAST_CHUNK = b"\r\n0\r\n\r\n"
_PIECE = 64 * 1024


class LenientExchange(Received):
    """One request and its answer, over a connection that is closed afterwards."""

    _pending = b""  # the beginning of a line
    _head: Head | None = None
    _tail = b""  # the last bytes of the body
    _is_whole = False

    def prepare(self, request: Request, target: Target, addresses: tuple[str, ...]) -> None:
        """Make ready for a request."""
        self.compose(replace(request, headers=(*request.headers, ("Connection", "close"))), target)
        self._target = target
        self._addresses = addresses
        self._verifies = not (request.insecure or self._settings.insecure)

    async def perform(self) -> tuple[int, str]:
        """Ask, and take the answer; return how it went as libcurl would put it."""
        try:
            async with asyncio.timeout(self._settings.total_timeout):
                return await self._exchange()
        except TimeoutError:
            return pycurl.E_OPERATION_TIMEDOUT, "the time is over"
        except ssl.SSLError as error:
            return pycurl.E_PEER_FAILED_VERIFICATION, error.reason or "no TLS"
        except OSError as error:
            return pycurl.E_COULDNT_CONNECT if self.started is None else pycurl.E_RECV_ERROR, error.strerror or "no connection"

    async def _exchange(self) -> tuple[int, str]:
        address = self._addresses[0]
        opened = self._open_socket(address, self._target.port)
        if opened is None:
            return pycurl.E_COULDNT_CONNECT, "no socket"
        with opened:
            reader, writer = await self._connect(opened, address)
            try:
                await self._wait_for_turn()
                if not self._leave(address):
                    return pycurl.E_ABORTED_BY_CALLBACK, "the turn is over"
                writer.write(self.request_head)
                while piece := await reader.read(_PIECE):
                    if self._take(piece) == STOP:
                        return self._stopped()
                return self._closed()
            finally:
                writer.transport.abort()

    async def _connect(self, opened: socket.socket, address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        opened.setblocking(False)
        async with asyncio.timeout(self._settings.connect_timeout):
            await asyncio.get_running_loop().sock_connect(opened, (address, self._target.port))
            if not self._target.origin.startswith("https:"):
                return await asyncio.open_connection(sock=opened)
            return await asyncio.open_connection(sock=opened, ssl=self._context(), server_hostname=self._target.host)

    def _context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self._settings.ca_file or None)
        if not self._verifies:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context

    def _take(self, piece: bytes) -> int | None:
        """Take a piece of the answer: lines until the head is whole, then the body."""
        if self._head is None:
            piece = self._take_lines(self._pending + piece)
            if self._head is None:
                return STOP if self.head_size + len(self._pending) > self._settings.max_headers else None
        missing = self._missing()
        piece = piece if missing is None else piece[:missing]
        stop = self._on_body(piece) if piece else None
        self._tail = (self._tail + piece)[-len(_LAST_CHUNK) :]
        self._is_whole = self._tail == _LAST_CHUNK if self._head.chunked else self._missing() == 0
        return STOP if self._is_whole else stop

    def _take_lines(self, received: bytes) -> bytes:
        """Take the lines of the head; return what is behind it."""
        position = 0
        while end := received.find(b"\n", position) + 1:
            self._on_header(received[position:end])
            position = end
            if self.lines[-1] in (b"\r\n", b"\n") and (head := final_head(self.lines)):
                self._head = head
                return received[end:]
        self._pending = received[position:]
        return b""

    def _missing(self) -> int | None:
        """Return how many bytes the body still lacks; None: nobody said how long it is."""
        assert self._head is not None
        length = next((value for name, value in self._head.headers if name == "content-length"), "")
        if self._head.chunked or not (length.isascii() and length.isdigit()):
            return None
        return int(length) - self.body.size

    def _stopped(self) -> tuple[int, str]:
        if self._is_whole:
            return pycurl.E_OK, self._mark()
        return ENOUGH

    def _closed(self) -> tuple[int, str]:
        if self._head is None:
            return pycurl.E_RECV_ERROR if self.lines or self._pending else pycurl.E_GOT_NOTHING, "the connection was closed"
        if self._head.chunked or self._missing():
            return pycurl.E_PARTIAL_FILE, "the connection was closed before the end of the body"
        return pycurl.E_OK, self._mark()

    def _mark(self) -> str:
        """Say that the head is odd, if it is: not every page of a careless server need be."""
        assert self._head is not None
        return MARK if any(b":" not in line for line in self._head.raw.splitlines()[1:-1]) else ""
