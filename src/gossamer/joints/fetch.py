"""The joint of fetchers: one protocol each."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from gossamer.clock import Clock
from gossamer.config.sections import Fetch
from gossamer.joints.resolver import Resolver
from gossamer.records.fetch import Fetched, Request


@runtime_checkable
class Fetcher(Protocol):
    """One protocol: a request out, exact bytes back. Follows no redirect, and awaits the request's `turn` before it leaves."""

    def __init__(self, settings: Fetch, resolver: Resolver, guard: Callable[[str], str], clock: Clock) -> None:
        """Take the settings `[fetch]`, who resolves names, and who says why an address may not be contacted (empty: it may)."""

    async def fetch(self, request: Request) -> Fetched:
        """Send a request; whatever becomes of it is an outcome of the answer."""

    async def aclose(self) -> None:
        """Close what is still connected."""
