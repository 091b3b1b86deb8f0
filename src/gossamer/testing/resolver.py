"""The rules of every resolver, and one that answers from a table.

A rule takes a bench: a way to open a fresh resolver, one name it knows and one it does not.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from gossamer.joints.resolver import Addresses, Resolver

NOW = 1_700_000_000.0


class ResolverBench(Protocol):
    """Opens resolvers of one kind."""

    known: str  # a name
    addresses: frozenset[str]  # that it has
    unknown: str  # a name that does not exist

    async def open(self) -> Resolver:
        """Open a fresh resolver; the rule closes it."""
        ...


class StaticResolver:
    """Knows the names it was given and no other; counts what it was asked."""

    def __init__(self, addresses: Mapping[str, tuple[str, ...]]) -> None:
        self._addresses = addresses
        self.asked: list[str] = []

    async def resolve(self, host: str, now: float) -> Addresses:
        self.asked.append(host)
        if ":" in host or host.replace(".", "").isdigit():
            return Addresses((host,))
        found = self._addresses.get(host, ())
        return Addresses(found, "" if found else f"no address for {host}: the name does not exist", not found)

    async def aclose(self) -> None:
        """Do nothing: nothing is held open."""


async def a_known_name_has_its_addresses_and_no_error(bench: ResolverBench) -> None:
    """Check the plain case."""
    resolver = await bench.open()
    try:
        answer = await resolver.resolve(bench.known, NOW)
        assert set(answer.addresses) == bench.addresses, answer
        assert answer.error == ""
        assert not answer.final
    finally:
        await resolver.aclose()


async def an_unknown_name_has_a_reason_and_no_address(bench: ResolverBench) -> None:
    """Check that a failure is an answer, not an exception, and says that asking again is no use."""
    resolver = await bench.open()
    try:
        answer = await resolver.resolve(bench.unknown, NOW)
        assert answer.addresses == (), answer
        assert bench.unknown in answer.error
        assert answer.final
    finally:
        await resolver.aclose()


async def an_address_resolves_to_itself(bench: ResolverBench) -> None:
    """Check literals of both families."""
    resolver = await bench.open()
    try:
        for address in ("192.0.2.7", "2001:db8::7"):
            assert (await resolver.resolve(address, NOW)).addresses == (address,)
    finally:
        await resolver.aclose()


async def many_may_ask_at_once_and_one_may_leave(bench: ResolverBench) -> None:
    """Check that a cancelled question harms no other."""
    resolver = await bench.open()
    try:
        asking = [asyncio.create_task(resolver.resolve(bench.known, NOW)) for _ in range(5)]
        await asyncio.sleep(0)
        asking[0].cancel()
        answers = await asyncio.gather(*asking, return_exceptions=True)
        for answer in answers[1:]:
            assert isinstance(answer, Addresses), answer
            assert set(answer.addresses) == bench.addresses
    finally:
        await resolver.aclose()


async def it_may_be_closed_twice(bench: ResolverBench) -> None:
    """Check that closing again does nothing."""
    resolver = await bench.open()
    await resolver.aclose()
    await resolver.aclose()


RULES: tuple[Callable[[ResolverBench], Awaitable[None]], ...] = (
    a_known_name_has_its_addresses_and_no_error,
    an_unknown_name_has_a_reason_and_no_address,
    an_address_resolves_to_itself,
    many_may_ask_at_once_and_one_may_leave,
    it_may_be_closed_twice,
)
