"""Haste: do we keep to our own pace? Counts requests that left too soon after another one to the same host; it must stay 0.

The frontier sees to it that this cannot happen; here it is measured from what was really sent, by our own clock, so that a run
can say it. Where requests to a host follow each other, their starts have to be a delay apart; where several are under way at
once, their turns. The delay may have changed between two requests: too soon is what is sooner than both allow.
"""

from collections import OrderedDict
from typing import NamedTuple

from gossamer.records import Settlement

TOLERANCE = 0.005  # seconds
MOST_HOSTS = 50_000  # whose last request is remembered


class _Sent(NamedTuple):
    given: float  # the turn
    started: float
    answered: float
    delay: float


class Haste:
    """Looks at requests as they end."""

    def __init__(self) -> None:
        self.count = 0
        self._last: OrderedDict[str, _Sent] = OrderedDict()

    def look(self, settlement: Settlement) -> None:
        """Look at one more."""
        lease, answer = settlement.lease, settlement.answer
        if answer is None or not lease.delay:
            return
        host, sent = lease.entry.host, _Sent(lease.leased_at, answer.at - answer.seconds, answer.at, lease.delay)
        last = self._last.get(host)
        if last is not None:
            follows = last.answered <= sent.given
            gap = sent.started - last.started if follows else abs(sent.given - last.given)
            self.count += gap < min(sent.delay, last.delay) - TOLERANCE
        self._last[host] = sent
        if len(self._last) > MOST_HOSTS:
            self._last.popitem(last=False)
