"""Haste: do we keep to our own pace? Counts requests that left too soon after another one to the same host; it must stay 0.

The frontier sees to it that this cannot happen; here it is measured from what was really sent, by our own clock, so that a run
can say it. Where requests to a host follow each other, their starts have to be a delay apart; where several are under way at
once, their turns. The delay may have changed between two requests: too soon is what is sooner than both allow.
"""

from collections import OrderedDict
from collections.abc import Iterable

from gossamer.records import Settlement

TOLERANCE = 0.005  # seconds
MOST_HOSTS = 50_000  # whose last request is remembered


_Sent = tuple[float, float, float, float]  # when the turn was given, the request began and was answered; the delay


class Haste:
    """Looks at requests as they end."""

    def __init__(self) -> None:
        self.count = 0
        self._last: OrderedDict[str, _Sent] = OrderedDict()

    def look(self, settlements: Iterable[Settlement]) -> None:
        """Look at some more, in the order in which they ended."""
        last = self._last
        for settlement in settlements:
            lease, answer = settlement.lease, settlement.answer
            if answer is not None and lease.delay:
                host, sent = lease.entry.host, (lease.leased_at, answer.at - answer.seconds, answer.at, lease.delay)
                before = last.get(host)
                if before is not None and _is_hasty(before, sent):
                    self.count += 1
                last[host] = sent
        while len(last) > MOST_HOSTS:
            last.popitem(last=False)


def _is_hasty(last: _Sent, sent: _Sent) -> bool:
    """Tell whether a request left sooner than the one before it allows."""
    given, started, answered, delay = last
    gap = sent[1] - started if answered <= sent[0] else abs(sent[0] - given)
    return gap < min(sent[3], delay) - TOLERANCE
