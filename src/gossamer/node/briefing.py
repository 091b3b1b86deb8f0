"""Briefing: what a worker is told with a lease: what was learned about its host, and what its page was the last time.

The node keeps the price of a visit (`recrawl.threshold`) too: once an hour it is set anew by how many pages were due again, how
many were visited and how many may be (`policy/recrawl.py`). It is durable, so that a resumed crawl goes on where it was.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from gossamer.config.sections import Recrawl
from gossamer.joints.catalog import Catalog
from gossamer.joints.keyvalue import RUN, KeyValue
from gossamer.joints.lessons import Teaching
from gossamer.node.jars import CookieJars
from gossamer.node.recall import claimed_interval
from gossamer.policy import recrawl
from gossamer.policy.change import RATES
from gossamer.records.entry import Priority
from gossamer.records.lease import Lease
from gossamer.records.page import Page, Place
from gossamer.records.visit import Chain, Lesson, Visit

HOUR = 3600.0
DAY = 86400.0
TIERS = {None: 1.0, Priority.HIGH: 2.0, Priority.MEDIUM: 1.0, Priority.LOW: 0.5}  # importance of pages by their host's class
_KEY = b"recrawl/threshold"


class RevisitPrice:
    """The price of a visit to a page that is due again."""

    def __init__(self, kv: KeyValue, catalog: Catalog, settings: Recrawl, now: float) -> None:
        self._kv = kv.at(RUN)
        self._catalog = catalog
        self._settings = settings
        self._began = now
        self._asked = self._late = 0.0
        self._fetched = 0
        self.threshold = 0.0

    async def load(self) -> None:
        """Take up the price where it was left."""
        stored = await self._kv.get(_KEY)
        self.threshold = float(stored) if stored else recrawl.first_threshold(self._settings.interval, 1.0, RATES)

    async def note(self, visits: Sequence[Visit], now: float) -> None:
        """Count visits that are durable; once an hour, steer."""
        for visit in visits:
            settlement = visit.settlement
            if settlement.lease.again and visit.page is not None:
                self._fetched += 1
                if settlement.lease.due is not None:  # arrivals times waiting is how many wait: Little's law, by the hour
                    self._late += max(settlement.lease.leased_at - settlement.lease.due, 0.0) / HOUR
                if settlement.due is not None and settlement.due > now:
                    self._asked += visit.elapsed / (settlement.due - now)
        if now - self._began >= HOUR:
            await self._steer(now)

    async def _steer(self, now: float) -> None:
        settings = self._settings
        a_day = (
            settings.budget if settings.budget is not None else (await self._catalog.totals()).pages * DAY / settings.interval
        )
        allowed = a_day * (now - self._began) / DAY
        self.threshold = recrawl.steer(self.threshold, self._asked, self._fetched, self._late, allowed)
        self._began, self._asked, self._late, self._fetched = now, 0.0, 0.0, 0
        await self._kv.put(_KEY, repr(self.threshold).encode())


class Briefing:
    """Tells a worker all there is to know about a leased URL."""

    def __init__(
        self,
        lessons: Teaching,
        catalog: Catalog,
        kv: KeyValue,
        revisit_price: RevisitPrice,
        forever: bool,
        rank_of: Callable[[str], float],
        chain_of: Callable[[str], Chain | None],
        jars: CookieJars | None = None,
    ) -> None:
        self._jars = jars  # None: no rule of requests says that cookies are kept
        self._chain_of = chain_of  # cookies of the redirects that led to a key
        self._kv = kv
        self._rank_of = rank_of  # of a key, in the link graph: 1 is the average, 0 is not known
        self._forever = forever
        self._lessons = lessons
        self._catalog = catalog
        self._revisit_price = revisit_price

    async def consult(self, leases: Sequence[Lease]) -> Sequence[Lesson]:
        """Say of each what was learned, and what the page was the last time."""
        lessons = await self._lessons.consult(leases)
        chains = [self._chain_of(lease.entry.key) for lease in leases]
        if any(chains):
            lessons = [replace(lesson, chain=chain) if chain else lesson for lesson, chain in zip(lessons, chains, strict=True)]
        if self._jars is not None:
            jars = [await self._jars.of(lease.entry.host) for lease in leases]
            lessons = [replace(lesson, jar=jar) if jar else lesson for lesson, jar in zip(lessons, jars, strict=True)]
        if not self._forever and not any([lease.again for lease in leases]):
            return lessons  # nearly always: nobody was here before
        return [await self._told(lease, lesson) for lease, lesson in zip(leases, lessons, strict=True)]

    async def _told(self, lease: Lease, lesson: Lesson) -> Lesson:
        previous = await self._catalog.get(lease.entry.key) if lease.again else None
        if previous is None and not self._forever:
            return lesson
        importance = (self._rank_of(lease.entry.key) or lease.entry.score) * TIERS[lease.policy.priority]
        claimed = await claimed_interval(self._kv, lease.entry.host, lease.entry.key) if previous is None else None
        return replace(
            lesson,
            previous=previous,
            threshold=self._revisit_price.threshold,
            importance=importance,
            claimed_interval=claimed,
            content=await self._content_of(previous) if previous is not None and previous.duplicate_of else None,
        )

    async def _content_of(self, copy: Page) -> Place | None:
        """Return where the bytes of a copy are kept; None: by themselves, or under a key that is another than its URL."""
        kept = [version.place for version in await self._catalog.versions(copy.duplicate_of) if version.digest == copy.digest]
        return kept[-1] if kept else None
