"""One reusable libcurl handle and what its present transfer has brought.

libcurl is told to change nothing: no decoding, no redirect, no cookie, no proxy, no credentials, HTTP/1.1 only. It sends at
most one request a transfer: when a kept connection dies under a request, libcurl would ask again at once on a new one, which
the host's turn does not cover, so the second request is stopped before it leaves.

The head is exact but for one thing: libcurl joins the continuation lines of a folded header (RFC 9112 section 5.2) with one
space before anyone sees them.
"""

import ssl
from typing import Any

import pycurl

from gossamer.clock import Clock
from gossamer.config.sections import Fetch
from gossamer.fetchers.kept import Kept
from gossamer.fetchers.message import Target, header_lines
from gossamer.fetchers.multi import Multi
from gossamer.fetchers.received import Guard, Received
from gossamer.records import Request

_MILLISECONDS = 1000
# Pages of the public web need no secrecy against machines to come: leaving out the key share for it saves 0.1 ms a handshake.
_CURVES = "X25519:P-256:X448:P-521:P-384"


class Transfer(Received):
    """A curl handle, its callbacks, and the state they fill."""

    def __init__(self, settings: Fetch, guard: Guard, clock: Clock) -> None:
        super().__init__(settings, guard, clock)
        self.curl: Any = pycurl.Curl()
        self._verifies = True  # as libcurl does by itself
        self._renews = False
        self._told = ""  # the host and port whose address libcurl knows from us
        self._set_standing_options()

    async def perform(self, multi: Multi, kept: Kept) -> tuple[int, str]:
        """Ask, and take the answer; return how it went. libcurl's own time cannot grow on the way, so `kept` watches it."""
        self._multi = multi
        self._begin = kept.loop.time()
        kept.watch(self, self._begin + self.seconds)
        try:
            return await multi.perform(self.curl)
        finally:
            kept.leave(self)

    def due(self, now: float) -> float:
        """End when the time is over; return when to look again."""
        if now >= self._begin + self.seconds and not self._goes_on():
            text = f"Operation timed out after {round((now - self._begin) * _MILLISECONDS)} milliseconds"
            self._multi.end(self.curl, pycurl.E_OPERATION_TIMEDOUT, f"{text} with {self.body.size} bytes received")
        return self._begin + self.seconds

    def cancel(self) -> None:
        """Do nothing: whoever drives libcurl cancels."""

    def prepare(self, request: Request, target: Target, addresses: tuple[str, ...]) -> None:
        """Make the handle ready for a request."""
        self.compose(request, target)
        curl = self.curl
        curl.setopt(pycurl.URL, target.origin)
        curl.setopt(pycurl.REQUEST_TARGET, target.path.encode())
        curl.setopt(pycurl.HTTPHEADER, header_lines(request, target.authority))
        host = f"[{target.host}]" if ":" in target.host else target.host
        curl.setopt(pycurl.RESOLVE, self._resolved(f"{host}:{target.port}", addresses))
        self._verify(not (request.insecure or self._settings.insecure))

    def renew(self, connection: bool) -> None:
        """Open a new connection for the next request, or use a kept one if there is one."""
        if connection is not self._renews:
            self._renews = connection
            self.curl.setopt(pycurl.FRESH_CONNECT, 1 if connection else 0)

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

    def close(self) -> None:
        """Free the handle."""
        self.curl.close()

    def _on_resolve(self) -> int:
        """Keep libcurl from asking anyone for an address: it was told the one it may use."""
        self.refusal = "the host is an odd spelling of an address that was not looked up"
        return 1

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
            pycurl.DNS_CACHE_TIMEOUT: -1,  # or it walks over all addresses at every request: 0.1 ms with 5,000 hosts
            pycurl.SSL_EC_CURVES: _CURVES,
            pycurl.CONNECTTIMEOUT_MS: int(settings.connect_timeout * _MILLISECONDS),
            pycurl.LOW_SPEED_LIMIT: settings.min_rate,
            pycurl.LOW_SPEED_TIME: self.RATE_SECONDS,
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
