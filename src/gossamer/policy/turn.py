"""The clock of a host after a turn that was used: what the answer means for its breaker, then for its pace.

Whoever holds a turn computes it from the clock that the lease came with, and hands it in with the settlement. A frontier keeps
it if its clock of that host is still equal to the lease's, and computes it again from its own otherwise: what was computed from
an equal clock is right, so a clock is its own version. So these rules exist once, wherever a frontier keeps its clocks.
"""

from gossamer.config.sections import Breaker, Politeness
from gossamer.policy import breaker, politeness
from gossamer.records.host import HostClock, HostPolicy
from gossamer.records.lease import Answer


class TurnRules:
    """The rules with the settings of a crawl."""

    __slots__ = ("_breaker", "_politeness")

    def __init__(self, politeness: Politeness, breaker: Breaker) -> None:
        self._politeness = politeness
        self._breaker = breaker

    def clock_after(self, clock: HostClock, policy: HostPolicy, answer: Answer, now: float) -> HostClock:
        """Return the clock of a host that answered, or failed to."""
        counted = breaker.after_answer(clock, answer, self._breaker, now)
        return politeness.after_answer(counted, answer, policy, self._politeness)
