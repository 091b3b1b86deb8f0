"""When a page is fetched again: the real rules of `policy` with what they have to remember of every page.

A strategy sees what a crawler sees: whether a page had changed since the last visit, and the date its server names. Only
`OracleStrategy` is told the truth. Times are Unix seconds.
"""

from typing import Protocol

from gossamer.config.sections import Recrawl
from gossamer.jobs.simulate.web import SimulatedWeb
from gossamer.policy.change import begun, observed
from gossamer.policy.recrawl import Appointment, adapted, best, due
from gossamer.records.freshness import Freshness


class Strategy(Protocol):
    """Says when a page is fetched again; `threshold` is the price of a request (`policy/recrawl.py`)."""

    def first(self, page: int, modified_at: float | None, now: float, threshold: float) -> Appointment:
        """Return when a page that was fetched for the first time is due again."""
        ...

    def again(
        self, page: int, seconds: float, changed: bool, modified_at: float | None, now: float, threshold: float
    ) -> Appointment:
        """Return when a page that was fetched again is due the next time."""
        ...


class LearningStrategy:
    """The real policies, with nothing but what a crawler observes."""

    def __init__(self, web: SimulatedWeb, settings: Recrawl) -> None:
        self._settings = settings
        self._importance: list[float] = web.importance.tolist()
        self._known: dict[int, Freshness] = {}

    def first(self, page: int, modified_at: float | None, now: float, threshold: float) -> Appointment:
        self._known[page] = freshness = begun("text/html", now, modified_at)
        return due(freshness, self._importance[page], now, self._settings, threshold)

    def again(
        self, page: int, seconds: float, changed: bool, modified_at: float | None, now: float, threshold: float
    ) -> Appointment:
        freshness = observed(self._known[page], seconds, changed, modified_at, now)
        self._known[page] = freshness = adapted(freshness, changed, self._settings)
        return due(freshness, self._importance[page], now, self._settings, threshold)


class OracleStrategy:
    """The optimal policy, told every page's true rate."""

    def __init__(self, web: SimulatedWeb, settings: Recrawl) -> None:
        self._settings = settings
        self._importance: list[float] = web.importance.tolist()
        self._rate: list[float] = web.rate.tolist()

    def first(self, page: int, modified_at: float | None, now: float, threshold: float) -> Appointment:
        return best([(self._rate[page], 1.0)], self._importance[page], now, self._settings, threshold)

    def again(
        self, page: int, seconds: float, changed: bool, modified_at: float | None, now: float, threshold: float
    ) -> Appointment:
        return self.first(page, modified_at, now, threshold)
