"""Whether the seeds of a crawl may be contacted at all, looked at before it begins: a crawl of nothing but addresses that are
refused would only end with nothing.

The guard of every connection decides (`dns/guard.py`), here as there. Most addresses are known without asking anybody. Name
servers are asked only when every seed could turn out to be refused, and not waited for: the crawl asks again.
"""

import asyncio
from collections.abc import Callable, Sequence, Set

from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.credentials import read_access
from gossamer.errors import UsageError
from gossamer.filters.access import AccessRules
from gossamer.joints.resolver import Addresses
from gossamer.network import make_addressing
from gossamer.url.host import is_ip, is_local
from gossamer.url.parse import Url

ASKED = 10  # names that are asked for at most
PATIENCE = 2.0  # seconds until nobody waits for an answer


def refused_seeds(seeds: Sequence[Url], settings: Settings) -> list[str]:
    """Return a sentence about each seed that may not be contacted; raise `UsageError` when no other is left."""
    access = read_access(settings)
    hosts = {seed.wire: _host(seed, access) for seed in seeds}
    refusals = asyncio.run(_refusals(set(hosts.values()), settings))
    refused = [(seed, reason) for seed in seeds if (reason := refusals.get(hosts[seed.wire], ""))]
    if len(refused) == len(seeds):
        (first, reason), others = refused[0], len(refused) - 1
        also = f", nor are {others:,} other seeds" if others else ""
        raise UsageError(f"{first.wire} is not contacted{also}: {reason}")
    return [f"{seed.wire} is not contacted: {reason}" for seed, reason in refused]


def _host(seed: Url, access: AccessRules | None) -> str:
    """Return whom a seed leads to; an empty text: nobody that a name server knows, or only a proxy's."""
    if seed.scheme not in ("http", "https"):
        return ""
    found = access.of(seed.wire) if access is not None else None
    is_found_there = found is not None and found.proxy is not None and found.proxy.resolves
    return "" if is_found_there and not is_ip(seed.host) and not is_local(seed.host) else seed.host


async def _refusals(hosts: Set[str], settings: Settings) -> dict[str, str]:
    """Return why hosts may not be contacted, of those whose addresses are known or quickly found out; empty: one may."""
    resolver, guard = make_addressing(settings)
    given = {host: resolver.given(host) for host in hosts}
    refusals = {host: _refusal(found, guard) for host, found in given.items() if found is not None}
    names = sorted(hosts - refusals.keys())
    try:
        if names and "" not in hosts and len(names) <= ASKED and all(refusals.values()):
            async with asyncio.timeout(PATIENCE):
                now = SystemClock().now()
                answers = await asyncio.gather(*(resolver.resolve(name, now) for name in names))
            refusals |= {name: _refusal(found, guard) for name, found in zip(names, answers, strict=True)}
    except TimeoutError:
        pass
    finally:
        await resolver.aclose()
    return refusals


def _refusal(found: Addresses, guard: Callable[[str], str]) -> str:
    """Return why no address of a host may be contacted; an empty text: one may, or there is none."""
    reasons = [guard(address) for address in found.addresses]
    return reasons[0] if reasons and all(reasons) else ""
