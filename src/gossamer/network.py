"""What reaches the network, built: names to addresses, the guard of addresses, and fetchers and sinks that use both."""

from collections.abc import Callable
from typing import Any

from gossamer.clock import Clock
from gossamer.config.sections import Settings
from gossamer.dns.cache import CachingResolver
from gossamer.dns.guard import AddressGuard
from gossamer.dns.resolver import DnsResolver
from gossamer.joints.fetch import Fetcher
from gossamer.joints.resolver import Resolver
from gossamer.joints.sink import Sink
from gossamer.records.sinkuri import SinkUri
from gossamer.registry import choose, keys


def make_addressing(settings: Settings) -> tuple[CachingResolver, Callable[[str], str]]:
    """Build what finds the addresses of hosts, and what says why one may not be contacted."""
    return CachingResolver(DnsResolver(settings.dns), settings.dns), AddressGuard(settings.fetch.allow_private).refusal


def make_fetchers(settings: Settings, resolver: Resolver, guard: Callable[[str], str], clock: Clock) -> dict[str, Fetcher]:
    """Build one fetcher per class, named by every scheme it speaks."""
    made: dict[Any, Fetcher] = {}
    by_scheme = {}
    for scheme in keys("fetcher"):
        chosen = choose("fetcher", scheme)
        if chosen not in made:
            made[chosen] = chosen(settings.fetch, resolver, guard, clock)
        by_scheme[scheme] = made[chosen]
    return by_scheme


def make_sink(uri: SinkUri, secret: str, settings: Settings, resolver: Resolver, guard: Callable[[str], str]) -> Sink:
    """Build what tells a consumer; nothing is connected yet."""
    made: Sink = choose("sink", uri.scheme)(uri, secret, settings.fetch, resolver, guard)
    return made
