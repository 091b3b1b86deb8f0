"""Requests: who we say we are, to whom, and which fetcher speaks the protocol."""

from collections.abc import Coroutine, Mapping
from typing import Any

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.document.body import Body
from gossamer.protocols import Fetcher
from gossamer.records import Fetched, Lease, Outcome, Request


class Requests:
    """Composes requests and sends each with the fetcher of its scheme."""

    def __init__(
        self, settings: Settings, fetchers: Mapping[str, Fetcher], user_agent: str, clock: Clock, pages: frozenset[str]
    ) -> None:
        self._insecure = settings.fetch.insecure
        self._fetchers = fetchers
        self._user_agent = user_agent
        self._clock = clock
        self._pages = pages  # MIME types with the limits of a page

    def agent(self, lease: Lease) -> str:
        """Return the user agent for a host: its policy's, or the crawl's."""
        return lease.policy.user_agent or self._user_agent

    def to(self, url: str, lease: Lease, headers: tuple[tuple[str, str], ...] = (), files: bool = False) -> Request:
        """Compose a request for a URL under a lease; `files`: what is no page has the limits of a file."""
        return Request(
            url=url,
            user_agent=self.agent(lease),
            headers=headers,
            insecure=self._insecure if lease.policy.insecure is None else lease.policy.insecure,
            until=lease.until,
            pages=self._pages if files else None,
        )

    def fetch(self, request: Request) -> Coroutine[Any, Any, Fetched]:
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
