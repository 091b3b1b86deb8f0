"""The pulses of a crawl: told to whoever follows, and every ten seconds kept in `pulse.jsonl`. `heart.py` makes them.

Counters go on from the last pulse that was kept: a run that was killed loses what it counted in its last ten seconds, but for
the URLs that were finished, which the catalog knows. The file is thinned when it has grown, to a pulse a minute for all but the
last day, and is never longer than `MOST`.
"""

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from gossamer.assemble import Stores
from gossamer.durability import sync_directory
from gossamer.jobs.plain import plain
from gossamer.jobs.wire import PULSE
from gossamer.records.pulse import Pulse
from gossamer.watch.budget import KEPT

NAME = "pulse.jsonl"
EVERY = 1.0  # seconds between two pulses
KEPT_EVERY = 10.0  # seconds between two that are kept
MOST = 64 * 1024 * 1024  # bytes of the file
THIN = 60.0  # seconds between two that are older than a day
DAY = 86_400.0
BEHIND = 100  # events that somebody may be behind who follows
TAILS = (16 * 1024, 1024 * 1024)  # bytes of the file's end in which the last pulse is looked for

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Pulse).decode


def kept_pulses(directory: Path, since: float = 0.0, until: float | None = None) -> Iterator[Pulse]:
    """Walk over the pulses that were kept, oldest first; a line that was torn is passed over."""
    with suppress(FileNotFoundError), (directory / NAME).open("rb") as file:
        for line in file:
            with suppress(msgspec.DecodeError, UnicodeDecodeError):
                pulse = _decode(line)
                if pulse.at >= since and (until is None or pulse.at <= until):
                    yield pulse


def last_kept(directory: Path) -> Pulse | None:
    """Return the last pulse that was kept; None: there is none."""
    try:
        with (directory / NAME).open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            for much in TAILS:
                file.seek(max(end - much, 0))
                for line in reversed(file.read().splitlines()):
                    with suppress(msgspec.DecodeError, UnicodeDecodeError):
                        return _decode(line)
    except FileNotFoundError:
        pass
    return None


class PulseFile:
    """The pulses of a crawl that are kept."""

    def __init__(self, directory: Path, most: int = MOST) -> None:
        self._path = directory / NAME
        self._most = most
        self._file = self._path.open("a+b", buffering=0)
        self._kept = 0.0

    def keep(self, pulse: Pulse, is_last: bool = False) -> None:
        """Keep a pulse, unless one was kept a moment ago; the last of a run always, and durably."""
        if not is_last and pulse.at - self._kept < KEPT_EVERY:
            return
        self._kept = pulse.at
        with suppress(OSError):  # a full disk is told of elsewhere
            self._file.write(self._mend() + _encode(pulse) + b"\n")
            if is_last:
                os.fsync(self._file.fileno())
            if self._file.tell() > self._most:
                self._thin(pulse.at)

    def _mend(self) -> bytes:
        """Return what ends a line that somebody before was writing when they died; this one appends from then on."""
        end = self._file.seek(0, os.SEEK_END)
        return b"\n" if end and os.pread(self._file.fileno(), 1, end - 1) != b"\n" else b""

    def _thin(self, now: float) -> None:
        new = self._path.with_suffix(".new")
        with new.open("wb") as file:
            last = 0.0
            for pulse in kept_pulses(self._path.parent):
                if pulse.at > now - DAY or pulse.at - last >= THIN:
                    last = pulse.at
                    file.write(_encode(pulse) + b"\n")
            too_long = file.tell() - self._most // 2
        if too_long > 0:
            kept = new.read_bytes()[too_long:]
            new.write_bytes(kept[kept.find(b"\n") + 1 :])
        new.replace(self._path)
        sync_directory(self._path.parent)
        self._file.close()
        self._file = self._path.open("a+b", buffering=0)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class Pulses:
    """The last pulse, and whoever follows what happens; one who does not keep up misses the oldest, and costs nothing."""

    def __init__(self, first: Pulse) -> None:
        self.last = first
        self.end = ""  # how the run ended, when it has
        self._minute = deque([(first.at, _fetched(first))])  # pages kept since the crawl began, second by second
        self._followers: dict[asyncio.Queue[tuple[str, Any]], frozenset[str]] = {}

    def tell(self, pulse: Pulse) -> None:
        """Give a pulse to everybody."""
        self.last = pulse
        self._minute.append((pulse.at, _fetched(pulse)))
        while self._minute[0][0] < pulse.at - 60.0:
            self._minute.popleft()
        if self._followers:
            self.happened(PULSE, plain(pulse))

    @property
    def pace(self) -> float:
        """Pages a second in the last minute."""
        (since, before), (now, pages) = self._minute[0], self._minute[-1]
        return (pages - before) / (now - since) if now > since else 0.0

    def happened(self, kind: str, what: dict[str, Any]) -> None:
        """Tell of an event of a kind."""
        for queue, kinds in self._followers.items():
            if kind in kinds:
                if queue.full():
                    queue.get_nowait()
                queue.put_nowait((kind, what))

    async def follow(self, kinds: Iterable[str]) -> AsyncIterator[tuple[str, Any]]:
        """Walk over events of some kinds, each with its kind: the last pulse first, then whatever comes."""
        queue: asyncio.Queue[tuple[str, Any]] = asyncio.Queue(BEHIND)
        wanted = self._followers[queue] = frozenset(kinds)
        try:
            if PULSE in wanted:
                yield PULSE, plain(self.last)
            while True:
                yield await queue.get()
        finally:
            del self._followers[queue]


def _fetched(pulse: Pulse) -> int:
    return sum(pulse.finished.get(outcome, 0) for outcome in KEPT)


async def still_pulse(stores: Stores, state: str) -> Pulse:
    """Return the pulse of a crawl that does not run: its counters as they were kept, and what its stores say."""
    kept = last_kept(stores.directory)
    frontier, outcomes = await stores.frontier.statistics(), await stores.catalog.counts()
    made = kept or Pulse(at=0.0, state=state, frontier=frontier)
    return replace(
        made,
        at=stores.clock.now(),
        state=state,
        trouble="",
        finished=_at_least(made.finished, outcomes),
        outcomes=outcomes,
        pages=kept_of(outcomes),
        frontier=frontier,
        under_way=0,
        workers=(),
        disk_free=free_disk(stores.directory),
    )


def _at_least(known: dict[str, int], counted: dict[str, int]) -> dict[str, int]:
    """Return counters that a kill has left behind what the catalog counts."""
    return {outcome: max(known.get(outcome, 0), counted.get(outcome, 0)) for outcome in {**known, **counted}}


def kept_of(outcomes: dict[str, int]) -> int:
    """Return how many of these pages were kept."""
    return sum(outcomes.get(outcome, 0) for outcome in KEPT)


def free_disk(directory: Path) -> int:
    """Return the bytes that are free where a crawl is."""
    status = os.statvfs(directory)
    return status.f_bavail * status.f_frsize
