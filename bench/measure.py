"""What is measured, and how: CPU-seconds and memory of a process and everything it started, and of this process itself.

CPU is user plus system time. That of a command comes from the kernel's account of a wrapper's waited-for children
(RUSAGE_CHILDREN), so grandchildren count as soon as their parent has waited for them. Peak memory is the largest sum, over all
processes of the tree at one moment, of their proportional set size (a page shared by two counts once), looked at twenty times
a second, or as often as a hundredth of a core can do.

CPU time is not independent of what else the machine does: neighbours take cache, clock and the other half of a core, and the
same work costs up to twice as much. So a fixed piece of work, the yardstick, is done again and again while a command runs.
"""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic, process_time, thread_time
from typing import Any

ROOT = Path(__file__).resolve().parent.parent  # where `python -m bench...` works
MEGABYTE = 1024 * 1024
LOOK = 0.05  # seconds between two looks at the memory of a tree, at least
LOOKING = 0.01  # of a core at most: the kernel walks over every page for a look: that took 0.15 of a core for a crawl of 600 MB
YARDSTICK_EVERY = 0.5  # seconds: under 1 % of a core, and not charged to whom is measured
ROUNDS = 15  # of which the least counts
_BLOCK = bytes(range(256)) * 1024
_CHILD_SUBREAPER = 36  # an option of prctl(2)


class Account:
    """CPU-seconds of this process spent on the thing measured, by name, all threads included.

    Whoever prepares input for the thing measured does it under `aside`: what this thread spends there is not counted, what
    the store's own threads do meanwhile is.
    """

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self._aside = 0.0

    @contextmanager
    def on(self, name: str) -> Iterator[None]:
        """Count what is done in this block."""
        began, aside = process_time(), self._aside
        try:
            yield
        finally:
            spent = process_time() - began - (self._aside - aside)
            self.spent[name] = self.spent.get(name, 0.0) + spent

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Do not count what this thread does in this block."""
        began = thread_time()
        try:
            yield
        finally:
            self._aside += thread_time() - began


def least(call: Callable[[], Any], times: int) -> float:
    """Return the microseconds of one call, the least of several rounds."""
    rounds = []
    for _ in range(ROUNDS):
        began = thread_time()
        for _ in range(times):
            call()
        rounds.append((thread_time() - began) / times)
    return min(rounds) * 1e6


def resident() -> int:
    """Return the resident memory of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def peak_resident() -> int:
    """Return the largest resident memory this process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def size_of(directory: Path) -> int:
    """Return the bytes that the files below a directory take up on disk."""
    return sum(each.stat().st_blocks * 512 for each in directory.rglob("*") if each.is_file())


@dataclass(frozen=True)
class Usage:
    """What a command and everything it started came to."""

    seconds: float
    cpu_seconds: float
    peak: int  # bytes
    code: int
    yardstick: float  # CPU-seconds that a fixed piece of work took meanwhile, in the mean
    each: list[float]  # CPU-seconds of each process, the first one first, as of the last look at it


def run(command: Sequence[str], *, place: Path, timeout: float) -> Usage:
    """Run a command to its end in a wrapper of its own; what it says goes to `output.txt` in `place`."""
    wrapper = [sys.executable, "-m", "bench.measure", str(timeout), str(place / "output.txt"), *command]
    unwanted = ("proxy", "dontwritebytecode")  # nobody pays for compiling what is installed, at every start
    environment = {name: value for name, value in os.environ.items() if not any(word in name.lower() for word in unwanted)}
    told = subprocess.run(wrapper, stdout=subprocess.PIPE, check=True, env=environment, cwd=ROOT)
    return Usage(**json.loads(told.stdout))


def wrap(command: Sequence[str], output: Path, timeout: float) -> Usage:
    """Run a command and wait for all that comes of it: whoever loses its parent becomes our child."""
    ctypes.CDLL(None).prctl(_CHILD_SUBREAPER, 1)
    began, peak, measured = monotonic(), 0, [yardstick()]
    each: dict[int, float] = {}
    with output.open("wb") as file:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    while child.poll() is None:
        look, family = thread_time(), descendants(os.getpid())
        peak = max(peak, sum(map(_proportional, family)))
        each.update((process, max(each.get(process, 0.0), _spent(process))) for process in family)
        pause = max(LOOK, (thread_time() - look) / LOOKING)
        if monotonic() - began > timeout:
            child.kill()
        if monotonic() - began > len(measured) * YARDSTICK_EVERY:
            measured.append(yardstick())
        with suppress(subprocess.TimeoutExpired):
            child.wait(pause)
    seconds = monotonic() - began
    for left in descendants(os.getpid()):
        with suppress(ProcessLookupError):
            os.kill(left, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            os.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    mean = sum(measured) / len(measured)
    return Usage(seconds, cpu, max(peak, used.ru_maxrss * 1024), child.returncode, mean, list(each.values()))


def yardstick() -> float:
    """Do a fixed piece of work; return the CPU-seconds it took. Neighbours on a shared machine make it dearer."""
    began = thread_time()
    sum(number * number for number in range(20_000))
    zlib.compress(_BLOCK, 1)
    return thread_time() - began


def descendants(process: int) -> list[int]:
    """Return the processes below one."""
    found: list[int] = []
    with suppress(OSError):
        for children in Path(f"/proc/{process}/task").glob("*/children"):
            for child in map(int, children.read_text().split()):
                found += [child, *descendants(child)]
    return found


def _spent(process: int) -> float:
    """Return the CPU-seconds of a process so far; 0 for one that is gone."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _proportional(process: int) -> int:
    """Return the proportional set size of a process, in bytes; 0 for one that is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    print(json.dumps(asdict(wrap(sys.argv[3:], Path(sys.argv[2]), float(sys.argv[1])))))
