"""Recall: pages that a sitemap or a feed says have changed since they were visited are due at once.

Only what such a list says anew counts: that something happened after the list was read before, and by the time it was read now
(a date to come counts when it has come). A claim that names only a day says that the page changed until the end of it, so it
counts again with the end of the day. A page that was visited after that moment is left alone. A list is a page like any other,
so it is read again on a clock of its own.

How often a page changes, as such a list claims, is kept for the first visit of the page, when nothing else is known.
"""

from collections.abc import Callable, Iterator, Sequence

from gossamer.joints.frontier import Frontier
from gossamer.joints.keyvalue import KeyValue
from gossamer.records.visit import Visit
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import Url, split

DAY = 86400.0
BLUR = 60.0  # seconds by which the clocks of a host and ours may differ, and dates be cut short
_PLACE = "claim/"  # and the host


class Recall:
    """Brings pages back that are said to have changed."""

    def __init__(self, frontier: Frontier, kv: KeyValue, key_of: Callable[[Url], str]) -> None:
        self._frontier = frontier
        self._kv = kv
        self._key_of = key_of

    async def note(self, visits: Sequence[Visit], now: float) -> int:
        """Hear what visits say about other pages, before they are settled; return how many are due sooner for it."""
        keys = []
        await self._kv.put_places(self._claims(visits))
        for visit in visits:
            if visit.hints and visit.elapsed:
                for url, moment in _news(visit):
                    key = self._key_of(split(url))
                    known = await self._frontier.lookup(key)
                    if known is not None and (known.settled_at or 0.0) <= moment + BLUR:
                        keys.append((key, now))
        return await self._frontier.revisit(keys, now) if keys else 0

    def _claims(self, visits: Sequence[Visit]) -> dict[str, list[tuple[bytes, bytes]]]:
        places: dict[str, list[tuple[bytes, bytes]]] = {}
        for hint in [hint for visit in visits for hint in visit.hints if hint.interval is not None]:
            url = split(hint.url)
            row = _row(self._key_of(url)), repr(hint.interval).encode()
            places.setdefault(_PLACE + url.host.rstrip("."), []).append(row)
        return places


async def claimed_interval(kv: KeyValue, host: str, key: str) -> float | None:
    """Return the seconds between two changes of a page of a host, as a sitemap or a feed claims."""
    claim = await kv.at(_PLACE + host).get(_row(key))
    return float(claim) if claim else None


def _row(key: str) -> bytes:
    return fingerprint(key).to_bytes(8, "big")


def _news(visit: Visit) -> Iterator[tuple[str, float]]:
    """Walk over the pages of which a list says something new, each with the moment until which that is true."""
    now = visit.settlement.lease.leased_at
    since = now - visit.elapsed
    for hint in visit.hints:
        moment = hint.modified_at
        if moment is not None and moment % DAY == 0 and moment + DAY <= now:
            moment += DAY
        if moment is not None and since < moment <= now:
            yield hint.url, moment
