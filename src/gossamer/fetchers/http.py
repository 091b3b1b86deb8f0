"""HTTP and HTTPS over connections of our own: exact bytes, every limit, one request a turn.

- The address comes from our own resolver; only addresses the guard lets through are handed on, and the guard is asked again
  about the very address of every connect, so that neither an IP literal nor a name that changes its mind gets past it.
- A head that came whole is an answer worth keeping. When the body after it was cut (too long, too slow, connection lost) what
  came is kept and marked; a 2xx without a single byte of the body it announced is a failure.
- An answer belongs to its request: no byte that came before a request was sent is part of its answer (`kept`, `secure`).
- `started` is when the request could leave, `answered` its first byte, both on the crawl's clock.

Follows RFC 9112.
"""

from collections.abc import Callable

from msgspec import Struct

from gossamer.clock import Clock
from gossamer.config.sections import Fetch
from gossamer.document.body import Body
from gossamer.fetchers.exchange import HttpExchange
from gossamer.fetchers.failure import ExchangeEnd, failure_of, spool_error, truncation_of
from gossamer.fetchers.kept import ConnectionPool
from gossamer.fetchers.message import Head, Target, asked_of, target_of
from gossamer.fetchers.secure import Trust
from gossamer.fetchers.tunnel import Tunnel
from gossamer.joints.resolver import Resolver
from gossamer.records.access import Proxy
from gossamer.records.fetch import Fetched, Request
from gossamer.records.outcome import Outcome
from gossamer.url.host import is_local

_OK, _WHOLE = Outcome.OK, ExchangeEnd.WHOLE  # to look a member up in its class takes longer than to compare it
_ODD_LITERAL = "the host is an odd spelling of an address that was not looked up"


class FetcherStatistics(Struct, frozen=True):
    """A fetcher in numbers."""

    requests: int
    connections: int  # opened; the other requests went over kept ones
    received: int  # bytes, heads included


class HttpFetcher:
    """Speaks HTTP/1.1, over TLS or not, on connections that are kept and used again."""

    def __init__(self, settings: Fetch, resolver: Resolver, guard: Callable[[str], str], clock: Clock) -> None:
        self._settings = settings
        self._resolver = resolver
        self._guard = guard
        self._clock = clock
        self._kept = ConnectionPool(settings.connections)
        self._verified = Trust(settings.ca_file, verifies=True)
        self._excepted = Trust(settings.ca_file, verifies=False)
        self._certified: dict[tuple[tuple[str, str], bool], Trust] = {}  # with a client certificate: its files, and verifying
        self._requests = 0
        self._connections = 0
        self._received = 0

    async def fetch(self, request: Request) -> Fetched:
        """Send a request and return what came back, or why nothing did."""
        target = target_of(request.url)
        asked = self._clock.now()
        tunnel = None if request.proxy is None else await self._tunnel(request.proxy, target, asked)
        if tunnel is not None and not tunnel.addresses:
            return self._unsent(request, Outcome.CONNECT_FAILED, f"the proxy {tunnel.proxy.place} has no address", asked)
        if tunnel is not None and tunnel.finds_address:
            usable: tuple[str, ...] = ("",)
            if tunnel.is_asked:
                request, target = asked_of(tunnel.proxy, request, target)
        else:
            found = await self._resolver.resolve(target.host, asked)
            if not found.addresses:
                return self._unsent(request, Outcome.DNS_FAILED, found.error or "the name has no address", asked)
            usable = self._usable(found.addresses)
            if not usable:
                first = found.addresses[0]
                return self._unsent(request, Outcome.ADDRESS_REFUSED, self._guard(first), asked, first)
            if target.is_number and target.host not in usable:  # it looks like an address, but like another one
                return self._unsent(request, Outcome.ADDRESS_REFUSED, _ODD_LITERAL, asked, found.addresses[0])
        exchange = HttpExchange(self._settings, self._guard, self._clock, self._kept)
        try:
            exchange.prepare(request, target, usable, self._trust(request, target), tunnel)
            ending, text = await exchange.perform()
            fetched = self._conclude(request, exchange, ending, text, asked)
            if fetched.outcome is not _OK:
                self._kept.drop(exchange.place)
            return fetched
        except BaseException:
            exchange.body.close()
            raise
        finally:
            self._connections += exchange.connections

    async def _tunnel(self, proxy: Proxy, target: Target, asked: float) -> Tunnel:
        """Return the way through a proxy. One that resolves names finds the address, unless that stands in the URL itself."""
        near = await self._resolver.resolve(proxy.host, asked)
        finds_address = proxy.resolves and not target.is_number and not is_local(target.host)
        return Tunnel(proxy, near.addresses, target, finds_address)

    def _trust(self, request: Request, target: Target) -> Trust | None:
        """Say how the connection is secured; None: it is in the clear."""
        if not target.origin.startswith("https:"):
            return None
        is_excepted = request.insecure or self._settings.insecure
        if request.certificate is not None:
            return self._certified_trust(request.certificate, not is_excepted)
        return self._excepted if is_excepted else self._verified

    def _certified_trust(self, certificate: tuple[str, str], verifies: bool) -> Trust:
        trust = self._certified.get((certificate, verifies))
        if trust is None:
            trust = Trust(self._settings.ca_file, verifies=verifies, certificate=certificate)
            self._certified[certificate, verifies] = trust
        return trust

    def _usable(self, addresses: tuple[str, ...]) -> tuple[str, ...]:
        if len(addresses) == 1:  # nearly always
            return () if self._guard(addresses[0]) else addresses
        return tuple([address for address in addresses if not self._guard(address)])

    def statistics(self) -> FetcherStatistics:
        """Count what was sent and received so far."""
        return FetcherStatistics(self._requests, self._connections, self._received)

    async def aclose(self) -> None:
        """Close every connection; fetches under way are cancelled."""
        self._kept.close()

    def _conclude(self, request: Request, exchange: HttpExchange, ending: ExchangeEnd, text: str, asked: float) -> Fetched:
        """Judge a finished exchange."""
        if exchange.spool_error is not None:
            raise spool_error(exchange.spool_error) from exchange.spool_error
        if exchange.started is None and exchange.refusal:
            return self._unsent(request, Outcome.ADDRESS_REFUSED, exchange.refusal, asked, exchange.refused)
        if exchange.started is None and exchange.no_socket:
            return self._unsent(request, Outcome.CONNECT_FAILED, exchange.no_socket, asked)
        head_size = exchange.head_size
        self._requests += exchange.started is not None
        self._received += head_size + exchange.body.size
        if head_size > self._settings.max_headers:
            limit = f"more than {self._settings.max_headers} bytes of headers (fetch.max_headers)"
            return self._failed(request, exchange, Outcome.PROTOCOL_ERROR, limit, asked)
        head = exchange.head
        truncated = "" if ending is _WHOLE else truncation_of(ending)
        if head is None or (truncated and truncated != "length" and head.status < 300 and not exchange.body.size):
            outcome, detail = failure_of(ending, text, requested=exchange.started is not None, received=exchange.begun)
            return self._failed(request, exchange, outcome, detail, asked)
        return self._answered(request, exchange, head, truncated, text, asked)

    def _answered(
        self, request: Request, exchange: HttpExchange, head: Head, truncated: str, detail: str, asked: float
    ) -> Fetched:
        started, answered, ended = self._times(exchange, asked)
        return Fetched(
            url=request.url,
            outcome=_OK,
            detail=detail,
            status=head.status,
            request_head=exchange.request_head,
            response_head=head.raw,
            headers=head.headers,
            body=exchange.body,
            chunked=head.chunked,
            truncated=truncated,
            address=exchange.address,
            started=started,
            answered=answered,
            ended=ended,
        )

    def _failed(self, request: Request, exchange: HttpExchange, outcome: Outcome, detail: str, asked: float) -> Fetched:
        exchange.body.close()
        started, answered, ended = self._times(exchange, asked)
        return Fetched(
            url=request.url,
            outcome=outcome,
            detail=detail,
            request_head=exchange.request_head if exchange.started is not None else b"",
            body=Body(),
            address=exchange.address,
            started=started,
            answered=answered,
            ended=ended,
            sent=exchange.started is not None,
            unanswered=exchange.unanswered,
        )

    def _unsent(self, request: Request, outcome: Outcome, detail: str, asked: float, address: str = "") -> Fetched:
        now = self._clock.now()
        return Fetched(
            url=request.url,
            outcome=outcome,
            detail=detail,
            body=Body(),
            address=address,
            started=asked,
            answered=now,
            ended=now,
            sent=False,
        )

    def _times(self, exchange: HttpExchange, asked: float) -> tuple[float, float, float]:
        """Return when the request left, when the first byte came (or waiting for it ended), and now."""
        ended = self._clock.now()
        if exchange.started is None:
            return asked, ended, ended
        return exchange.started, ended if exchange.answered is None else exchange.answered, ended
