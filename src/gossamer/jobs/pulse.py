"""The pulse of a crawl: made once a second, told to whoever watches, and every ten seconds kept in `pulse.jsonl`.

Counters go on from the last pulse that was kept: a run that was killed loses what it counted in its last seconds, but for the
URLs that were finished, which the catalog knows. The file is thinned when it has grown, to a pulse a minute for all but the
last day, and never holds more than `MOST`.
"""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from socket import gethostname
from typing import Any

import msgspec
from msgspec.structs import replace

from gossamer.assemble import Crawl, Stores
from gossamer.durability import sync_directory
from gossamer.jobs.plain import plain
from gossamer.jobs.wire import PULSE
from gossamer.records.pulse import Pulse, WorkerPulse
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

    def __init__(self, directory: Path) -> None:
        self._path = directory / NAME
        self._file = self._path.open("ab", buffering=0)
        self._kept = 0.0

    def keep(self, pulse: Pulse, at_once: bool = False) -> None:
        """Keep a pulse, unless one was kept a moment ago."""
        if not at_once and pulse.at - self._kept < KEPT_EVERY:
            return
        self._kept = pulse.at
        with suppress(OSError):  # a full disk is told of elsewhere
            self._file.write(_encode(pulse) + b"\n")
            if self._file.tell() > MOST:
                self._thin(pulse.at)

    def _thin(self, now: float) -> None:
        new = self._path.with_suffix(".new")
        with new.open("wb") as file:
            last = 0.0
            for pulse in kept_pulses(self._path.parent):
                if pulse.at > now - DAY or pulse.at - last >= THIN:
                    last = pulse.at
                    file.write(_encode(pulse) + b"\n")
            too_long = file.tell() - MOST // 2
        if too_long > 0:
            kept = new.read_bytes()[too_long:]
            new.write_bytes(kept[kept.find(b"\n") + 1 :])
        new.replace(self._path)
        sync_directory(self._path.parent)
        self._file.close()
        self._file = self._path.open("ab", buffering=0)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class Pulses:
    """The last pulse, and whoever follows what happens; one who does not keep up misses the oldest, and costs nothing."""

    def __init__(self, first: Pulse) -> None:
        self.last = first
        self._followers: dict[asyncio.Queue[tuple[str, Any]], frozenset[str]] = {}

    def tell(self, pulse: Pulse) -> None:
        """Give a pulse to everybody."""
        self.last = pulse
        if self._followers:
            self.happened(PULSE, plain(pulse))

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
        since=0.0,
        finished=_at_least(made.finished, outcomes),
        outcomes=outcomes,
        pages=_kept(outcomes),
        frontier=frontier,
        under_way=0,
        workers=(),
        disk_free=_free(stores.directory),
    )


def _at_least(known: dict[str, int], counted: dict[str, int]) -> dict[str, int]:
    """Return counters that a kill has left behind what the catalog counts."""
    return {outcome: max(known.get(outcome, 0), counted.get(outcome, 0)) for outcome in {**known, **counted}}


def _kept(outcomes: dict[str, int]) -> int:
    """Return how many of these pages were kept."""
    return sum(outcomes.get(outcome, 0) for outcome in KEPT)


def _free(directory: Path) -> int:
    status = os.statvfs(directory)
    return status.f_bavail * status.f_frsize


class Heart:
    """Makes the pulses of a crawl that runs."""

    def __init__(self, crawl: Crawl, before: Pulse) -> None:
        self._crawl = crawl
        self._before = before
        self._began = crawl.stores.clock.now()
        self._machine = gethostname()

    async def beat(self) -> Pulse:
        """Return the crawl at this moment."""
        crawl, before = self._crawl, self._before
        tally, pool = crawl.tally, crawl.pool
        frontier, outcomes = await crawl.stores.frontier.statistics(), await crawl.stores.catalog.counts()
        now = crawl.stores.clock.now()
        return Pulse(
            at=now,
            state=pool.state,
            since=self._began,
            finished=dict(Counter(before.finished) + tally.outcomes),
            outcomes=outcomes,
            pages=_kept(outcomes),
            requests=before.requests + tally.visits,
            bytes=before.bytes + tally.bytes,
            retries=before.retries + tally.retries,
            too_soon=before.too_soon + tally.politeness.count,
            frontier=frontier,
            under_way=pool.under_way,
            workers=(
                WorkerPulse(name="one", machine=self._machine, pid=os.getpid(), since=self._began, under_way=pool.under_way),
            ),
            disk_free=_free(crawl.stores.directory),
            next_time=pool.next_time,
        )


@asynccontextmanager
async def beating(crawl: Crawl) -> AsyncIterator[Pulses]:
    """Make pulses while the block runs, and keep the last one at its end."""
    heart = Heart(crawl, await still_pulse(crawl.stores, "running"))
    file = PulseFile(crawl.stores.directory)
    pulses = Pulses(await heart.beat())

    async def beat() -> None:
        while True:
            file.keep(pulses.last)
            await asyncio.sleep(EVERY)
            pulses.tell(await heart.beat())

    task = asyncio.create_task(beat())
    try:
        yield pulses
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        file.keep(await heart.beat(), at_once=True)
        file.close()
