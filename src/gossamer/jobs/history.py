"""The pulses of a crawl that were kept, as columns: what was counted when. Read once, then only what was added.

`pulse.jsonl` may have tens of thousands of lines. A door is asked for a day of them every few seconds, so it keeps five numbers
of each in memory and looks at the file only behind where it was last time; when the file was thinned, from the beginning.
"""

import os
from array import array
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct

from gossamer.jobs.pulse import NAME
from gossamer.watch.budget import KEPT

DAY = 86_400.0


class _Frontier(Struct, frozen=True):
    waiting: int = 0
    failed: int = 0


class _KeptPulse(Struct, frozen=True):
    """Of a kept pulse, what is counted here; the rest is not read."""

    at: float
    finished: dict[str, int] = {}
    bytes: int = 0
    frontier: _Frontier = _Frontier()


class PulseCounts(Struct, frozen=True):
    """Counters at one moment."""

    at: float
    pages: int
    errors: int
    bytes: int
    waiting: int


class Columns(Struct, frozen=True, kw_only=True):
    """Numbers over time; each is of the step that ends at its time, `waiting` as it was then."""

    time: list[float]
    pages: list[int]
    errors: list[int]
    bytes: list[int]
    waiting: list[int]


_decode = msgspec.json.Decoder(_KeptPulse).decode


def counted(at: float, finished: Mapping[str, int], failed: int, received: int, waiting: int) -> PulseCounts:
    """Return the counters of a pulse; an error is a URL that was tried and given up."""
    return PulseCounts(at, sum(finished.get(one, 0) for one in KEPT), failed, received, waiting)


class PulseHistory:
    """What was counted in a crawl, as far as it was kept; for one thread at a time, which holds its lock."""

    def __init__(self, directory: Path) -> None:
        self.lock = Lock()
        self._path = directory / NAME
        self._file = (0, 0)  # device and number
        self._read = 0
        self._at = array("d")
        self._counts = (array("q"), array("q"), array("q"), array("q"))

    def refresh(self) -> None:
        """Read what was added."""
        with suppress(FileNotFoundError), self._path.open("rb") as file:
            about = os.fstat(file.fileno())
            if (about.st_dev, about.st_ino) != self._file or about.st_size < self._read:
                self._forget()
                self._file = (about.st_dev, about.st_ino)
            file.seek(self._read)
            content = file.read()
            end = content.rfind(b"\n") + 1
            for line in content[:end].splitlines():
                with suppress(msgspec.DecodeError, UnicodeDecodeError):
                    pulse = _decode(line)
                    self._add(counted(pulse.at, pulse.finished, pulse.frontier.failed, pulse.bytes, pulse.frontier.waiting))
            self._read += end

    def _forget(self) -> None:
        self._read = 0
        self._at = array("d")
        self._counts = (array("q"), array("q"), array("q"), array("q"))

    def _add(self, one: PulseCounts) -> None:
        if self._at and one.at <= self._at[-1]:
            return  # a clock that was set back
        self._at.append(one.at)
        for column, number in zip(self._counts, (one.pages, one.errors, one.bytes, one.waiting), strict=True):
            column.append(number)

    def first(self) -> float | None:
        """Return when the first was kept."""
        return self._at[0] if self._at else None

    def at(self, moment: float, now: PulseCounts) -> PulseCounts:
        """Return the counters at a moment, between two pulses in proportion; before the first they were 0."""
        if moment >= now.at:
            return now
        place = bisect_right(self._at, moment)
        if place == 0:
            return PulseCounts(moment, 0, 0, 0, 0)
        before = self._one(place - 1)
        after = self._one(place) if place < len(self._at) and self._at[place] < now.at else now
        if after.at <= before.at:
            return before
        share = (moment - before.at) / (after.at - before.at)
        pages, errors, received, waiting = (
            start + round((end - start) * share)
            for start, end in (
                (before.pages, after.pages),
                (before.errors, after.errors),
                (before.bytes, after.bytes),
                (before.waiting, after.waiting),
            )
        )
        return PulseCounts(moment, pages, errors, received, waiting)

    def _one(self, place: int) -> PulseCounts:
        return PulseCounts(self._at[place], *(column[place] for column in self._counts))

    def today(self, now: PulseCounts) -> tuple[int, int]:
        """Return how many pages and errors there were since midnight (UTC)."""
        start = self.at(now.at - now.at % DAY, now)
        return max(now.pages - start.pages, 0), max(now.errors - start.errors, 0)

    def rate(self, now: PulseCounts, seconds: float) -> float:
        """Return pages a second over the last so many, or since the first pulse where that is later."""
        first = self.first()
        begin = now.at - seconds if first is None else max(now.at - seconds, min(first, now.at))
        span = now.at - begin
        return max(now.pages - self.at(begin, now).pages, 0) / span if span >= 1 else 0.0

    def columns(self, since: float, until: float, step: float, now: PulseCounts) -> Columns:
        """Return the counters by steps, the last of which ends at or after `until`."""
        count = max(int(-(-(until - since) // step)), 1)
        marks = [self.at(since + number * step, now) for number in range(count + 1)]
        pairs = list(pairwise(marks))
        return Columns(
            time=[since + number * step for number in range(1, count + 1)],
            pages=[max(end.pages - start.pages, 0) for start, end in pairs],
            errors=[max(end.errors - start.errors, 0) for start, end in pairs],
            bytes=[max(end.bytes - start.bytes, 0) for start, end in pairs],
            waiting=[end.waiting for _, end in pairs],
        )
