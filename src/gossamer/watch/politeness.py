"""Politeness, measured: counts requests that left too soon after another one to the same host; the count must stay 0.

The frontier sees to it that this cannot happen; here it is measured from what was really sent, by our own clock, so that a run
can say it. Where requests to a host follow each other, their starts have to be a delay apart; where several are under way at
once, their turns. The delay may have changed between two requests: too soon is what is sooner than both allow.
"""

from collections.abc import Iterable

from gossamer.records.lease import Settlement

TOLERANCE = 0.005  # seconds
MOST_HOSTS = 25_000  # whose last request is remembered, and at most twice as many


_Sent = tuple[float, float, float, float]  # when the turn was given, the request began and was answered; the delay


class PolitenessWatch:
    """Looks at requests as they end."""

    def __init__(self) -> None:
        self.count = 0
        self._young: dict[str, _Sent] = {}  # the last request of each host
        self._old: dict[str, _Sent] = {}  # that of hosts before there were too many; the next time it is forgotten

    def look(self, settlements: Iterable[Settlement]) -> None:
        """Look at some more, in the order in which they ended."""
        young, old = self._young, self._old
        for settlement in settlements:
            lease, answer = settlement.lease, settlement.answer
            if answer is None or not lease.delay:
                continue
            host, given, answered, delay = lease.entry.host, lease.leased_at, answer.at, lease.delay
            started = answered - answer.seconds
            before = young.get(host) or old.get(host)
            young[host] = given, started, answered, delay
            if before is not None:
                gap = started - before[1] if before[2] <= given else abs(given - before[0])
                if gap < delay - TOLERANCE and gap < before[3] - TOLERANCE:
                    self.count += 1
        if len(young) > MOST_HOSTS:
            self._young, self._old = {}, young
