"""A command under watch: how much memory its processes had at most, told by the kernel (VmHWM), not by themselves.

Of the processes it starts, pages of files do not count: they are those of the interpreter and its libraries, which the command
itself has mapped too. For each process its highest mark counts for as long as it lives, so the sum is never too small.
"""

import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from crawling import CLEAN, GOSSAMER

LOOK = 0.05  # seconds between looks; a peak that came before is seen at the next


@dataclass
class Watched:
    """A command that has ended."""

    returncode: int
    stdout: str
    stderr: str
    peak: int  # bytes of memory of the process itself
    tree: int  # of it and of those it started, together
    children: int  # how many of these it had at once, at most


def run_watched(*arguments: object, timeout: float = 60) -> Watched:
    """Run gossamer to its end and watch its memory; one that does not end in time is aborted and says where it stood."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        words, environment = [*GOSSAMER, *map(str, arguments)], CLEAN | {"PYTHONFAULTHANDLER": "1"}
        process = subprocess.Popen(words, stdout=out, stderr=err, text=True, env=environment)
        peak = tree = children = 0
        until = time.monotonic() + timeout
        try:
            while process.poll() is None:
                if time.monotonic() > until:
                    process.send_signal(signal.SIGABRT)  # it says what it was doing, and ends
                started = [private for pid in _children(process.pid) if (private := _private(pid))]
                peak = max(peak, _status(process.pid).get("VmHWM", 0))
                tree, children = max(tree, peak + sum(started)), max(children, len(started))
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK)
        finally:
            process.kill()
            process.wait()
        out.seek(0)
        err.seek(0)
        return Watched(process.returncode, out.read(), err.read(), peak, tree, children)


def _children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _private(pid: int) -> int:
    """Return the bytes that a started process has had for itself; 0 while it is still a copy of its parent, or is gone."""
    status = _status(pid)
    with suppress(OSError):
        if b"gossamer.readers.child" in Path(f"/proc/{pid}/cmdline").read_bytes():
            return status.get("VmHWM", 0) - status.get("RssFile", 0)
    return 0


def _status(pid: int) -> dict[str, int]:
    """Return what the kernel says of a process, as far as it is in bytes."""
    with suppress(OSError):
        lines = (line.split() for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        return {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines if words[-1] == "kB"}
    return {}
