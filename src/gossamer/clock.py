"""The clock: Unix seconds that never jump while a process lives.

Politeness is a promise about elapsed time, so `now` is the wall clock read once at the start plus the monotonic clock since
then: an operator or NTP moving the wall clock can neither shorten nor stretch a host's delay.
"""

import time
from typing import Protocol

from gossamer import faults


class Clock(Protocol):
    """Tells the time; everything that needs `now` is handed one or is handed `now` itself."""

    def now(self) -> float:
        """Return Unix seconds."""
        ...


class SystemClock:
    """The machine's clock, steady between start and end of the process."""

    def __init__(self, offset: float | None = None) -> None:
        """`offset` is another process's: both have the same time then, the monotonic clock being the machine's."""
        self._offset = time.time() + faults.ahead() - time.monotonic() if offset is None else offset

    @classmethod
    def showing(cls, now: float) -> "SystemClock":
        """Return a clock that shows this time now: that of a store by which clocks are kept."""
        return cls(now - time.monotonic())

    def now(self) -> float:
        return time.monotonic() + self._offset
