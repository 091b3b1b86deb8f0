"""The simulated crawl: the real frontier, admission and price of a visit on a virtual clock, one request at a time.

The budget gives a request each so many seconds; the frontier says whose turn it is, if it is anybody's. What is fetched is a
page of a generated web, and a strategy says when it is due again. All is settled at once: nothing here takes time but waiting.

What was fetched before the simulation begins goes through the same frontier, in the days before: by then each page waits for
the date that the strategy gave it.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from math import inf

import numpy as np
from msgspec import Struct

from gossamer.assemble import Stores
from gossamer.jobs.simulate.plan import DAY
from gossamer.jobs.simulate.ranking import Ranking
from gossamer.jobs.simulate.strategy import Strategy
from gossamer.jobs.simulate.web import SimulatedWeb
from gossamer.policy.priority import due_again
from gossamer.policy.recrawl import Appointment
from gossamer.records.entry import Entry, Link, LinkKind
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.visit import Visit
from gossamer.url.fingerprint import fingerprint

BEGIN = 1e9  # Unix seconds: the rules take a date before 1970 for a mistake
WORKER = "simulated"
AT_ONCE = 1000  # pages that were fetched before, in one step
TOLD = 500  # requests between two signs of life
EXACT = 1e-3  # seconds: dates this large are exact to a ten-thousandth of it

Log = Callable[[str], object]
Tell = Callable[[int], object]


class Visits(Struct, frozen=True):
    """Every request of a simulated crawl in order, and when every page was found."""

    pages: list[int]
    times: list[float]
    found: list[float]  # infinity: never
    idle: int = 0  # requests that the budget allowed and nobody was due for
    late: int = 0  # pages due at the end
    hasty: int = 0  # requests that came sooner than their host allows


class SimulatedCrawl:
    """One simulated crawl."""

    def __init__(
        self, web: SimulatedWeb, strategy: Strategy, stores: Stores, log: Log | None = None, tell: Tell | None = None
    ) -> None:
        settings, polite = stores.settings, stores.settings.politeness
        self._web = web
        self._strategy = strategy
        self._stores = stores
        self._frontier = stores.frontier
        self._log = log
        self._tell = tell
        self._born: list[float] = web.born.tolist()
        self._last: list[float] = web.fetched.tolist()
        self._dated: list[bool] = web.dated.tolist()
        self._changes = web.change_times()
        self._change_starts: list[int] = web.change_starts.tolist()
        self._links: list[int] = web.links.tolist()
        self._link_starts: list[int] = web.link_starts.tolist()
        self._host: list[int] = web.host.tolist()
        self._delay: list[float] = np.maximum(np.minimum(web.delay, polite.max_robots_delay), polite.delay).tolist()
        self._asked = [-inf] * web.plan.hosts  # when each host was
        self._found = [inf] * web.plan.pages
        self._due = [inf] * web.plan.pages
        self._names = [fingerprint(self._url(page)) for page in range(web.plan.pages)]
        self._has_credit = settings.crawl.order == "opic"
        self._ranking = Ranking(web, self._names, settings.score) if settings.crawl.order == "priority" else None

    async def run(self) -> Visits:
        """Crawl until the time is over."""
        plan, lease = self._web.plan, self._frontier.lease
        await self._begin()
        pages: list[int] = []
        times: list[float] = []
        hasty = 0
        for tick in range(1, plan.requests + 1):
            now = tick / plan.budget
            if self._tell is not None and tick % TOLD == 0:
                self._tell(TOLD)
            leased = (await lease(WORKER, 1, BEGIN + now)).leases
            if not leased:
                continue
            page = _page_in(leased[0].entry)
            pages.append(page)
            times.append(now)
            hasty += self._is_hasty(page, now)
            await self._visit(leased[0], page, now)
        late = sum(due <= plan.seconds for due in self._due)
        return Visits(pages, times, self._found, plan.requests - len(pages), late, hasty)

    def _is_hasty(self, page: int, now: float) -> bool:
        host = self._host[page]
        before, self._asked[host] = self._asked[host], now
        return now - before < self._delay[host] - EXACT

    # --- before the beginning ----------------------------------------------------------------------------------------

    async def _begin(self) -> None:
        """Bring the frontier to where it is when the simulation begins: what was fetched before waits, the rest is found."""
        frontier = self._frontier
        entries = self._reached()
        fetched = [entry for entry in entries if self._last[_page_in(entry)] > -inf]
        delay = self._stores.settings.politeness.delay
        longest = int(np.bincount(self._web.host).max()) * delay
        now = BEGIN - self._web.plan.cycle * DAY - longest - DAY  # early enough for nobody to be due yet
        left = (await frontier.discover(fetched, now)).new
        while left:
            given = await frontier.lease(WORKER, AT_ONCE, now)
            await frontier.settle([self._before(lease, now) for lease in given.leases], now)
            left -= len(given.leases)
            now += delay
        for host, seconds in enumerate(self._web.delay.tolist()):
            if seconds:
                await frontier.pace(_host_name(host), seconds)
        found = [entry for entry in entries if self._found[_page_in(entry)] == 0.0]
        await frontier.discover(found, BEGIN)

    def _reached(self) -> list[Entry]:
        """Return an entry for each page that there is, by the shortest way from the seeds; note what is found at first."""
        admission, seeds = self._stores.admission, self._web.seeds.tolist()
        entries = [admission.seed(self._url(page)) for page in seeds]
        reached = set(seeds)
        for page in seeds:
            self._found[page] = 0.0
        for entry in entries:
            page = _page_in(entry)
            was_fetched = self._last[page] > -inf
            if was_fetched:
                self._found[page] = self._last[page]
            targets = [target for target in self._targets(page) if self._born[target] <= 0]
            if was_fetched:
                for target in targets:
                    self._found[target] = min(self._found[target], 0.0)
            new = [target for target in dict.fromkeys(targets) if target not in reached]
            reached.update(new)
            entries += admission.admit([Link(self._url(target), LinkKind.ANCHOR) for target in new], entry)
        return entries

    def _before(self, lease: Lease, now: float) -> Settlement:
        page = _page_in(lease.entry)
        fetched = self._last[page]
        then = self._strategy.first(page, self._modified(page, fetched), BEGIN + fetched, self._stores.revisit_price.threshold)
        self._due[page] = then.due - BEGIN
        if self._ranking is not None:
            self._ranking.read(page)
        return self._settlement(lease, page, then, now, ())

    # --- a visit -----------------------------------------------------------------------------------------------------

    async def _visit(self, lease: Lease, page: int, now: float) -> None:
        last, moment, threshold = self._last[page], BEGIN + now, self._stores.revisit_price.threshold
        modified_at = self._modified(page, now)
        if last == -inf:
            changed = True
            then = self._strategy.first(page, modified_at, moment, threshold)
        else:
            changed = self._changed_at(page, now) > last
            then = self._strategy.again(page, now - last, changed, modified_at, moment, threshold)
        self._last[page] = now
        self._due[page] = then.due - BEGIN
        found = self._discovered(lease.entry, page, now) if changed else ()
        settlement = self._settlement(lease, page, then, moment, found, is_read=changed)
        await self._frontier.settle((settlement,), moment)
        elapsed = 0.0 if last == -inf else now - last
        await self._stores.revisit_price.note([Visit(settlement=settlement, page=PAGE, elapsed=elapsed)], moment)
        if last == -inf and self._ranking is not None and self._ranking.read(page):
            await self._frontier.promote(self._ranking.best(now))
        if self._log is not None:
            finding = "new" if last == -inf else "changed" if changed else "same"
            self._log(f"{now:.3f} {page} {finding} {then.due - BEGIN:.3f}\n")

    def _discovered(self, entry: Entry, page: int, now: float) -> Sequence[Entry]:
        new = [target for target in self._targets(page) if self._found[target] == inf and self._born[target] <= now]
        if not new:
            return ()
        for target in new:
            self._found[target] = now
        return self._stores.admission.admit([Link(self._url(target), LinkKind.ANCHOR) for target in dict.fromkeys(new)], entry)

    def _settlement(
        self, lease: Lease, page: int, then: Appointment, now: float, found: Sequence[Entry], is_read: bool = True
    ) -> Settlement:
        links: tuple[int, ...] | None = None
        if self._has_credit and is_read:
            links = tuple([self._names[target] for target in self._targets(page)])
        return Settlement(
            lease=lease,
            fate=Fate.AGAIN,
            outcome=Outcome.OK,
            due=then.due,
            score=due_again(then.worth, self._stores.settings.score),
            answer=Answer(at=now),
            discovered=tuple(found),
            links=links,
        )

    # --- what there is to see ----------------------------------------------------------------------------------------

    def _targets(self, page: int) -> list[int]:
        return self._links[self._link_starts[page] : self._link_starts[page + 1]]

    def _changed_at(self, page: int, now: float) -> float:
        """Return when a page last changed."""
        starts = self._change_starts
        return self._changes[bisect_right(self._changes, now, starts[page], starts[page + 1]) - 1]

    def _modified(self, page: int, now: float) -> float | None:
        return BEGIN + self._changed_at(page, now) if self._dated[page] else None

    def _url(self, page: int) -> str:
        return f"http://{_host_name(self._host[page])}/{page}"


def _host_name(host: int) -> str:
    return f"h{host}.example"


def _page_in(entry: Entry) -> int:
    return int(entry.url.rpartition("/")[2])


PAGE = Page(url="", key="", host="", outcome=Outcome.OK)  # the price of a visit counts visits that brought one
