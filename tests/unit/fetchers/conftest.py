"""A server that says exactly what it is told, and fetchers that are closed again; both in the clear and over TLS."""

import ssl
from collections.abc import AsyncIterator, Callable

import pytest
import trustme

from gossamer.clock import SystemClock
from gossamer.config.sections import Fetch
from gossamer.dns.guard import AddressGuard
from gossamer.fetchers.http import HttpFetcher
from gossamer.testing.fetcher import RawServer
from gossamer.testing.resolver import StaticResolver

NAMES = {
    "site.example": ("127.0.0.1",),
    "other.example": ("127.0.0.1",),
    "dotted.example": ("127.0.0.1",),
}
ADDRESSES = ("127.0.0.1", "127.0.0.2", "127.0.0.3", "::1")
MORE_NAMES = ("mixed.example", *(f"h{number}.example" for number in range(6)))


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="session")
def trusted(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write down the certificate of the authority."""
    path = tmp_path_factory.mktemp("trust") / "ca.pem"
    authority.cert_pem.write_to_path(str(path))
    return str(path)


@pytest.fixture(scope="session")
def certificate(authority: trustme.CA) -> ssl.SSLContext:
    """A server's context with a certificate for every name and address that tests ask for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*NAMES, *MORE_NAMES, *ADDRESSES).configure_cert(context)
    return context


@pytest.fixture(params=["clear", "tls"])
def way(request: pytest.FixtureRequest) -> str:
    """Every promise holds over TCP as it is, and over TLS."""
    return str(request.param)


@pytest.fixture
def serving(way: str, certificate: ssl.SSLContext) -> Callable[..., RawServer]:
    """Return what makes servers that speak this way."""

    def make_server(address: str = "127.0.0.1", port: int = 0) -> RawServer:
        return RawServer(address, port, tls=certificate if way == "tls" else None)

    return make_server


@pytest.fixture
async def server(serving: Callable[..., RawServer]) -> AsyncIterator[RawServer]:
    async with serving() as running:
        yield running


@pytest.fixture
async def make(trusted: str) -> AsyncIterator[Callable[..., HttpFetcher]]:
    """Build fetchers that may talk to loopback unless told otherwise."""
    made = []

    def build(
        names: dict[str, tuple[str, ...]] | None = None, guard: Callable[[str], str] | None = None, **knobs: object
    ) -> HttpFetcher:
        settings = Fetch(**({"allow_private": ("127.0.0.0/8", "::1/128"), "ca_file": trusted} | knobs))
        guard = guard or AddressGuard(settings.allow_private).refusal
        made.append(HttpFetcher(settings, StaticResolver(NAMES | (names or {})), guard, SystemClock()))
        return made[-1]

    yield build
    for fetcher in made:
        await fetcher.aclose()


@pytest.fixture
def fetcher(make: Callable[..., HttpFetcher]) -> HttpFetcher:
    return make()
