"""The stall watch: notices when the event loop stands still, and names who held it up.

A beat on the loop says that it turns; a thread looks whether the beat is late, and if so, at what the loop's thread is doing.
Listeners hear of it in the loop, like of any other event, when it turns again. Time in which nothing of ours could run
(stopped, a sleeping laptop, a machine that is too busy) is nobody's fault: the thread was absent then too and used no
processor time, or the kernel counted how long the loop's thread queued for a processor.

While it watches, threads hand the interpreter over after a millisecond: the loop lets go of it at every file and every digest,
and would else wait for its turn five times as long each time that a thread computes.
"""

import asyncio
import os
import sys
import threading
import time
from collections import Counter, deque
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import BinaryIO, NamedTuple

from gossamer.watch.events import Events, Trouble

_TURN = 0.001  # seconds a thread keeps the interpreter when another wants it

_OURS = str(Path(__file__).parents[1]) + "/"


class Look(NamedTuple):
    """One interval, as the watching thread saw it."""

    begin: float
    end: float
    idle: float  # seconds of it in which nothing of ours could run


class StallWatch:
    """Watches the running loop between `with` and its end; a limit of 0 watches nothing."""

    def __init__(self, events: Events, limit: float) -> None:
        self._events = events
        self._limit = limit
        self._period = limit / 3
        self._expected = 0.0  # when the next beat is due
        self._late: deque[tuple[float, float]] = deque()  # beats that were: when they were due, when they came
        self._end = threading.Event()
        self._turn = 0.0  # of threads before
        self._timer: asyncio.TimerHandle | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "StallWatch":
        self._turn = sys.getswitchinterval()
        sys.setswitchinterval(_TURN)
        if self._limit:
            self._loop = asyncio.get_running_loop()
            self._next_beat(time.monotonic())
            watched = threading.get_ident(), Queueing()
            self._thread = threading.Thread(target=self._watch, args=watched, name="stall watch", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        sys.setswitchinterval(self._turn)
        self._end.set()
        if self._timer is not None:
            self._timer.cancel()
        if self._thread is not None:
            self._thread.join()

    def _next_beat(self, now: float) -> None:
        self._expected = now + self._period
        self._timer = self._loop.call_later(self._period, self._beat)

    def _beat(self) -> None:
        """Say that the loop turns."""
        now = time.monotonic()
        if now - self._expected > self._limit:
            self._late.append((self._expected, now))
        self._next_beat(now)

    def _watch(self, loop_thread: int, queueing: "Queueing") -> None:
        """Look again and again, in a thread of its own."""
        looks: list[Look] = []
        culprits: Counter[str] = Counter()
        last, used = time.monotonic(), time.process_time()
        while not self._end.wait(self._period):
            now, used_now, queued = time.monotonic(), time.process_time(), queueing.since_last()
            absent = now - last - self._period  # of this thread
            looks.append(Look(last, now, max(queued, absent - (used_now - used) if absent > self._period else 0.0)))
            last, used = now, used_now
            if now > self._expected + self._period and (frame := sys._current_frames().get(loop_thread)):
                culprits[_culprit(frame)] += 1
            elif self._late:
                self._tell(looks, culprits)
            else:
                del looks[:-1]
                culprits.clear()
        queueing.close()

    def _tell(self, looks: list[Look], culprits: Counter[str]) -> None:
        """Have the loop tell of a stall that is over, unless nobody is to blame."""
        due, came = self._late.popleft()
        excused = sum(min(look.idle, max(min(look.end, came) - max(look.begin, due), 0.0)) for look in looks)
        stood = came - due - excused
        if stood > self._limit and culprits:
            what = f"the event loop stood still for {stood * 1000:.0f} ms in {culprits.most_common(1)[0][0]}"
            trouble = Trouble(what, stalled=stood)
            self._loop.call_soon_threadsafe(self._events.publish, trouble)


class Queueing:
    """How long the thread that makes this has waited for a processor, by the kernel's count; 0 where none is kept."""

    def __init__(self) -> None:
        self._file: BinaryIO | None = None
        with suppress(OSError):
            self._file = open(f"/proc/self/task/{threading.get_native_id()}/schedstat", "rb", buffering=0)  # noqa: SIM115
        self._last = 0.0
        self.since_last()

    def since_last(self) -> float:
        """Return the seconds waited since this was last asked."""
        if self._file is None:
            return 0.0
        total = int(os.pread(self._file.fileno(), 100, 0).split()[1]) / 1e9
        waited, self._last = total - self._last, total
        return waited

    def close(self) -> None:
        """Stop counting."""
        if self._file is not None:
            self._file.close()


def _culprit(frame: FrameType) -> str:
    """Name the deepest function of ours that is running, else the deepest of all."""
    ours: FrameType | None = frame
    while ours is not None and not ours.f_code.co_filename.startswith(_OURS):
        ours = ours.f_back
    found = ours or frame
    code = found.f_code
    return f"{code.co_filename.removeprefix(_OURS)}, line {found.f_lineno}, {code.co_qualname}"
