"""Faults on purpose, for tests: named points at which the process dies, and calls that fail, fall short or take their time.

Nothing here happens unless the environment variable GOSSAMER_FAULTS was set when the process began, or a test called `arm`:

    {"crash": {"after-commit": 2},                                 SIGKILL ourselves when the point is reached the second time
     "calls": {"archive.write": {"at": 3, "how": "ENOSPC"}},       the third write to an archive file fails
     "clock": 86400}                                               the wall clock is a day ahead of what it was before

A point costs one look at a name that is None; a call that may fail is asked for once, by whoever will make it, and is the
plain call when nothing is armed. RocksDB and SQLite write by themselves: their faults need real means, such as a small disk.
"""

import errno
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from typing import ParamSpec, TypeVar

VARIABLE = "GOSSAMER_FAULTS"
POINTS = frozenset(
    {
        "after-append",  # a record is in its archive file
        "after-sync",  # the archive is flushed
        "before-commit",  # archive, digests, catalog and chronicle are written, the frontier is not
        "before-chronicle",  # the archive is flushed, nothing is told yet
        "after-chronicle",  # a block is in its file, the frontier is not settled
        "before-mark",  # the frontier is settled, the chronicle does not say so yet
        "after-mark",  # it does
        "after-commit",  # the frontier is settled, nobody has been told
        "before-cursor",  # a sink has acknowledged a batch, its cursor does not say so yet
        "after-cursor",  # it does
        "during-roll",  # twice a file: closed and not yet renamed; renamed and without its index
        "during-recovery",  # once the leases are about to come back; once for each torn file, cut and not yet closed
        "during-creation",  # after each statement that makes the catalog
        "during-prune",  # six times a file: it is written, named, indexed; moved in the catalog, without its index, gone
    }
)
CALLS = frozenset({"archive.write", "archive.sync", "graph.write", "graph.sync", "chronicle.write", "chronicle.sync"})
HOWS = frozenset({"EIO", "ENOSPC", "short", "torn", "slow"})
SLOW = 0.2  # seconds

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class _Armed:
    """The faults to inject, and the calls counted so far."""

    def __init__(self, crash: dict[str, int], calls: dict[str, dict[str, object]], clock: float) -> None:
        hows = {str(fault["how"]) for fault in calls.values()}
        unknown = sorted({*(crash.keys() - POINTS), *(calls.keys() - CALLS), *(hows - HOWS)})
        if unknown:
            raise ValueError(f"{VARIABLE} names {', '.join(unknown)}, which nothing here knows")
        self.crash = crash
        self.calls = calls
        self.clock = float(clock)
        self.count: Counter[str] = Counter()

    def reach(self, point: str) -> None:
        self.count[point] += 1
        if self.count[point] == self.crash.get(point):
            os.kill(os.getpid(), signal.SIGKILL)

    def fault(self, name: str) -> str:
        """Count a call; return how this one goes wrong, nothing when it does not."""
        self.count[name] += 1
        planned = self.calls.get(name)
        return str(planned["how"]) if planned is not None and planned["at"] == self.count[name] else ""


_armed: _Armed | None = None


def arm(text: str | None) -> None:
    """Plan the faults that a JSON text describes; None: none."""
    global _armed
    plan = json.loads(text) if text is not None else None
    _armed = None if plan is None else _Armed(plan.pop("crash", {}), plan.pop("calls", {}), plan.pop("clock", 0.0))
    if plan:
        raise ValueError(f"{VARIABLE} says {', '.join(sorted(plan))}, which means nothing here")


def reach(point: str) -> None:
    """Die here if that is planned."""
    if _armed is not None:
        _armed.reach(point)


def ahead() -> float:
    """Return by how many seconds the wall clock is ahead of the machine's."""
    return 0.0 if _armed is None else _armed.clock


def counted(name: str) -> int:
    """Return how often a point was reached or a call made since `arm`."""
    return 0 if _armed is None else _armed.count[name]


def writing(name: str, write: Callable[[int, bytes, int], int]) -> Callable[[int, bytes, int], int]:
    """Return a positioned write as it is, or one that goes wrong as planned."""
    if _armed is None:
        return write

    def faulty(descriptor: int, piece: bytes, position: int) -> int:
        how = _fault(name)
        if how in ("short", "torn"):
            written = write(descriptor, piece[: len(piece) // 2], position)
            if how == "short":
                return written
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return write(descriptor, piece, position)

    return faulty


def syncing(name: str, sync: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Return a sync as it is, or one that goes wrong as planned."""
    if _armed is None:
        return sync

    def faulty(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        _fault(name)
        return sync(*args, **kwargs)

    return faulty


def _fault(name: str) -> str:
    how = "" if _armed is None else _armed.fault(name)
    if how == "slow":
        time.sleep(SLOW)
    elif how in ("EIO", "ENOSPC"):
        number = getattr(errno, how)
        raise OSError(number, os.strerror(number))
    return how


arm(os.environ.get(VARIABLE))
