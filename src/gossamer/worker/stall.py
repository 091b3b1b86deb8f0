"""The stall watch: notices when the event loop stands still, and names who held it up.

A beat on the loop says that it turns; a thread looks whether the beat is late, and if so, at what the loop's thread is doing.
The loop tells the finding itself when it turns again, so that listeners hear of it like of any other event. Time in which the
process had no chance to run at all (stopped, a sleeping laptop, a machine that is too busy) is nobody's fault: the thread was
late then too, and no processor time was used.
"""

import asyncio
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType, TracebackType

from gossamer.worker.events import Events, Trouble

_OURS = str(Path(__file__).parents[1]) + "/"


class StallWatch:
    """Watches the running loop between `with` and its end; a limit of 0 watches nothing."""

    def __init__(self, events: Events, limit: float) -> None:
        self._events = events
        self._limit = limit
        self._period = limit / 4
        self._expected = 0.0  # when the next beat is due
        self._excused = 0.0  # seconds since the last beat in which nothing of ours could run
        self._culprits: Counter[str] = Counter()
        self._end = threading.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "StallWatch":
        if self._limit:
            self._loop = asyncio.get_running_loop()
            self._next_beat()
            watched = threading.get_ident(), Queueing()
            self._thread = threading.Thread(target=self._watch, args=watched, name="stall watch", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end.set()
        if self._timer is not None:
            self._timer.cancel()
        if self._thread is not None:
            self._thread.join()

    def _next_beat(self) -> None:
        self._culprits.clear()
        self._excused = 0.0
        self._expected = time.monotonic() + self._period
        self._timer = self._loop.call_later(self._period, self._beat)

    def _beat(self) -> None:
        """Say that the loop turns; tell of a stall that is over now."""
        stood = time.monotonic() - self._expected - self._excused
        culprits = self._culprits.most_common(1)
        self._next_beat()
        if stood > self._limit and culprits:
            self._events.publish(Trouble(f"the event loop stood still for {stood * 1000:.0f} ms in {culprits[0][0]}"))

    def _watch(self, loop_thread: int, queueing: "Queueing") -> None:
        """Look again and again, in a thread of its own."""
        last, used = time.monotonic(), time.process_time()
        while not self._end.wait(self._period):
            now, used_now, queued = time.monotonic(), time.process_time(), queueing.since_last()
            late = now - last - self._period
            idle = max(queued, late - (used_now - used) if late > self._period else 0.0)
            self._excused += min(idle, max(now - self._expected + self._period, 0.0))  # only what was after the last beat
            if now > self._expected + self._period and (frame := sys._current_frames().get(loop_thread)):
                self._culprits[_culprit(frame)] += 1
            last, used = now, used_now


class Queueing:
    """How long the thread that makes this has waited for a processor, by the kernel's count; 0 where none is kept."""

    def __init__(self) -> None:
        self._path = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._last = 0.0
        self.since_last()

    def since_last(self) -> float:
        """Return the seconds waited since this was last asked."""
        try:
            total = int(self._path.read_bytes().split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            return 0.0
        waited, self._last = total - self._last, total
        return waited


def _culprit(frame: FrameType) -> str:
    """Name the deepest function of ours that is running, else the deepest of all."""
    ours: FrameType | None = frame
    while ours is not None and not ours.f_code.co_filename.startswith(_OURS):
        ours = ours.f_back
    found = ours or frame
    code = found.f_code
    return f"{code.co_filename.removeprefix(_OURS)}, line {found.f_lineno}, {code.co_qualname}"
