"""A clock that stands still until it is told to move: tests and simulations wait for nothing."""


class VirtualClock:
    """A `gossamer.clock.Clock` moved by hand."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    def advance(self, seconds: float) -> float:
        """Move on and return the new time."""
        self._now += seconds
        return self._now
