"""HTTP by ourselves and HTTPS through libcurl's multi interface: exact bytes, every limit, one request a turn.

- The address comes from our own resolver; only addresses the guard lets through are handed on, and the guard is asked again
  about the very address of every connect, so that neither an IP literal nor a name that changes its mind gets past it.
- A head that came whole is an answer worth keeping. When the body after it was cut (too long, too slow, connection lost) what
  came is kept and marked; a 2xx without a single byte of the body it announced is a failure.
- `started` is when the request could leave, `answered` its first byte, both on the crawl's clock.

Follows RFC 9112.
"""

from collections.abc import Callable

from msgspec import Struct

from gossamer.clock import Clock
from gossamer.config.sections import Fetch
from gossamer.document.body import Body
from gossamer.fetchers.failure import failure_of, spool_error, truncation_of
from gossamer.fetchers.kept import Kept
from gossamer.fetchers.lenient import REFUSED, LenientExchange
from gossamer.fetchers.message import Head, Target, target_of
from gossamer.fetchers.multi import Multi
from gossamer.fetchers.plain import PlainExchange
from gossamer.fetchers.received import Received
from gossamer.fetchers.transfer import Transfer
from gossamer.protocols import Resolver
from gossamer.records import Fetched, Outcome, Request

_OK = Outcome.OK  # to look a member up in its class takes longer than to compare it
ODD_ORIGINS = 10_000  # remembered at most


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
        self._multi = Multi()
        self._most_by_curl = 0  # connections it may keep
        self._kept = Kept(settings.connections)
        self._idle: list[Transfer] = []
        self._careless: dict[str, None] = {}  # origins whose heads libcurl refuses
        self._suspect: dict[str, None] = {}  # origins that failed: libcurl may keep the dead connection
        self._requests = 0
        self._connections = 0
        self._received = 0

    async def fetch(self, request: Request) -> Fetched:
        """Send a request and return what came back, or why nothing did."""
        target = target_of(request.url)
        asked = self._clock.now()
        found = await self._resolver.resolve(target.host, asked)
        if not found.addresses:
            return self._unsent(request, Outcome.DNS_FAILED, found.error or "the name has no address", asked)
        usable = self._usable(found.addresses)
        if not usable:
            return self._unsent(request, Outcome.ADDRESS_REFUSED, self._guard(found.addresses[0]), asked)
        transfer = self._transfer(target, usable)
        try:
            transfer.prepare(request, target, usable)
            if isinstance(transfer, Transfer):
                code, text = await transfer.perform(self._multi, self._kept)
            else:
                code, text = await transfer.perform()
            fetched = self._conclude(request, transfer, code, text, asked)
            if fetched.outcome is not _OK:
                self._kept.drop(target.origin)
                _remember(self._careless if text == REFUSED else self._suspect, target.origin)
            return fetched
        except BaseException:
            transfer.body.close()
            raise
        finally:
            self._connections += transfer.connections
            if isinstance(transfer, Transfer):
                transfer.forget()
                self._idle.append(transfer)

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
        self._multi.close()
        while self._idle:
            self._idle.pop().close()

    def _transfer(self, target: Target, addresses: tuple[str, ...]) -> Transfer | LenientExchange | PlainExchange:
        origin = target.origin
        if origin in self._careless:
            return LenientExchange(self._settings, self._guard, self._clock)
        if origin.startswith("http:") and not _is_odd_literal(target, addresses):
            return PlainExchange(self._settings, self._guard, self._clock, self._kept)
        self._share_connections()
        transfer = self._idle.pop() if self._idle else Transfer(self._settings, self._guard, self._clock)
        transfer.renew(origin in self._suspect)
        self._suspect.pop(origin, None)
        return transfer

    def _share_connections(self) -> None:
        """Let libcurl keep what we do not: half of all at least, and all of them together are not more than configured."""
        most = self._settings.connections
        self._kept.limit(max(1, most // 2))
        by_curl = max(1, most - self._kept.idle)
        if by_curl != self._most_by_curl:
            self._most_by_curl = by_curl
            self._multi.limit(by_curl)

    def _conclude(self, request: Request, transfer: Received, code: int, text: str, asked: float) -> Fetched:
        """Judge a finished transfer."""
        if transfer.spool_error is not None:
            raise spool_error(transfer.spool_error) from transfer.spool_error
        if transfer.started is None and transfer.refusal:
            return self._unsent(request, Outcome.ADDRESS_REFUSED, transfer.refusal, asked)
        if transfer.started is None and transfer.no_socket:
            return self._unsent(request, Outcome.CONNECT_FAILED, transfer.no_socket, asked)
        head_size = transfer.head_size
        self._requests += transfer.started is not None
        self._received += head_size + transfer.body.size
        if head_size > self._settings.max_headers:
            limit = f"more than {self._settings.max_headers} bytes of headers (fetch.max_headers)"
            return self._failed(request, transfer, Outcome.PROTOCOL_ERROR, limit, asked)
        head = transfer.head()
        truncated = truncation_of(code, text) if code else ""
        if head is None or (truncated and truncated != "length" and head.status < 300 and not transfer.body.size):
            outcome, detail = failure_of(code, text, requested=transfer.started is not None, received=transfer.begun)
            return self._failed(request, transfer, outcome, detail, asked)
        return self._answered(request, transfer, head, truncated, text, asked)

    def _answered(self, request: Request, transfer: Received, head: Head, truncated: str, detail: str, asked: float) -> Fetched:
        started, answered, ended = self._times(transfer, asked)
        return Fetched(
            url=request.url,
            outcome=_OK,
            detail=detail,
            status=head.status,
            request_head=transfer.request_head,
            response_head=head.raw,
            headers=head.headers,
            body=transfer.body,
            chunked=head.chunked,
            truncated=truncated,
            address=transfer.address,
            started=started,
            answered=answered,
            ended=ended,
        )

    def _failed(self, request: Request, transfer: Received, outcome: Outcome, detail: str, asked: float) -> Fetched:
        transfer.body.close()
        started, answered, ended = self._times(transfer, asked)
        return Fetched(
            url=request.url,
            outcome=outcome,
            detail=detail,
            request_head=transfer.request_head if transfer.started is not None else b"",
            body=Body(),
            address=transfer.address,
            started=started,
            answered=answered,
            ended=ended,
            sent=transfer.started is not None,
        )

    def _unsent(self, request: Request, outcome: Outcome, detail: str, asked: float) -> Fetched:
        now = self._clock.now()
        return Fetched(
            url=request.url, outcome=outcome, detail=detail, body=Body(), started=asked, answered=now, ended=now, sent=False
        )

    def _times(self, transfer: Received, asked: float) -> tuple[float, float, float]:
        """Return when the request left, when the first byte came (or waiting for it ended), and now."""
        ended = self._clock.now()
        if transfer.started is None:
            return asked, ended, ended
        return transfer.started, ended if transfer.answered is None else transfer.answered, ended


def _is_odd_literal(target: Target, addresses: tuple[str, ...]) -> bool:
    """Tell whether a host looks like an address, but not like the one it was resolved to: libcurl knows what to refuse."""
    return target.is_number and target.host not in addresses


def _remember(origins: dict[str, None], origin: str) -> None:
    origins[origin] = None
    if len(origins) > ODD_ORIGINS:
        del origins[next(iter(origins))]
