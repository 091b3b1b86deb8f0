"""Names already looked up: good for as long as their records say, within bounds; failures are remembered too.

- IP literals, the operator's overrides and the names of this machine are answered at once and never asked for.
- At most one lookup of a name is under way. Whoever waits for it may be cancelled without harm to the others.
- At most `dns.cache` names are remembered; the one unused the longest is forgotten first.
- A failure that may pass (a server that does not answer) is remembered only for seconds, so that a retry is a retry.

Negative caching follows RFC 2308 and RFC 9520, `localhost` RFC 6761 section 6.3. Time is the `now` of whoever asks.
"""

import asyncio
from collections import OrderedDict
from functools import lru_cache
from ipaddress import ip_address

from msgspec import Struct

from gossamer.config.sections import Dns
from gossamer.dns.answer import DnsAnswer, Source
from gossamer.dns.overrides import Overrides
from gossamer.joints.resolver import Addresses
from gossamer.url.host import is_local

_LOOPBACK = ("127.0.0.1", "::1")
_PASSING_TTL = 5.0  # how long a failure that may pass is remembered


class _Known(Struct, frozen=True):
    until: float
    answer: Addresses


class DnsStatistics(Struct, frozen=True):
    """The cache in numbers."""

    names: int
    hits: int
    lookups: int


class CachingResolver:
    """Remembers what its source answered."""

    def __init__(self, inner: Source, settings: Dns) -> None:
        self._inner = inner
        self._settings = settings
        self._overrides = Overrides(settings.overrides)
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self.given = lru_cache(maxsize=8_192)(self._find_given)
        self._asked: dict[str, asyncio.Task[Addresses]] = {}
        self._hits = 0
        self._lookups = 0

    async def resolve(self, host: str, now: float) -> Addresses:
        """Return the addresses of a host, or none and why."""
        known = self._known.get(host)
        if known is not None and known.until > now:
            self._known.move_to_end(host)
            self._hits += 1
            return known.answer
        given = self.given(host)
        if given is not None:
            return given
        asked = self._asked.get(host)
        if asked is None:
            asked = self._asked[host] = asyncio.create_task(self._ask(host, now))
        return await asyncio.shield(asked)

    def _find_given(self, host: str) -> Addresses | None:
        """Return the addresses of a host whom nobody has to be asked for."""
        given = _literal(host) or self._overrides.find(host) or _loopback(host)
        return Addresses(given) if given else None

    def statistics(self) -> DnsStatistics:
        """Count names, answers from memory and lookups."""
        return DnsStatistics(len(self._known), self._hits, self._lookups)

    async def aclose(self) -> None:
        """Give up the lookups under way and close the source."""
        asked = list(self._asked.values())
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        await self._inner.aclose()

    async def _ask(self, host: str, now: float) -> Addresses:
        """Look a name up and remember the answer."""
        self._lookups += 1
        try:
            found = await self._inner.lookup(host)
        finally:
            del self._asked[host]
        answer = Addresses(found.addresses, found.error, found.final)
        self._known[host] = _Known(now + self._good_for(found), answer)
        self._known.move_to_end(host)
        if len(self._known) > self._settings.cache:
            self._known.popitem(last=False)
        return answer

    def _good_for(self, found: DnsAnswer) -> float:
        """Return for how many seconds an answer is remembered."""
        settings = self._settings
        if found.addresses:
            return min(max(found.ttl, settings.min_ttl), settings.max_ttl)
        return settings.negative_ttl if found.final else min(_PASSING_TTL, settings.negative_ttl)


def _loopback(host: str) -> tuple[str, ...]:
    """Return the loopback addresses for `localhost` and every name below it: nobody else may say where these are."""
    return _LOOPBACK if is_local(host) else ()


def _literal(host: str) -> tuple[str, ...]:
    """Return the address that a host is, if it is one; no name ends in a digit."""
    if not host[-1:].isdigit() and ":" not in host:
        return ()
    try:
        return (str(ip_address(host.removeprefix("[").removesuffix("]"))),)
    except ValueError:
        return ()
