"""A progress bar on standard error, on a terminal only; anywhere else it says nothing."""

import sys
from time import monotonic
from types import TracebackType

WIDTH = 30
OFTEN = 0.1  # seconds between two drawings


class Bar:
    """Draws how far something is, and wipes itself when it is over."""

    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = max(total, 1)
        self._done = 0
        self._drawn = 0.0
        self._shown = sys.stderr.isatty()

    def forward(self, steps: int = 1) -> None:
        """Go on by so many steps."""
        self._done += steps
        if self._shown and monotonic() - self._drawn > OFTEN:
            self._drawn = monotonic()
            sys.stderr.write(f"\r{self}\x1b[K")
            sys.stderr.flush()

    def __str__(self) -> str:
        share = min(self._done / self._total, 1.0)
        full = round(WIDTH * share)
        return f"{self._what} {'█' * full}{'░' * (WIDTH - full)} {100 * share:3.0f} %"

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
