"""The ranker: while a crawl runs, what still waits is ranked by the links that lead to it, and the best of it moves ahead.

The link graph is the witness of everything that was "found again": it has every link of every page, also those to URLs that
wait. It is ranked when it has grown by a quarter since the last time, so all rankings of a crawl together take as long as five
of the whole graph would. That happens on a thread; then the frontier hears of the best, some at a time: not more than may be
fetched until the next ranking, because what is behind these would not be reached; and nothing at all where so little waits that
all of it has its turn until then, whatever its place: it takes 25 us to move a URL.

Ranks are advice: a crawl that cannot compute them says so once and goes on without.
"""

import asyncio
from collections.abc import Awaitable, Callable
from math import inf

from gossamer.config.sections import Score
from gossamer.errors import GossamerError
from gossamer.joints.frontier import Frontier
from gossamer.joints.graph import GraphRanking
from gossamer.policy import priority
from gossamer.watch.events import Event, Events, Trouble, VisitsEnded, bug

GROWTH = 1.25
SHARE = 0.75  # of the fetches until the next ranking
AT_ONCE = 500  # URLs that move ahead in one step: twelve milliseconds, a sixth less for each than with 200


def share(pages: int) -> int:
    """Return how many URLs may move ahead when so many pages were read; the other fetches are for what is found meanwhile."""
    return int(pages * (GROWTH - 1) * SHARE)


class Ranker:
    """Counts pages, ranks, and tells the frontier."""

    def __init__(
        self,
        ranks: GraphRanking,
        frontier: Frontier,
        weights: Score,
        pages: int,
        ranked: int,
        events: Events,
        renewed: Callable[[], Awaitable[None]],
    ) -> None:
        self._ranks = ranks
        self._frontier = frontier
        self._weights = weights
        self._events = events
        self._renewed = renewed  # called when there are new ranks
        self._pages = pages  # that were read so far
        self._next: float = max(weights.rank_after, ranked * GROWTH)  # `ranked`: read when a run before this one ranked
        self._ranking: asyncio.Task[None] | None = None
        events.subscribe(self._count)

    def _count(self, event: Event) -> None:
        if isinstance(event, VisitsEnded):
            self._pages += event.read
            if self._pages >= self._next:
                self._next = inf
                self._ranking = asyncio.get_running_loop().create_task(self._rank(self._pages))

    async def _rank(self, pages: int) -> None:
        try:
            best = await self._ranks.renew(share(pages), priority.LEAST_RANK)
            await self._renewed()
            if self._ranks.is_full or (await self._frontier.statistics()).waiting > pages * (GROWTH - 1):
                await self._promote(best)
        except GossamerError as error:
            self._events.publish(Trouble(f"{error}; the crawl goes on without ranking what waits"))
            return
        except Exception as error:  # noqa: BLE001 - what a bug may cost: the order of what waits
            self._events.publish(bug(error, "ranking what waits; the crawl goes on without"))
            return
        if not self._ranks.is_full:
            self._next = pages * GROWTH

    async def _promote(self, best: list[tuple[int, float, int]]) -> None:
        for start in range(0, len(best), AT_ONCE):
            some = best[start : start + AT_ONCE]
            await self._frontier.promote([(name, *priority.linked(rank, hosts, self._weights)) for name, rank, hosts in some])
            await asyncio.sleep(0)

    async def aclose(self) -> None:
        """Cancel an unfinished ranking; the next run begins it again."""
        if self._ranking is not None:
            self._ranking.cancel()
            await asyncio.wait([self._ranking])
