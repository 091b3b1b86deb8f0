"""A server that says exactly what it is told, and fetchers that are closed again."""

from collections.abc import AsyncIterator, Callable

import pytest

from gossamer.clock import SystemClock
from gossamer.config.sections import Fetch
from gossamer.dns.guard import AddressGuard
from gossamer.fetchers import http
from gossamer.fetchers.http import HttpFetcher
from gossamer.testing.fetcher import RawServer
from gossamer.testing.resolver import StaticResolver

NAMES = {
    "site.example": ("127.0.0.1",),
    "other.example": ("127.0.0.1",),
    "dotted.example": ("127.0.0.1",),
}


@pytest.fixture
async def server() -> AsyncIterator[RawServer]:
    async with RawServer() as running:
        yield running


@pytest.fixture(params=["ourselves", "libcurl"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let plain HTTP be spoken by ourselves, as it is, or by libcurl, as TLS is: both have to read the same."""
    if request.param == "libcurl":
        monkeypatch.setattr(http, "_is_odd_literal", lambda host, addresses: True)
    return str(request.param)


@pytest.fixture
async def make(way: str) -> AsyncIterator[Callable[..., HttpFetcher]]:
    """Build fetchers that may talk to loopback unless told otherwise."""
    made = []

    def build(
        names: dict[str, tuple[str, ...]] | None = None, guard: Callable[[str], str] | None = None, **knobs: object
    ) -> HttpFetcher:
        settings = Fetch(**({"allow_private": ("127.0.0.0/8", "::1/128")} | knobs))
        guard = guard or AddressGuard(settings.allow_private).refusal
        made.append(HttpFetcher(settings, StaticResolver(NAMES | (names or {})), guard, SystemClock()))
        return made[-1]

    yield build
    for fetcher in made:
        await fetcher.aclose()


@pytest.fixture
def fetcher(make: Callable[..., HttpFetcher]) -> HttpFetcher:
    return make()
