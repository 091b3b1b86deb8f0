"""What is known is not asked again while it is good; what is asked is asked once."""

import asyncio

import pytest

from gossamer.config.sections import Dns
from gossamer.dns.answer import DnsAnswer
from gossamer.dns.cache import CachingResolver, DnsStatistics
from gossamer.joints.resolver import Addresses

NOW = 1_700_000_000.0


class Source:
    """Answers what it is told to, when it is told to."""

    def __init__(self, *answers: DnsAnswer) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.go = asyncio.Event()
        self.go.set()
        self.closed = 0

    async def lookup(self, host: str) -> DnsAnswer:
        self.asked.append(host)
        await self.go.wait()
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    async def aclose(self) -> None:
        self.closed += 1


def found(address: str = "192.0.2.1", ttl: float = 300.0) -> DnsAnswer:
    return DnsAnswer((address,), ttl)


async def test_an_answer_is_good_for_its_time_to_live_and_no_longer() -> None:
    source = Source(found("192.0.2.1", 300), found("192.0.2.2", 300))
    resolver = CachingResolver(source, Dns())
    for later, address in ((0, "192.0.2.1"), (299.9, "192.0.2.1"), (300, "192.0.2.2"), (599, "192.0.2.2")):
        assert (await resolver.resolve("a.example", NOW + later)).addresses == (address,)
    assert source.asked == ["a.example"] * 2
    assert resolver.statistics() == DnsStatistics(names=1, hits=2, lookups=2)


@pytest.mark.parametrize(("ttl", "good_for"), [(0, 60), (59, 60), (100, 100), (10_000_000, 86400)])
async def test_a_time_to_live_is_kept_within_its_bounds(ttl: float, good_for: float) -> None:
    source = Source(found(ttl=ttl))
    resolver = CachingResolver(source, Dns(min_ttl=60, max_ttl=86400))
    await resolver.resolve("a.example", NOW)
    await resolver.resolve("a.example", NOW + good_for - 0.1)
    assert len(source.asked) == 1
    await resolver.resolve("a.example", NOW + good_for)
    assert len(source.asked) == 2


@pytest.mark.parametrize(("final", "good_for"), [(True, 300), (False, 5)])
async def test_a_failure_is_remembered_long_when_final_and_for_seconds_when_it_may_pass(final: bool, good_for: float) -> None:
    source = Source(DnsAnswer(error="no", final=final), found())
    resolver = CachingResolver(source, Dns(negative_ttl=300))
    assert await resolver.resolve("a.example", NOW) == Addresses((), "no", final)
    assert await resolver.resolve("a.example", NOW + good_for - 0.1) == Addresses((), "no", final)
    assert (await resolver.resolve("a.example", NOW + good_for)).addresses == ("192.0.2.1",)
    assert len(source.asked) == 2


async def test_a_name_is_asked_for_once_however_many_want_it() -> None:
    source = Source(found())
    source.go.clear()
    resolver = CachingResolver(source, Dns())
    asking = [asyncio.create_task(resolver.resolve("a.example", NOW)) for _ in range(100)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert source.asked == ["a.example"]
    source.go.set()
    assert {answer.addresses for answer in await asyncio.gather(*asking)} == {("192.0.2.1",)}
    assert source.asked == ["a.example"]


async def test_whoever_asked_first_may_leave_without_harm_to_the_others() -> None:
    source = Source(found())
    source.go.clear()
    resolver = CachingResolver(source, Dns())
    first, second = (asyncio.create_task(resolver.resolve("a.example", NOW)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    source.go.set()
    assert (await second).addresses == ("192.0.2.1",)
    assert first.cancelled()
    assert (await resolver.resolve("a.example", NOW)).addresses == ("192.0.2.1",)
    assert source.asked == ["a.example"]


async def test_the_name_unused_the_longest_is_forgotten_first() -> None:
    source = Source(found())
    resolver = CachingResolver(source, Dns(cache=2))
    for host in ("a.example", "b.example", "a.example", "c.example", "a.example", "b.example"):
        await resolver.resolve(host, NOW)
    assert source.asked == ["a.example", "b.example", "c.example", "b.example"]
    assert resolver.statistics().names == 2


@pytest.mark.parametrize(
    ("host", "addresses"),
    [
        ("192.0.2.9", ("192.0.2.9",)),
        ("2001:db8::9", ("2001:db8::9",)),
        ("[2001:DB8::9]", ("2001:db8::9",)),
        ("fixed.example", ("192.0.2.7",)),
        ("a.wild.example", ("2001:db8::7",)),
    ],
)
async def test_literals_and_overrides_are_answered_at_once(host: str, addresses: tuple[str, ...]) -> None:
    source = Source(found())
    resolver = CachingResolver(source, Dns(overrides=("fixed.example:192.0.2.7", "*.wild.example:[2001:db8::7]")))
    assert await resolver.resolve(host, NOW) == Addresses(addresses)
    assert source.asked == []
    assert resolver.statistics().names == 0


@pytest.mark.parametrize("host", ["localhost", "localhost.", "any.localhost", "a.b.localhost."])
async def test_a_name_of_this_machine_is_loopback_whatever_a_server_would_say(host: str) -> None:
    source = Source(found())
    assert (await CachingResolver(source, Dns()).resolve(host, NOW)).addresses == ("127.0.0.1", "::1")
    assert source.asked == []
    written = Dns(overrides=(f"{host}:192.0.2.9",))
    assert (await CachingResolver(source, written).resolve(host.rstrip("."), NOW)).addresses == ("192.0.2.9",)


@pytest.mark.parametrize("host", ["localhost.example", "notlocalhost", "my-localhost"])
async def test_a_name_that_only_sounds_like_this_machine_is_asked_for(host: str) -> None:
    source = Source(found())
    assert (await CachingResolver(source, Dns()).resolve(host, NOW)).addresses == ("192.0.2.1",)
    assert source.asked == [host]


@pytest.mark.parametrize("host", ["1.2.3", "1.2.3.4.5", "0x7f.1", "192.0.2.999", "host.example1"])
async def test_what_only_looks_like_an_address_is_asked_for(host: str) -> None:
    source = Source(found())
    await CachingResolver(source, Dns()).resolve(host, NOW)
    assert source.asked == [host]


async def test_closing_gives_up_what_is_asked_and_closes_the_source() -> None:
    source = Source(found())
    source.go.clear()
    resolver = CachingResolver(source, Dns())
    asking = asyncio.create_task(resolver.resolve("a.example", NOW))
    await asyncio.sleep(0)
    await resolver.aclose()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert source.closed == 1


async def test_a_source_that_breaks_is_asked_again_next_time() -> None:
    class Broken(Source):
        async def lookup(self, host: str) -> DnsAnswer:
            if not self.asked:
                self.asked.append(host)
                raise OSError("broken")
            return await super().lookup(host)

    source = Broken(found())
    resolver = CachingResolver(source, Dns())
    with pytest.raises(OSError, match="broken"):
        await resolver.resolve("a.example", NOW)
    assert (await resolver.resolve("a.example", NOW)).addresses == ("192.0.2.1",)
