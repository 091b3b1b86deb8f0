"""Jars: the cookies of domains, kept by the node for all workers; a row a domain, read when a URL of it is leased.

A jar is durable before the visit is settled that filled it: whatever is found on a page is asked for with its cookies.
"""

from collections.abc import Sequence

from msgspec.msgpack import Decoder, Encoder

from gossamer.joints.keyvalue import KeyValue
from gossamer.policy import cookies
from gossamer.records.visit import Cookie, Visit
from gossamer.url.host import registrable_domain

_PLACE = "cookies/"  # and the domain
_KEY = b"jar"
_encode = Encoder().encode
_decode = Decoder(tuple[Cookie, ...]).decode


class CookieJars:
    """The cookies that are kept, by domain."""

    def __init__(self, kv: KeyValue) -> None:
        self._kv = kv

    async def of(self, host: str) -> tuple[Cookie, ...]:
        """Return the cookies of a host's domain."""
        row = await self._kv.at(_PLACE + registrable_domain(host)).get(_KEY)
        return _decode(row) if row is not None else ()

    async def note(self, visits: Sequence[Visit], now: float) -> None:
        """Keep what visits gained."""
        for visit in visits:
            if visit.gained:
                host = visit.settlement.lease.entry.host
                jar = cookies.kept(await self.of(host), visit.gained, now)
                await self._kv.at(_PLACE + registrable_domain(host)).put(_KEY, _encode(jar))
