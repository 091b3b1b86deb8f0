"""The supervisor: sees to it that the crawls of a home run that somebody wants to run, a few at once, the others in turn.

What is wanted stands in each crawl's directory (`job.py`), and whether a crawl runs is told by its lock: so a server can be
killed at any time, and the next one goes on where it was. A crawl runs as `gossamer resume` (or `recrawl`) in a session of its
own and outlives the server. One that is killed is started again, after a while that grows; one that dies again and again
without getting anywhere, or says what is wrong with it, has failed. One that ends by itself, or was stopped, has ended.
"""

import asyncio
import fcntl
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from gossamer.clock import Clock
from gossamer.errors import GossamerError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.job import OUTPUT, JobRun, JobWish, birth_of, last_words, read_run, read_wish, write_run
from gossamer.jobs.pulse import last_kept
from gossamer.jobs.submit import clear_away
from gossamer.records.pulse import Pulse

LOOK = 1.0  # seconds between two looks at all jobs
AT_ONCE = 4  # crawls that run
MOST_DEATHS = 5  # in a row, without progress
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds until a crawl that died is started again
ENDED = frozenset({0, 6, 7, 130})  # exit codes of a run that came to an end (`errors.py`)
IN_USE = 3  # the code of one that found the crawl in other hands, for one
LOCK = ".gossamer-serve"  # the file by which one of several servers of a home is the one that starts crawls
PROGRAM = (sys.executable, "-P", "-m", "gossamer")
_log = logging.getLogger(__name__)


class Supervisor:
    """Starts and stops what is wanted; one look at a time."""

    def __init__(self, place: Path, jobs: Callable[[], Mapping[str, Path]], clock: Clock, at_once: int = AT_ONCE) -> None:
        """`jobs`: says which crawls there are, by name."""
        self._place = place
        self._jobs = jobs
        self._clock = clock
        self._at_once = at_once
        self._children: dict[str, subprocess.Popen[bytes]] = {}  # that this server has started
        self._stopped: dict[str, int] = {}  # processes that were told to stop, by job
        self._lock: int | None = None
        self._wake = asyncio.Event()

    def wake(self) -> None:
        """Look again soon: somebody wants something."""
        self._wake.set()

    async def run(self) -> None:
        """Look again and again."""
        try:
            while True:
                self._wake.clear()
                try:
                    await asyncio.to_thread(self.look)
                except Exception:  # noqa: BLE001 - what a bug may cost: a look
                    _log.exception("looking after jobs failed; it is tried again")
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK):
                        await self._wake.wait()
        finally:
            if self._lock is not None:
                os.close(self._lock)

    def look(self) -> None:
        """Look at every job once, and do what is due."""
        if not self._is_in_charge():
            return
        waiting: list[tuple[tuple[int, float], str, Path]] = []
        running = 0
        for name, path in self._jobs().items():
            if (wish := read_wish(path)) is None:
                continue
            try:
                place = self._see(name, path, wish)
            except GossamerError as error:  # of one job, whose directory cannot be read or written
                _log.warning("%s: %s", name, error)
                continue
            if place == "running":
                running += 1
            elif place == "due":
                waiting.append((wish.place, name, path))
        for _, name, path in sorted(waiting)[: max(self._at_once - running, 0)]:
            self._start(name, path)

    def _is_in_charge(self) -> bool:
        """Be the one server of a home that starts crawls, if no other is; one that cannot be written has none."""
        if self._lock is None:
            try:
                descriptor = os.open(self._place / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except OSError:
                return False
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                return False
            self._lock = descriptor
            clear_away(self._place)
        return True

    # --- one job -----------------------------------------------------------------------------------------------------

    def _see(self, name: str, path: Path, wish: JobWish) -> str:
        """Return "running", "due" (it may be started) or nothing; take note of a process that has ended."""
        run = read_run(path)
        runner = CrawlDirectory(path).runner()
        code = self._reaped(name)
        if wish.wanted == "stopped":
            alive = self._alive(run)
            if wish.stops and wish.stops in (runner, alive):
                self._stop(name, wish.stops)
            return "running" if runner is not None or alive else ""
        if runner is not None or self._alive(run) or self._is_ending(name, run):
            return "running"
        if run is None or run.asked != wish.asked:
            return "due"
        if run.is_over:
            return ""
        if run.pid:
            run = self._ended(path, run, code)
            write_run(path, run)
        return "due" if not run.is_over and self._clock.now() >= run.not_before else ""

    def _alive(self, run: JobRun | None) -> int:
        """Return the process of a job that lives; 0: none does."""
        return run.pid if run is not None and run.pid and birth_of(run.pid) == run.birth else 0

    def _is_ending(self, name: str, run: JobRun | None) -> bool:
        """Tell whether the process of a job is a child whose exit code is not told yet: it has died this moment."""
        child = self._children.get(name)
        return child is not None and run is not None and child.pid == run.pid

    def _reaped(self, name: str) -> int | None:
        """Return the exit code of a child that has ended; None: it has not, or it is the child of a server before this one."""
        child = self._children.get(name)
        if child is None or child.poll() is None:
            return None
        return self._children.pop(name).returncode

    def _ended(self, path: Path, run: JobRun, code: int | None) -> JobRun:
        """Return what becomes of a job whose process is gone."""
        pulse, run = last_kept(path), replace(run, pid=0, birth=0)
        since = pulse if pulse is not None and pulse.at >= run.started else None
        if since is not None and since.end:
            if since.end == "waiting" and since.next_time is not None:
                return replace(run, not_before=since.next_time, why="", deaths=0)
            return replace(run, is_over=True, why="", deaths=0)
        how = _how(code)
        if code is not None and code > 0 and code not in (IN_USE, *ENDED):
            return replace(run, is_over=True, failed=last_words(path) or f"it {how}")
        deaths = 1 if progress_of(since) > run.progress else run.deaths + 1
        if deaths >= MOST_DEATHS:
            said = last_words(path) if code is not None and code > 0 else ""
            return replace(
                run,
                is_over=True,
                deaths=deaths,
                failed=said or f"it died {deaths} times without getting on; the last time it {how}",
            )
        wait = min(FIRST_WAIT * 2 ** (deaths - 1), LONGEST_WAIT)
        return replace(run, deaths=deaths, not_before=self._clock.now() + wait, why=f"it {how}, and is started again")

    def _start(self, name: str, path: Path) -> None:
        wish, before = read_wish(path), read_run(path)
        if wish is None or wish.wanted != "running":  # somebody was faster
            return
        pulse, now = last_kept(path), self._clock.now()
        run = before if before is not None and before.asked == wish.asked else JobRun(asked=wish.asked)
        has_begun = run.started and pulse is not None and pulse.since >= run.started
        try:
            with open(path / OUTPUT, "wb", opener=_for_owner) as output:
                child = subprocess.Popen(
                    [*PROGRAM, "resume" if has_begun else wish.how, str(path.resolve()), "--quiet"],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
        except OSError as error:
            wait = now + FIRST_WAIT * 5
            write_run(path, replace(run, not_before=wait, why=f"cannot be started: {error.strerror or error}"))
            return
        self._children[name] = child
        progress, birth = progress_of(pulse), birth_of(child.pid)
        write_run(path, replace(run, pid=child.pid, birth=birth, started=now, progress=progress, why=""))

    def _stop(self, name: str, pid: int) -> None:
        """Ask a process to stop, once: a second time would hurry it."""
        if self._stopped.get(name) != pid:
            self._stopped[name] = pid
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGTERM)


def progress_of(pulse: Pulse | None) -> int:
    """Return a number that grows while a crawl gets on."""
    return 0 if pulse is None else pulse.requests + sum(pulse.finished.values())


def _how(code: int | None) -> str:
    """Say how a process ended."""
    if code is None:
        return "ended while nobody looked"
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"


def _for_owner(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_APPEND | os.O_NOFOLLOW, 0o600)
