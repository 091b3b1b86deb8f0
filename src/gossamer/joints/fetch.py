"""The joint of fetchers: one protocol each."""

from typing import Protocol, runtime_checkable

from gossamer.records.fetch import Fetched, Request


@runtime_checkable
class Fetcher(Protocol):
    """One protocol: a request out, exact bytes back. Follows no redirect, and awaits the request's `turn` before it leaves."""

    async def fetch(self, request: Request) -> Fetched: ...

    async def aclose(self) -> None: ...
