"""Real questions to a real name server: addresses of both families, their time to live, and every way to fail."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pycares
import pytest
from dnslib import RCODE

from gossamer.config.sections import Dns
from gossamer.dns.answer import DnsAnswer
from gossamer.dns.resolver import DnsResolver
from gossamer.errors import ConfigError


@pytest.fixture
async def make(zone: Any) -> AsyncIterator[Callable[..., DnsResolver]]:
    made = []

    def build(**knobs: object) -> DnsResolver:
        made.append(DnsResolver(Dns(**({"servers": (zone.server,), "timeout": 0.3} | knobs))))
        return made[-1]

    yield build
    for resolver in made:
        await resolver.aclose()


@pytest.fixture
def resolver(make: Callable[..., DnsResolver]) -> DnsResolver:
    return make()


async def test_a_name_has_the_addresses_of_both_families_and_the_shortest_time_to_live(
    zone: Any, resolver: DnsResolver
) -> None:
    zone.records["a.example"] = [("A", "192.0.2.1", 300), ("A", "192.0.2.2", 200), ("AAAA", "2001:db8::1", 100)]
    answer = await resolver.lookup("a.example")
    assert set(answer.addresses) == {"192.0.2.1", "192.0.2.2", "2001:db8::1"}
    assert len(answer.addresses) == 3
    assert answer.ttl == 100
    assert (answer.error, answer.final) == ("", False)


async def test_an_alias_is_followed_and_its_time_to_live_counts(zone: Any, resolver: DnsResolver) -> None:
    zone.records["www.example"] = [("CNAME", "cdn.example", 30)]
    zone.records["cdn.example"] = [("A", "192.0.2.1", 300)]
    assert await resolver.lookup("www.example") == DnsAnswer(("192.0.2.1",), 30.0)


async def test_a_name_that_does_not_exist_is_final(resolver: DnsResolver) -> None:
    answer = await resolver.lookup("none.example")
    assert answer == DnsAnswer(error="no address for none.example: the name does not exist", final=True)


async def test_a_name_without_addresses_is_final(zone: Any, resolver: DnsResolver) -> None:
    zone.records["mail.example"] = []
    answer = await resolver.lookup("mail.example")
    assert answer == DnsAnswer(error="no address for mail.example: the name has no address", final=True)


@pytest.mark.parametrize(("code", "reason"), [(RCODE.SERVFAIL, "failed"), (RCODE.REFUSED, "refused")])
async def test_a_server_that_fails_may_be_asked_again(zone: Any, resolver: DnsResolver, code: int, reason: str) -> None:
    zone.failing["sick.example"] = code
    answer = await resolver.lookup("sick.example")
    assert answer.addresses == ()
    assert not answer.final
    assert reason in answer.error
    del zone.failing["sick.example"]
    zone.records["sick.example"] = [("A", "192.0.2.1", 300)]
    assert (await resolver.lookup("sick.example")).addresses == ("192.0.2.1",)


async def test_a_server_that_is_silent_is_waited_for_only_so_long(zone: Any, make: Callable[..., DnsResolver]) -> None:
    zone.silent.add("mute.example")
    answer = await asyncio.wait_for(make(timeout=0.1).lookup("mute.example"), 5)
    assert answer == DnsAnswer(error="no address for mute.example: no name server answered in time")


async def test_no_server_at_all_may_pass(make: Callable[..., DnsResolver]) -> None:
    answer = await asyncio.wait_for(make(servers=("127.0.0.1:1",), timeout=0.1).lookup("a.example"), 5)
    assert answer.addresses == ()
    assert not answer.final


async def test_search_domains_are_never_tried(zone: Any, resolver: DnsResolver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALDOMAIN", "search.example")
    zone.records["intranet.search.example"] = [("A", "192.0.2.1", 300)]
    assert (await resolver.lookup("intranet")).addresses == ()
    assert {name for name, _ in zone.asked} == {"intranet"}


@pytest.mark.parametrize("name", ["a..example", "x" * 64 + ".example", ("a" * 60 + ".") * 5 + "example", "ä\ud800.example", ""])
async def test_what_is_no_name_is_final_and_raises_nothing(resolver: DnsResolver, name: str) -> None:
    answer = await asyncio.wait_for(resolver.lookup(name), 5)
    assert answer.addresses == ()
    assert answer.final
    assert answer.error


async def test_the_hosts_file_is_read_when_no_server_is_configured(make: Callable[..., DnsResolver]) -> None:
    assert "127.0.0.1" in (await make(servers=()).lookup("localhost")).addresses


async def test_the_system_answers_when_c_ares_cannot_start(
    make: Callable[..., DnsResolver], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise pycares.AresError("no")

    monkeypatch.setattr(pycares, "Channel", fail)
    resolver = make(servers=())
    answer = await resolver.lookup("localhost")
    assert "127.0.0.1" in answer.addresses
    assert len(set(answer.addresses)) == len(answer.addresses)
    assert (await resolver.lookup("a..b")).error


@pytest.mark.parametrize("server", ["ns.example", "192.0.2.1:0", "192.0.2.1:99999", "192.0.2.1:x", "[::1", "[::1]:x", ""])
def test_what_is_no_name_server_is_refused_by_name(server: str) -> None:
    with pytest.raises(ConfigError, match="is no name server"):
        DnsResolver(Dns(servers=(server,)))


@pytest.mark.parametrize("server", ["192.0.2.1", "192.0.2.1:53", "::1", "[::1]", "[::1]:53"])
def test_name_servers_are_addresses_with_or_without_a_port(server: str) -> None:
    assert DnsResolver(Dns(servers=(server,)))


async def test_closing_ends_the_lookups_under_way(zone: Any, make: Callable[..., DnsResolver]) -> None:
    zone.silent.add("mute.example")
    resolver = make(timeout=30)
    asking = asyncio.create_task(resolver.lookup("mute.example"))
    while not zone.asked:
        await asyncio.sleep(0.001)
    await resolver.aclose()
    assert (await asyncio.wait_for(asking, 5)).addresses == ()
