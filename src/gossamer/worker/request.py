"""Requests: who we say we are, to whom, and which fetcher speaks the protocol."""

from collections.abc import Mapping

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.document.body import Body
from gossamer.protocols import Fetcher
from gossamer.records import Fetched, Lease, Outcome, Request


class Requests:
    """Composes requests and sends each with the fetcher of its scheme."""

    def __init__(self, settings: Settings, fetchers: Mapping[str, Fetcher], user_agent: str, clock: Clock) -> None:
        self._insecure = settings.fetch.insecure
        self._fetchers = fetchers
        self._user_agent = user_agent
        self._clock = clock

    def agent(self, lease: Lease) -> str:
        """Return the user agent for a host: its policy's, or the crawl's."""
        return lease.policy.user_agent or self._user_agent

    def to(self, url: str, lease: Lease, headers: tuple[tuple[str, str], ...] = ()) -> Request:
        """Compose a request for a URL under a lease."""
        insecure = self._insecure if lease.policy.insecure is None else lease.policy.insecure
        return Request(url=url, user_agent=self.agent(lease), headers=headers, insecure=insecure, until=lease.until)

    async def fetch(self, request: Request) -> Fetched:
        """Send a request; a scheme without a fetcher is an outcome like any other."""
        fetcher = self._fetchers.get(request.url.partition(":")[0])
        if fetcher is not None:
            return await fetcher.fetch(request)
        now = self._clock.now()
        detail = f"no fetcher for {request.url.partition(':')[0]}:"
        nothing = Body.of(b"")
        return Fetched(
            url=request.url,
            outcome=Outcome.UNSUPPORTED,
            detail=detail,
            body=nothing,
            started=now,
            answered=now,
            ended=now,
            sent=False,
        )
