"""A command under watch: how much memory each of its processes had at most, told by the kernel (VmHWM), not by itself."""

import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
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
    children: dict[int, int] = field(default_factory=dict)  # and of those it started


def run_watched(*arguments: object, timeout: float = 60) -> Watched:
    """Run gossamer to its end and watch its memory; one that does not end in time is aborted and says where it stood."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        words, environment = [*GOSSAMER, *map(str, arguments)], CLEAN | {"PYTHONFAULTHANDLER": "1"}
        process = subprocess.Popen(words, stdout=out, stderr=err, text=True, env=environment)
        peaks: dict[int, int] = {}
        until = time.monotonic() + timeout
        try:
            while process.poll() is None:
                if time.monotonic() > until:
                    process.send_signal(signal.SIGABRT)  # it says what it was doing, and ends
                for pid in (process.pid, *_children(process.pid)):
                    peaks[pid] = max(peaks.get(pid, 0), _peak(pid))
                with suppress(subprocess.TimeoutExpired):
                    process.wait(LOOK)
        finally:
            process.kill()
            process.wait()
        out.seek(0)
        err.seek(0)
        return Watched(process.returncode, out.read(), err.read(), peaks.pop(process.pid, 0), peaks)


def _children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _peak(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0
