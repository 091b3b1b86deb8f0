"""The commit: finished visits whose bytes are safe in the archive become durable everywhere else, several at a time.

Order: what a list says of other pages (once the list itself is in the catalog, it says nothing new), then content digest,
catalog row (first of these where a page takes another's place, `succession.py`), edges of the link graph and the chronicle, in
one wait for the disk; then the frontier's settlement with the discovered links in one atomic write, then the chronicle's mark
(`chronicler.py`); last what a robots.txt said, whose sitemaps and delay the frontier has by then. A crash between two steps
repeats the visit; it never loses one. Whatever is handed in while a commit is under way, by one worker or several, shares the
next, which begins when the visits of the last one only have to be settled. Where there are several, it waits a moment for the
others too: a commit costs as much for the visits of one as for those of all.

A bug of ours that strikes here costs one URL at most: a step that fails for no store's fault is repeated visit by visit, and
the one that fails alone ends for it, without its answer and its links. Only where nothing else happens any more does the crawl
end.
This is the node's half of a settlement; the worker's half, which comes before, is in `settle.py`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from gossamer import faults
from gossamer.clock import Clock
from gossamer.durability import Gathering
from gossamer.edges import unpack
from gossamer.errors import ENDING, NOT_LOST, CannotGoOn
from gossamer.joints.catalog import Catalog
from gossamer.joints.frontier import Frontier
from gossamer.joints.graph import LinkGraph
from gossamer.joints.lessons import Lessons
from gossamer.joints.robots import Robots
from gossamer.joints.sameness import Deduper, NearDuplicates
from gossamer.node.briefing import RevisitPrice
from gossamer.node.chains import Chains
from gossamer.node.checkpoint import CommitPause
from gossamer.node.chronicler import Chronicler, ToldBlock
from gossamer.node.jars import CookieJars
from gossamer.node.recall import Recall
from gossamer.node.succession import Successions, first_texts
from gossamer.records.item import Harvest
from gossamer.records.lease import Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.visit import Studied, Visit
from gossamer.url.fingerprint import fingerprint, hashed
from gossamer.visit.arrivals import Arrivals
from gossamer.visit.settle import struck
from gossamer.watch.events import Events, Slowed, VisitsEnded, bug

_Done = TypeVar("_Done")
BUG = Outcome.BUG
MOST_STRUCK = 100  # visits of more than one host in a row that may end for a bug: it is not theirs then


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
        commit_pause: CommitPause,
        events: Events,
        clock: Clock,
        revisit_price: RevisitPrice | None = None,
        recall: Recall | None = None,
        *,
        arrivals: Arrivals,
        chains: Chains,
        chronicler: Chronicler,
        jars: CookieJars | None = None,
        credit: bool = False,
        is_shared: bool = False,  # by several workers
    ) -> None:
        self._arrivals = arrivals
        self._chains = chains
        self._chronicler = chronicler
        self._jars = jars
        self._revisit_price = revisit_price  # with `recall`, of a crawl that goes on for ever
        self._recall = recall
        self._credit = credit  # the frontier moves it along links
        self._deduper = deduper
        self._near = near
        self._lessons = lessons
        self._catalog = catalog
        self._successions = Successions(deduper, near, catalog)
        self._graph = graph
        self._frontier = frontier
        self._robots = robots
        self._commit_pause = commit_pause
        self._events = events
        self._clock = clock
        self._commits = Gathering(self._write, linger=is_shared, size=len)
        self._struck: list[str] = []  # hosts of the last visits, as long as all of them ended for a bug

    async def commit(self, visits: Sequence[Visit]) -> bool:
        """Write digests and catalog, then the frontier, then robots.txt; safe to repeat."""
        return await self._commits.share(visits)

    async def _write(self, parts: list[Sequence[Visit]]) -> bool:
        async with self._commit_pause:
            described = await self._sparing([visit for part in parts for visit in part], self._describe, _undescribed)
            self._commits.free()  # the next may be written down while these are settled: one wait for the disk less each
            faults.reach("before-commit")
            settled = [
                done
                for studied, told in described
                for done in await self._sparing(studied.visits, partial(self._settle, told), _unsettled)
            ]
            faults.reach("after-commit")
            visits = [visit for some, _ in settled for visit in some]
            await self._follow_up([studied for studied, _ in described], visits)
        self._events.publish(VisitsEnded(visits))
        self._watch(visits)
        return sum(accepted for _, accepted in settled) == len(visits) and not any(_is_struck(visit) for visit in visits)

    async def _describe(self, visits: Sequence[Visit]) -> tuple[Studied, ToldBlock | None]:
        """Write down everything that is said of visits, but for what became of their URLs, and tell the chronicle."""
        succeeded = await self._successions.of(visits)
        studied = await self._lessons.study(succeeded.visits, self._clock.now())
        visits = studied.visits
        await self._arrivals.note(visits, self._events)
        await self._chains.note(visits, self._clock.now())
        if self._jars is not None:
            await self._jars.note(visits, self._clock.now())
        if self._recall is not None:
            await self._recall.note(visits, self._clock.now())
        pages, harvests = _pages(visits), _harvests(visits)
        if succeeded.heirs:
            await self._catalog.add([*pages, *succeeded.formers], succeeded.heirs, harvests)
            pages = []
        told, *written = await asyncio.gather(  # one wait for the disk instead of several: of these, none has to be first
            self._chronicler.tell(visits, self._clock.now()),
            self._deduper.commit([visit.claim for visit in visits if visit.claim]),
            self._near.commit(first_texts(visits), [*succeeded.members, *[visit.twin for visit in visits if visit.twin]]),
            self._lessons.keep(studied),
            self._catalog.add(pages, (), harvests),
            self._graph.put(_edges(visits), _hosts(visits)),
            return_exceptions=True,  # so that none goes on when this is repeated
        )
        problems = [each for each in (told, *written) if isinstance(each, BaseException)]
        if problems and isinstance(told, ToldBlock):
            self._chronicler.settled(told, accepted=0)
        for problem in sorted(problems, key=lambda each: not isinstance(each, ENDING)):
            raise problem
        assert isinstance(told, ToldBlock)
        return studied, told

    async def _settle(self, told: ToldBlock | None, visits: Sequence[Visit]) -> tuple[Sequence[Visit], int]:
        """Settle visits; return them and how many leases were still theirs. Those of a step that failed are told anew."""
        if told is None or told.visits is not visits:
            told = await self._chronicler.tell(visits, self._clock.now())
        settlements, accepted = [_with_links(visit) if self._credit else visit.settlement for visit in visits], 0
        try:
            accepted = await self._frontier.settle(settlements, told.at)
        finally:
            self._chronicler.settled(told, accepted)
        return visits, accepted

    async def _follow_up(self, studies: Sequence[Studied], visits: Sequence[Visit]) -> None:
        """Do what only follows from visits: without it nothing is missing, or it is done again."""
        try:
            await self._chronicler.clear_doubts()
            if any(_is_struck(visit) for visit in visits):  # the catalog may say otherwise
                await self._catalog.add(_pages([visit for visit in visits if _is_struck(visit)]))
            for host, (seconds, reason) in [each for studied in studies for each in studied.slow.items()]:
                await self._frontier.block(host, self._clock.now() + seconds, reason)
                self._events.publish(Slowed(host, seconds, reason))
            await self._robots.keep([visit.learned for visit in visits if visit.learned])
            if self._revisit_price is not None:
                await self._revisit_price.note(visits, self._clock.now())
        except ENDING:
            raise
        except Exception as error:  # noqa: BLE001 - what a bug may cost: nothing that lasts
            self._events.publish(bug(error, f"following up {_told(visits)}"))

    # --- bugs of ours ------------------------------------------------------------------------------------------------

    async def _sparing(
        self,
        visits: Sequence[Visit],
        step: Callable[[Sequence[Visit]], Awaitable[_Done]],
        without: Callable[[Visit, Exception], _Done],
        alone: bool = False,
    ) -> list[_Done]:
        """Take a step with visits; should a bug strike, with each of them alone; should it again, with that one ended for it.

        Should it strike even then, there is what is done `without` the step.
        """
        try:
            return [await step(visits)]
        except ENDING:
            raise
        except Exception as error:  # noqa: BLE001 - what a bug may cost: one visit of those that are committed together
            self._events.publish(bug(error, f"committing {_told(visits)}"))
            if alone and _is_struck(visits[0]):
                return [without(visits[0], error)]
            if alone:
                visits = [await self._strike(visits[0], error)]
        return [done for visit in visits for done in await self._sparing([visit], step, without, alone=True)]

    async def _strike(self, visit: Visit, error: Exception) -> Visit:
        """End a visit for a bug; what it claimed or learned is nobody's."""
        if visit.claim is not None:
            digest, page = visit.claim
            self._deduper.release(digest, page)
            await self._deduper.forget([(digest, page.key, page.fetched_at)])
            if visit.likeness is not None:
                self._near.release(visit.likeness, page)
        if visit.learned:
            self._robots.forget(visit.learned)
        return struck(visit.settlement.lease, error)

    def _watch(self, visits: Sequence[Visit]) -> None:
        """End the crawl when all visits end for bugs, whatever their host: it would only use them up."""
        if not all(_is_struck(visit) for visit in visits):
            self._struck.clear()
            return
        self._struck += [visit.settlement.lease.entry.host for visit in visits]
        if len(self._struck) >= MOST_STRUCK and len(set(self._struck)) > 1:
            last = visits[-1].settlement.reason
            raise CannotGoOn(f"{len(self._struck)} visits in a row met a bug of ours, the last one {last}; {NOT_LOST}")


def _is_struck(visit: Visit) -> bool:
    return visit.settlement.outcome is BUG


def _undescribed(visit: Visit, error: Exception) -> tuple[Studied, ToldBlock | None]:
    """Let only chronicle and frontier know what became of a URL."""
    return Studied([visit], {}, [], {}), None


def _unsettled(visit: Visit, error: Exception) -> tuple[Sequence[Visit], int]:
    """Give up: a frontier that cannot even note that a URL is dead cannot be written."""
    reason = f"{type(error).__name__}: {error}"
    raise CannotGoOn(f"a bug of ours strikes whatever is settled ({reason}); {NOT_LOST}") from error


def _told(visits: Sequence[Visit]) -> str:
    return visits[0].settlement.lease.entry.url if len(visits) == 1 else f"{len(visits)} visits"


def _pages(visits: Sequence[Visit]) -> list[Page]:
    """Return the rows of visits, each with the token of its lease."""
    return [replace(visit.page, token=visit.settlement.lease.token) for visit in visits if visit.page]


def _harvests(visits: Sequence[Visit]) -> dict[str, Harvest]:
    """Return what readers found, by the keys of their pages."""
    return {visit.page.key: visit.harvest for visit in visits if visit.harvest is not None and visit.page is not None}


def _edges(visits: Sequence[Visit]) -> list[tuple[int, bytes]]:
    """Return the pages that were read, by their fingerprints, and what they link to."""
    return [(fingerprint(visit.settlement.lease.entry.key), visit.edges) for visit in visits if visit.edges is not None]


def _hosts(visits: Sequence[Visit]) -> list[int]:
    """Return whose these pages are."""
    return [hashed(visit.settlement.lease.entry.host) for visit in visits if visit.edges is not None]


def _with_links(visit: Visit) -> Settlement:
    """Return a settlement that says whom its page links; one that did not change since its last visit was not read again."""
    settlement, edges = visit.settlement, visit.edges
    if edges is None:
        return replace(settlement, links=None) if settlement.lease.again else settlement
    return replace(settlement, links=tuple([target for target, _, _ in unpack(edges)]))
