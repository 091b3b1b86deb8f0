"""Whether the seeds of a crawl may be contacted at all, looked at before it begins: a crawl of nothing but addresses that are
refused would only end with nothing.

The guard of every connection decides (`dns/guard.py`), here as there. Most addresses are known without asking anybody. Name
servers are asked only when every seed could turn out to be refused, and not waited for: the crawl asks again.
"""

import asyncio
from collections.abc import Callable, Sequence, Set

from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.errors import UsageError
from gossamer.joints.resolver import Addresses
from gossamer.network import make_addressing
from gossamer.url.parse import Url

ASKED = 10  # names that are asked for at most
PATIENCE = 2.0  # seconds until nobody waits for an answer


def refused_seeds(seeds: Sequence[Url], settings: Settings) -> list[str]:
    """Return a sentence about each seed that may not be contacted; raise `UsageError` when no other is left."""
    refusals = asyncio.run(_refusals({_host(seed) for seed in seeds}, settings))
    refused = [(seed, reason) for seed in seeds if (reason := refusals.get(_host(seed), ""))]
    if len(refused) == len(seeds):
        (first, reason), others = refused[0], len(refused) - 1
        also = f", nor are {others:,} other seeds" if others else ""
        raise UsageError(f"{first.wire} is not contacted{also}: {reason}")
    return [f"{seed.wire} is not contacted: {reason}" for seed, reason in refused]


def _host(seed: Url) -> str:
    """Return whom a seed leads to; an empty text: nobody that a name server knows."""
    return seed.host if seed.scheme in ("http", "https") else ""


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
