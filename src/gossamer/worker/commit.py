"""The commit: finished visits whose bytes are safe in the archive become durable everywhere else, several at a time.

Order: what a list says of other pages (once the list itself is in the catalog, it says nothing new), then content digest,
catalog row and edges of the link graph, then the frontier's settlement with the discovered links in one
atomic write; last what a robots.txt said, whose sitemaps and delay the frontier has by then. A crash between two steps repeats
the visit; it never loses one. Whatever is handed in while a commit is under way, by one worker or several, shares the next,
which begins when the visits of the last one only have to be settled.
This is the node's half of a settlement; the worker's half, which comes before, is in `settle.py`.
"""

import asyncio
from collections.abc import Sequence

from msgspec.structs import replace

from gossamer import faults
from gossamer.clock import Clock
from gossamer.durability import Gathering
from gossamer.edges import unpack
from gossamer.likeness import Likeness
from gossamer.protocols import Catalog, Deduper, Frontier, Lessons, LinkGraph, NearDuplicates, Robots
from gossamer.records import Original, Settlement
from gossamer.url.fingerprint import fingerprint
from gossamer.visit import Visit
from gossamer.worker.arrivals import Arrivals
from gossamer.worker.briefing import Thrift
from gossamer.worker.chains import Chains
from gossamer.worker.checkpoint import Stillness
from gossamer.worker.events import Events, Slowed, VisitsEnded
from gossamer.worker.recall import Recall


class Committer:
    """Writes visits down in the right order, and tells whoever watches."""

    def __init__(
        self,
        deduper: Deduper,
        near: NearDuplicates,
        lessons: Lessons,
        catalog: Catalog,
        graph: LinkGraph,
        frontier: Frontier,
        robots: Robots,
        stillness: Stillness,
        events: Events,
        clock: Clock,
        thrift: Thrift | None = None,
        recall: Recall | None = None,
        *,
        arrivals: Arrivals,
        chains: Chains,
        credit: bool = False,
    ) -> None:
        self._arrivals = arrivals
        self._chains = chains
        self._thrift = thrift  # with `recall`, of a crawl that goes on for ever
        self._recall = recall
        self._credit = credit  # the frontier moves it along links
        self._deduper = deduper
        self._near = near
        self._lessons = lessons
        self._catalog = catalog
        self._graph = graph
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
        studied = await self._lessons.study([visit for part in parts for visit in part], self._clock.now())
        visits = studied.visits
        settlements = [_with_links(visit) if self._credit else visit.settlement for visit in visits]
        async with self._stillness:
            await self._arrivals.note(visits, self._events)
            await self._chains.note(visits, self._clock.now())
            if self._recall is not None:
                await self._recall.note(visits, self._clock.now())
            await asyncio.gather(  # one wait for the disk instead of several: of these, none has to be first
                self._deduper.commit([visit.claim for visit in visits if visit.claim]),
                self._near.commit(_first_texts(visits)),
                self._near.join([visit.twin for visit in visits if visit.twin]),
                self._lessons.keep(studied),
                self._catalog.add([visit.page for visit in visits if visit.page]),
                self._graph.put(_edges(visits), _hosts(visits)),
            )
            self._commits.free()  # the next may be written down while these are settled: one wait for the disk less each
            faults.reach("before-commit")
            accepted = await self._frontier.settle(settlements, self._clock.now())
            faults.reach("after-commit")
            for host, (seconds, reason) in studied.slow.items():
                await self._frontier.block(host, self._clock.now() + seconds, reason)
                self._events.publish(Slowed(host, seconds, reason))
        await self._robots.keep([visit.learned for visit in visits if visit.learned])
        if self._thrift is not None:
            await self._thrift.note(visits, self._clock.now())
        self._events.publish(VisitsEnded(visits))
        return accepted == len(settlements)


def _first_texts(visits: Sequence[Visit]) -> list[tuple[Likeness, Original]]:
    """Return the texts that nobody had before, and who has them."""
    return [
        (visit.likeness, visit.claim[1])
        for visit in visits
        if visit.likeness is not None and visit.claim is not None and visit.twin is None
    ]


def _edges(visits: Sequence[Visit]) -> list[tuple[int, bytes]]:
    """Return the pages that were read, by their fingerprints, and what they link to."""
    return [(fingerprint(visit.settlement.lease.entry.key), visit.edges) for visit in visits if visit.edges is not None]


def _hosts(visits: Sequence[Visit]) -> list[int]:
    """Return whose these pages are."""
    return [fingerprint(visit.settlement.lease.entry.host) for visit in visits if visit.edges is not None]


def _with_links(visit: Visit) -> Settlement:
    """Return a settlement that says whom its page links; one that did not change since its last visit was not read again."""
    settlement, edges = visit.settlement, visit.edges
    if edges is None:
        return replace(settlement, links=None) if settlement.lease.again else settlement
    return replace(settlement, links=tuple([target for target, _, _ in unpack(edges)]))
