"""Requests: who we say we are, to whom, with what its rules add, at whose turn, and which fetcher speaks the protocol.

A request that left on a kept connection and was not answered by one byte met a server that was closing it: it says nothing
about the page, which is asked for again at the host's next turn, on a new connection. Should that happen again and again to one
page, it is a failure like any other.
"""

from collections.abc import Coroutine, Mapping
from typing import Any

from msgspec.structs import replace

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.document.body import Body
from gossamer.errors import SpoolError, StoreError
from gossamer.filters.access import AccessRules
from gossamer.joints.fetch import Fetcher
from gossamer.policy import cookies
from gossamer.records.access import Access, Secret
from gossamer.records.fetch import Fetched, Request
from gossamer.records.lease import Lease
from gossamer.records.outcome import Outcome
from gossamer.records.visit import Cookie
from gossamer.visit.pace import PacedTurn, Pacer

MOST_UNANSWERED = 3  # requests for a page in a row that are no failure
MOST_PAGES = 10_000  # whose requests were not answered lately


class Requests:
    """Composes requests and sends each with the fetcher of its scheme."""

    def __init__(
        self,
        settings: Settings,
        fetchers: Mapping[str, Fetcher],
        user_agent: str,
        clock: Clock,
        pages: frozenset[str],
        access: AccessRules | None = None,
    ) -> None:
        self._access = access
        self._insecure = settings.fetch.insecure
        self._fetchers = fetchers
        self._user_agent = user_agent
        self._clock = clock
        self._pages = pages  # MIME types with the limits of a page
        self.pace = Pacer(clock, settings.breaker.failures)
        self._unanswered: dict[str, int] = {}  # by URL

    def agent(self, lease: Lease) -> str:
        """Return the user agent for a host: its policy's, or the crawl's."""
        return lease.policy.user_agent or self._user_agent

    async def send(
        self,
        url: str,
        lease: Lease,
        headers: tuple[tuple[str, str], ...] = (),
        *,
        files: bool = False,
        most: int | None = None,
        bare: Lease | None = None,
        carried: tuple[Cookie, ...] = (),
        jar: tuple[Cookie, ...] = (),
    ) -> Fetched:
        """Ask for a URL under a lease, at its turn or that of a `bare` one; `files`: what is no page has the limits of a file.

        Cookies that are `carried` go along a chain of redirects; those of the `jar` only where a rule says that there is one.
        `most`: so many bytes of the body are enough, whatever it is.

        The outcome is `deferred` where the URL is to be asked for again as if it had not been. Raises `SpoolError`.
        """
        used = bare or lease
        turn = self.pace.turn(used)
        request = self._to(url, lease, headers, files, most, turn)
        if self._access is not None and (access := self._access.of(url)) is not None:
            request = self._with_access(request, access, carried, jar)
        elif carried:
            request = replace(request, headers=headers + cookies.header(carried, url, self._clock.now()))
        fetched = await self._spooled(request)
        if fetched.unanswered:
            return self._ask_again(fetched)
        if self._unanswered:
            self._unanswered.pop(url, None)
        if turn is not None:
            if turn.refused and not fetched.sent:
                return replace(fetched, outcome=Outcome.DEFERRED, detail=turn.refused)
            self.pace.hear(used, fetched)
        return fetched

    def cookies_of(self, fetched: Fetched) -> tuple[Cookie, ...]:
        """Return the cookies of an answer that are to be kept: where there is a jar."""
        if self._access is None or (access := self._access.of(fetched.url)) is None or not access.keeps_cookies:
            return ()
        return cookies.received(fetched.url, fetched.all_headers("set-cookie"), self._clock.now())

    def _with_access(self, request: Request, access: Access, carried: tuple[Cookie, ...], jar: tuple[Cookie, ...]) -> Request:
        """Add what the rules say; cookies that are kept, or that somebody gave us, are secrets like passwords."""
        kept = access.cookies + (jar if access.keeps_cookies else ())
        cookie = cookies.header(kept + carried, request.url, self._clock.now())
        return replace(
            request,
            headers=access.headers + request.headers + (() if kept else cookie),
            secrets=access.secrets + (tuple([(name, Secret(value)) for name, value in cookie]) if kept else ()),
            certificate=access.certificate,
            proxy=access.proxy,
        )

    async def _spooled(self, request: Request) -> Fetched:
        try:
            fetched = await self._fetch(request)
        except StoreError as error:  # fetchers have no other store
            raise SpoolError(str(error)) from error
        try:
            fetched.body.flush()
        except OSError as error:
            fetched.body.close()
            raise SpoolError(f"a temporary file failed ({error.strerror}); make room where TMPDIR points to") from error
        return fetched

    def _to(
        self,
        url: str,
        lease: Lease,
        headers: tuple[tuple[str, str], ...],
        files: bool,
        most: int | None,
        turn: PacedTurn | None,
    ) -> Request:
        return Request(
            url=url,
            user_agent=self.agent(lease),
            headers=headers,
            insecure=self._insecure if lease.policy.insecure is None else lease.policy.insecure,
            until=min(lease.until, lease.start_by),
            pages=self._pages if files else None,
            max_body=most,
            turn=turn,
        )

    def _ask_again(self, fetched: Fetched) -> Fetched:
        """Return what a request comes to that a kept connection left unanswered."""
        before = self._unanswered.pop(fetched.url, 0)
        if before == MOST_UNANSWERED:
            return fetched
        self._unanswered[fetched.url] = before + 1
        if len(self._unanswered) > MOST_PAGES:
            del self._unanswered[next(iter(self._unanswered))]
        return replace(fetched, outcome=Outcome.DEFERRED)

    def _fetch(self, request: Request) -> Coroutine[Any, Any, Fetched]:
        """Send a request; a scheme without a fetcher is an outcome like any other."""
        scheme, _, _ = request.url.partition(":")
        fetcher = self._fetchers.get(scheme)
        return self._unsupported(request, scheme) if fetcher is None else fetcher.fetch(request)

    async def _unsupported(self, request: Request, scheme: str) -> Fetched:
        now = self._clock.now()
        return Fetched(
            url=request.url,
            outcome=Outcome.UNSUPPORTED,
            detail=f"no fetcher for {scheme}:",
            body=Body.of(b""),
            started=now,
            answered=now,
            ended=now,
            sent=False,
        )
