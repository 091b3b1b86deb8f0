"""Every resolver keeps the rules of `gossamer.testing.resolver`."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest
from dnslib import QTYPE, RCODE, RR, A, DNSRecord
from dnslib.server import BaseResolver, DNSServer

from gossamer.config.sections import Dns
from gossamer.dns.cache import CachingResolver
from gossamer.dns.resolver import DnsResolver
from gossamer.joints.resolver import Resolver
from gossamer.testing.resolver import RULES, ResolverBench, StaticResolver

ADDRESSES = frozenset({"192.0.2.1", "192.0.2.2"})


class OneName(BaseResolver):
    """Knows `known.example` and no other."""

    def resolve(self, request: DNSRecord, handler: object) -> DNSRecord:
        reply = request.reply()
        if str(request.q.qname) != "known.example.":
            reply.header.rcode = RCODE.NXDOMAIN
        elif QTYPE[request.q.qtype] == "A":
            for address in ADDRESSES:
                reply.add_answer(RR("known.example", QTYPE.A, ttl=60, rdata=A(address)))
        return reply


class Quiet:
    """A log that says nothing."""

    def __getattr__(self, name: str) -> object:
        return lambda *_: None


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    running = DNSServer(OneName(), address="127.0.0.1", port=0, logger=Quiet())
    running.start_thread()
    yield f"127.0.0.1:{running.server.server_address[1]}"
    running.stop()
    running.server.server_close()


class DnsBench:
    """Our resolver, asking a real name server."""

    known, addresses, unknown = "known.example", ADDRESSES, "unknown.example"

    def __init__(self, server: str) -> None:
        self._settings = Dns(servers=(server,))

    async def open(self) -> Resolver:
        return CachingResolver(DnsResolver(self._settings), self._settings)


class StaticBench:
    """The fake."""

    known, addresses, unknown = "known.example", ADDRESSES, "unknown.example"

    async def open(self) -> Resolver:
        return StaticResolver({"known.example": tuple(ADDRESSES)})


@pytest.fixture(params=["dns", "static"])
def bench(request: pytest.FixtureRequest, server: str) -> ResolverBench:
    return DnsBench(server) if request.param == "dns" else StaticBench()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_every_resolver_keeps_the_rule(rule: Callable[[ResolverBench], Awaitable[None]], bench: ResolverBench) -> None:
    await asyncio.wait_for(rule(bench), 20)


async def test_every_resolver_looks_like_its_joint(bench: ResolverBench) -> None:
    resolver = await bench.open()
    assert isinstance(resolver, Resolver)
    await resolver.aclose()
