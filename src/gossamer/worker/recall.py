"""Recall: pages that a sitemap or a feed says have changed since they were visited are due at once.

Only what such a list says anew counts: claims that are newer than the visit of the list before. A list is a page like any
other, so it is read again on a clock of its own.
"""

from collections.abc import Callable, Sequence

from gossamer.protocols import Frontier
from gossamer.url.parse import Url, split
from gossamer.visit import Visit


class Recall:
    """Brings pages back that are said to have changed."""

    def __init__(self, frontier: Frontier, key_of: Callable[[Url], str]) -> None:
        self._frontier = frontier
        self._key_of = key_of

    async def note(self, visits: Sequence[Visit], now: float) -> int:
        """Hear what durable visits say about other pages; return how many are due sooner for it."""
        keys = []
        for visit in visits:
            if visit.hints and visit.elapsed:
                since = visit.settlement.lease.leased_at - visit.elapsed
                changed = (hint.url for hint in visit.hints if hint.modified_at is not None and hint.modified_at > since)
                keys += [(self._key_of(split(url)), now) for url in changed]
        return await self._frontier.revisit(keys, now) if keys else 0
