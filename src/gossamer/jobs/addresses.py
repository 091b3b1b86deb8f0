"""Whether the seeds of a crawl may be contacted at all, looked at before it begins: a crawl of nothing but addresses that are
refused would only end with nothing.

The guard of every connection decides (`dns/guard.py`), here as there. Most addresses are known without asking anybody. Name
servers are asked only when every seed could turn out to be refused, and not waited for: the crawl asks again.
"""

import asyncio
from collections.abc import Callable, Sequence, Set

from gossamer.assemble import make_resolver
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.dns.guard import AddressGuard
from gossamer.errors import UsageError
from gossamer.protocols import Addresses
from gossamer.url.parse import Url

ASKED = 10  # names that are asked for at most
PATIENCE = 2.0  # seconds until nobody waits for an answer


def refused_seeds(seeds: Sequence[Url], settings: Settings) -> list[str]:
    """Return a sentence about each seed that may not be contacted; raise `UsageError` when no other is left."""
    known = asyncio.run(_addresses({_host(seed) for seed in seeds}, settings))
    guard = AddressGuard(settings.fetch.allow_private).refusal
    refused = [(seed, reason) for seed in seeds if (reason := _refusal(known.get(_host(seed)), guard))]
    if len(refused) == len(seeds):
        (first, reason), others = refused[0], len(refused) - 1
        also = f", nor are {others:,} other seeds" if others else ""
        raise UsageError(f"{first.wire} is not contacted{also}: {reason}")
    return [f"{seed.wire} is not contacted: {reason}" for seed, reason in refused]


def _host(seed: Url) -> str:
    """Return whom a seed leads to; an empty text: nobody that a name server knows."""
    return seed.host if seed.scheme in ("http", "https") else ""


def _refusal(found: Addresses | None, guard: Callable[[str], str]) -> str:
    """Return why no address of a host may be contacted; an empty text: one may, or none is known."""
    reasons = [guard(address) for address in found.addresses] if found else []
    return reasons[0] if reasons and all(reasons) else ""


async def _addresses(hosts: Set[str], settings: Settings) -> dict[str, Addresses]:
    """Return the addresses of hosts, as far as they are known or quickly found out."""
    resolver, guard = make_resolver(settings), AddressGuard(settings.fetch.allow_private).refusal
    given = {host: resolver.given(host) for host in hosts}
    known = {host: found for host, found in given.items() if found is not None}
    names = sorted(hosts - known.keys())
    try:
        if names and "" not in hosts and len(names) <= ASKED and all(_refusal(found, guard) for found in known.values()):
            async with asyncio.timeout(PATIENCE):
                now = SystemClock().now()
                answers = await asyncio.gather(*(resolver.resolve(name, now) for name in names))
            known |= dict(zip(names, answers, strict=True))
    except TimeoutError:
        pass
    finally:
        await resolver.aclose()
    return known
