"""The simulated crawl: a virtual clock, one request at a time as the budget allows, and a strategy that says when again.

A strategy is the real rules of `policy` with what they have to remember of every page. It sees what a crawler sees: whether a
page had changed since the last visit, and the date its server names. Only `Known` is told the truth.
"""

from bisect import bisect_right
from collections.abc import Callable
from math import inf
from typing import Protocol

from msgspec import Struct

from gossamer.config.sections import Recrawl
from gossamer.freshness import Freshness
from gossamer.jobs.simulate.queue import Queue
from gossamer.jobs.simulate.web import DAY, Web
from gossamer.policy.change import RATES, begun, observed
from gossamer.policy.recrawl import Appointment, adapted, best, due, first_threshold, steer

HOUR = 3600.0

Log = Callable[[str], object]


class Strategy(Protocol):
    """Says when a page is fetched again."""

    def first(self, page: int, modified_at: float | None, now: float) -> Appointment:
        """Return when a page that was fetched for the first time is due again."""
        ...

    def again(self, page: int, seconds: float, changed: bool, modified_at: float | None, now: float) -> Appointment:
        """Return when a page that was fetched again is due the next time."""
        ...

    def steer(self, asked: float, fetched: int, late: int, allowed: int) -> None:
        """Hear how the last hour was, see `policy.recrawl.steer`."""
        ...


class Learned:
    """The real policies, with nothing but what a crawler observes."""

    def __init__(self, web: Web, settings: Recrawl) -> None:
        self._settings = settings
        self._importance: list[float] = web.importance.tolist()
        self._known: dict[int, Freshness] = {}
        self.threshold = first_threshold(web.plan.cycle * DAY, 1.0, RATES)

    def first(self, page: int, modified_at: float | None, now: float) -> Appointment:
        self._known[page] = freshness = begun("text/html", now, modified_at)
        return due(freshness, self._importance[page], now, self._settings, self.threshold)

    def again(self, page: int, seconds: float, changed: bool, modified_at: float | None, now: float) -> Appointment:
        freshness = observed(self._known[page], seconds, changed, modified_at, now)
        self._known[page] = freshness = adapted(freshness, changed, self._settings)
        return due(freshness, self._importance[page], now, self._settings, self.threshold)

    def steer(self, asked: float, fetched: int, late: int, allowed: int) -> None:
        self.threshold = steer(self.threshold, asked, fetched, late, allowed)


class Known:
    """The optimal policy, told every page's true rate."""

    def __init__(self, web: Web, settings: Recrawl) -> None:
        self._settings = settings
        self._importance: list[float] = web.importance.tolist()
        self._rate: list[float] = web.rate.tolist()
        self.threshold = first_threshold(web.plan.cycle * DAY, 1.0, RATES)

    def first(self, page: int, modified_at: float | None, now: float) -> Appointment:
        return best([(self._rate[page], 1.0)], self._importance[page], now, self._settings, self.threshold)

    def again(self, page: int, seconds: float, changed: bool, modified_at: float | None, now: float) -> Appointment:
        return self.first(page, modified_at, now)

    def steer(self, asked: float, fetched: int, late: int, allowed: int) -> None:
        self.threshold = steer(self.threshold, asked, fetched, late, allowed)


class Visits(Struct, frozen=True):
    """Every request of a simulated crawl in order, and when every page was found."""

    pages: list[int]
    times: list[float]
    found: list[float]  # infinity: never
    idle: int  # requests that the budget allowed and nobody was due for
    late: int  # pages due at the end


class Crawl:
    """One simulated crawl."""

    def __init__(self, web: Web, strategy: Strategy, queue: Queue, log: Log | None = None) -> None:
        self._web = web
        self._strategy = strategy
        self._queue = queue
        self._log = log
        self._importance: list[float] = web.importance.tolist()
        self._born: list[float] = web.born.tolist()
        self._last: list[float] = web.fetched.tolist()
        self._dated: list[bool] = web.dated.tolist()
        self._changes = web.change_times()
        self._change_starts: list[int] = web.change_starts.tolist()
        self._links: list[int] = web.links.tolist()
        self._link_starts: list[int] = web.link_starts.tolist()
        self._found = [inf] * web.plan.pages
        self._asked, self._fetched, self._allowed, self._steered = 0.0, 0, 0, 0.0  # in this hour

    def run(self) -> Visits:
        """Crawl until the time is over."""
        plan, queue = self._web.plan, self._queue
        self._begin()
        pages: list[int] = []
        times: list[float] = []
        ticks = int(plan.seconds * plan.budget)
        for tick in range(ticks):
            now = (tick + 1) / plan.budget
            if now >= self._steered + HOUR:
                self._steer(now)
            self._allowed += 1
            page = queue.take(now)
            if page is None:
                continue
            pages.append(page)
            times.append(now)
            self._visit(page, now)
        return Visits(pages, times, self._found, ticks - len(pages), queue.late(plan.seconds))

    def _steer(self, now: float) -> None:
        self._strategy.steer(self._asked, self._fetched, self._queue.late(now), self._allowed)
        self._asked, self._fetched, self._allowed, self._steered = 0.0, 0, 0, now

    def _begin(self) -> None:
        for page, fetched in sorted(enumerate(self._last), key=lambda each: (each[1], each[0])):
            if fetched > -inf:
                self._found[page] = fetched
                self._queue.again(page, self._strategy.first(page, self._modified(page, fetched), fetched))
        for page in [page for page, fetched in enumerate(self._last) if fetched > -inf]:
            self._discover(page, 0.0)
        for page in self._web.seeds.tolist():
            if self._found[page] == inf:
                self._found[page] = 0.0
                self._queue.discover(page, self._importance[page])

    def _visit(self, page: int, now: float) -> None:
        last = self._last[page]
        modified_at = self._modified(page, now)
        if last == -inf:
            changed = True
            then = self._strategy.first(page, modified_at, now)
            self._allowed -= 1  # new pages have a share of their own
        else:
            changed = self._changed_at(page, now) > last
            then = self._strategy.again(page, now - last, changed, modified_at, now)
            self._asked += (now - last) / (then.due - now)
            self._fetched += 1
        self._last[page] = now
        self._queue.again(page, then)
        self._discover(page, now)
        if self._log is not None:
            self._log(f"{now:.3f} {page} {'changed' if changed else 'same'} {then.due:.3f}\n")

    def _discover(self, page: int, now: float) -> None:
        for target in self._links[self._link_starts[page] : self._link_starts[page + 1]]:
            if self._found[target] == inf and self._born[target] <= now:
                self._found[target] = now
                self._queue.discover(target, self._importance[target])

    def _changed_at(self, page: int, now: float) -> float:
        """Return when a page last changed."""
        starts = self._change_starts
        return self._changes[bisect_right(self._changes, now, starts[page], starts[page + 1]) - 1]

    def _modified(self, page: int, now: float) -> float | None:
        return self._changed_at(page, now) if self._dated[page] else None
