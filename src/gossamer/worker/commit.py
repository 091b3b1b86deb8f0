"""The commit: finished visits whose bytes are safe in the archive become durable everywhere else, several at a time.

Order: content digest and catalog row, then the frontier's settlement with the discovered links in one atomic write; last what a
robots.txt said, whose sitemaps and delay the frontier has by then. A crash between two steps repeats the visit; it never loses
one. Whatever is handed in while a commit is under way, by one worker or several, shares the next. This is the node's half of a
settlement; the worker's half, which comes before, is in `settle.py`.
"""

import asyncio
from collections.abc import Sequence

from gossamer import faults
from gossamer.clock import Clock
from gossamer.durability import Gathering
from gossamer.protocols import Catalog, Deduper, Frontier, Robots
from gossamer.records import Visit
from gossamer.worker.checkpoint import Stillness
from gossamer.worker.events import Events, VisitEnded


class Committer:
    """Writes visits down in the right order, and tells whoever watches."""

    def __init__(
        self,
        deduper: Deduper,
        catalog: Catalog,
        frontier: Frontier,
        robots: Robots,
        stillness: Stillness,
        events: Events,
        clock: Clock,
    ) -> None:
        self._deduper = deduper
        self._catalog = catalog
        self._frontier = frontier
        self._robots = robots
        self._stillness = stillness
        self._events = events
        self._clock = clock
        self._commits = Gathering(self._write)

    async def commit(self, visits: Sequence[Visit]) -> bool:
        """Write digests and catalog, then the frontier, then robots.txt; safe to repeat."""
        return await self._commits.share(visits)

    async def _write(self, parts: list[Sequence[Visit]]) -> bool:
        visits = [visit for part in parts for visit in part]
        settlements = [visit.settlement for visit in visits]
        async with self._stillness:
            await asyncio.gather(  # one wait for the disk instead of two: of these, neither has to be first
                self._deduper.commit([visit.claim for visit in visits if visit.claim]),
                self._catalog.add([visit.page for visit in visits if visit.page]),
            )
            faults.reach("before-commit")
            accepted = await self._frontier.settle(settlements, self._clock.now())
            faults.reach("after-commit")
        await self._robots.keep([visit.learned for visit in visits if visit.learned])
        for visit in visits:
            self._events.publish(VisitEnded(visit))
        return accepted == len(settlements)
