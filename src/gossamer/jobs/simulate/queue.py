"""Where simulated pages wait: the joint at which a frontier stands, and a plain one.

Pages never fetched wait in one line, the highest score first. Pages to be fetched again wait for their time and then in
another, by what their fetch is worth; waiting ages: 30 days make up for having been worth nothing. When both lines have
somebody, 30 of 100 requests go to new pages.
"""

from heapq import heappop, heappush
from typing import Protocol

from gossamer.policy.recrawl import Appointment

NEW_SHARE = 0.3
AGEING = 30 * 86400.0  # seconds


class Queue(Protocol):
    """Pages that wait to be fetched."""

    def discover(self, page: int, score: float) -> None:
        """Put a page in line that was never fetched."""
        ...

    def again(self, page: int, then: Appointment) -> None:
        """Put a page in line that is to be fetched again, not before it is due."""
        ...

    def take(self, now: float) -> int | None:
        """Return the page that is next, if any is due."""
        ...

    def late(self, now: float) -> int:
        """Return how many pages are due to be fetched again and worth it."""
        ...


class PlainQueue:
    """Two heaps and a list of appointments."""

    def __init__(self) -> None:
        self._new: list[tuple[float, int]] = []
        self._later: list[tuple[float, int, float]] = []
        self._due: list[tuple[float, int, bool]] = []
        self._owed = 0.0  # requests that new pages have still coming
        self._late = 0

    def discover(self, page: int, score: float) -> None:
        heappush(self._new, (-score, page))

    def again(self, page: int, then: Appointment) -> None:
        heappush(self._later, (then.due, page, then.worth))

    def take(self, now: float) -> int | None:
        self._arrive(now)
        if self._new and self._due:
            self._owed += NEW_SHARE
        if self._new and (not self._due or self._owed >= 1):
            self._owed = max(self._owed - 1, 0.0)
            return heappop(self._new)[1]
        if not self._due:
            return None
        _, page, is_worth_it = heappop(self._due)
        self._late -= is_worth_it
        return page

    def late(self, now: float) -> int:
        self._arrive(now)
        return self._late

    def _arrive(self, now: float) -> None:
        while self._later and self._later[0][0] <= now:
            due, page, worth = heappop(self._later)
            heappush(self._due, (due - min(worth, 1.0) * AGEING, page, worth >= 1))
            self._late += worth >= 1
