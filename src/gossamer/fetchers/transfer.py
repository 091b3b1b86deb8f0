"""One reusable libcurl handle and what its present transfer has brought.

libcurl is told to change nothing: no decoding, no redirect, no cookie, no proxy, no credentials, HTTP/1.1 only. It sends at
most one request a transfer: when a kept connection dies under a request, libcurl would ask again at once on a new one, which
the host's turn does not cover, so the second request is stopped before it leaves.

The head is exact but for one thing: libcurl joins the continuation lines of a folded header (RFC 9112 section 5.2) with one
space before anyone sees them.
"""

import errno
import socket
import ssl
from collections.abc import Callable
from typing import Any

import pycurl

from gossamer.clock import Clock
from gossamer.config.sections import Fetch
from gossamer.document.body import Body
from gossamer.fetchers.message import Target, header_lines, request_head
from gossamer.records import Request

RATE_SECONDS = 10  # the time over which the minimum rate is measured
_STOP = -1  # what a callback returns to end the transfer
_MILLISECONDS = 1000
_NO_DESCRIPTORS = {errno.EMFILE, errno.ENFILE}


class Transfer:
    """A curl handle, its callbacks, and the state they fill."""

    def __init__(self, settings: Fetch, guard: Callable[[str], str], clock: Clock) -> None:
        self._settings = settings
        self._guard = guard
        self._clock = clock
        self.curl: Any = pycurl.Curl()
        self._verifies = True  # as libcurl does by itself
        self._told = ""  # the host and port whose address libcurl knows from us
        self.forget()
        self._set_standing_options()

    def prepare(self, request: Request, target: Target, addresses: tuple[str, ...]) -> None:
        """Make the handle ready for a request."""
        self._room = self._settings.max_body if request.max_body is None else request.max_body
        lines = header_lines(request, target.authority)
        path = target.path.encode()
        self.request_head = request_head(path, lines)
        curl = self.curl
        curl.setopt(pycurl.URL, target.origin)
        curl.setopt(pycurl.REQUEST_TARGET, path)
        curl.setopt(pycurl.HTTPHEADER, lines)
        host = f"[{target.host}]" if ":" in target.host else target.host
        curl.setopt(pycurl.RESOLVE, self._resolved(f"{host}:{target.port}", addresses))
        self._verify(not (request.insecure or self._settings.insecure))

    def _verify(self, certificates: bool) -> None:
        """Check the server's certificate, or accept any."""
        if certificates is not self._verifies:
            self._verifies = certificates
            self.curl.setopt(pycurl.SSL_VERIFYPEER, 1 if certificates else 0)
            self.curl.setopt(pycurl.SSL_VERIFYHOST, 2 if certificates else 0)

    def _resolved(self, place: str, addresses: tuple[str, ...]) -> list[str]:
        """Tell libcurl an address, and to forget the last one we told it: it walks over all it knows at every request."""
        entries = [f"{place}:{','.join(addresses)}"]
        if self._told not in ("", place):
            entries.append(f"-{self._told}")
        self._told = place
        return entries

    def forget(self) -> None:
        """Let go of what the last transfer brought; its body belongs to whoever took it."""
        self._room = 0
        self.request_head = b""
        self.lines: list[bytes] = []
        self.body = Body(self._settings.spool)
        self.started: float | None = None  # when the request left
        self.answered: float | None = None  # when the first byte of the answer was here
        self.address = ""
        self.connections = 0  # opened for this transfer
        self.refusal = ""  # why an address was not connected to
        self.no_socket = ""  # why this machine could not open a socket
        self.spool_error: OSError | None = None

    @property
    def head_size(self) -> int:
        """Bytes of all header lines so far."""
        return sum(map(len, self.lines))

    def close(self) -> None:
        """Free the handle."""
        self.curl.close()

    # --- callbacks; an exception in one of them would be printed by pycurl, so none leaves --------------------------

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

    def _on_resolve(self) -> int:
        """Keep libcurl from asking anyone for an address: it was told the one it may use."""
        self.refusal = "the host is an odd spelling of an address that was not looked up"
        return 1

    def _on_request(self, address: str, _local: str, _port: int, _local_port: int) -> int:
        """Note when and where the request leaves; stop a second one."""
        if self.started is not None:
            return int(pycurl.PREREQFUNC_ABORT)
        self.started = self._clock.now()
        self.address = address
        return int(pycurl.PREREQFUNC_OK)

    def _on_header(self, line: bytes) -> None:
        """Take a line of the head. The first is timed here: libcurl's own timer may run ahead, and politeness counts on it."""
        if self.answered is None:
            self.answered = self._clock.now()
        self.lines.append(line)

    def _on_body(self, chunk: bytes) -> int | None:
        """Take a piece of the body; end the transfer when it is enough."""
        if not self.body.size and self.head_size > self._settings.max_headers:
            return _STOP
        try:
            if len(chunk) > self._room:
                self.body.write(chunk[: self._room])
                return _STOP
            self.body.write(chunk)
        except OSError as error:
            self.spool_error = error
            return _STOP
        self._room -= len(chunk)
        return None

    # --- options that never change ------------------------------------------------------------------------------------

    def _set_standing_options(self) -> None:
        settings = self._settings
        options = {
            pycurl.PROTOCOLS: pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS,
            pycurl.HTTP_VERSION: pycurl.CURL_HTTP_VERSION_1_1,
            pycurl.HTTP09_ALLOWED: 0,
            pycurl.HTTP_TRANSFER_DECODING: 0,
            pycurl.HTTP_CONTENT_DECODING: 0,
            pycurl.FOLLOWLOCATION: 0,
            pycurl.PROXY: "",
            pycurl.NOPROXY: "*",
            pycurl.NETRC: pycurl.NETRC_IGNORED,
            pycurl.NOSIGNAL: 1,
            pycurl.CONNECTTIMEOUT_MS: int(settings.connect_timeout * _MILLISECONDS),
            pycurl.TIMEOUT_MS: int(settings.total_timeout * _MILLISECONDS),
            pycurl.LOW_SPEED_LIMIT: settings.min_rate,
            pycurl.LOW_SPEED_TIME: RATE_SECONDS,
            pycurl.RESOLVER_START_FUNCTION: self._on_resolve,
            pycurl.OPENSOCKETFUNCTION: self._on_open,
            pycurl.PREREQFUNCTION: self._on_request,
            pycurl.HEADERFUNCTION: self._on_header,
            pycurl.WRITEFUNCTION: self._on_body,
        }
        for option, value in options.items():
            self.curl.setopt(option, value)
        self._trust(settings.ca_file)

    def _trust(self, ca_file: str) -> None:
        """Name the certificates we trust: those given, else the system's (libcurl's own guess fits few systems)."""
        known = ssl.get_default_verify_paths()
        if ca_file or known.cafile:
            self.curl.setopt(pycurl.CAINFO, ca_file or known.cafile)
        elif known.capath:
            self.curl.setopt(pycurl.CAPATH, known.capath)
