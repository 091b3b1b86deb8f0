"""A job: what somebody wants of a crawl, as it stands in the crawl's directory, and what became of that.

job.json    what is wanted, since when, and who asked; written by doors, durable before they answer
run.json    the process that was started for it, and how it ended; written by the supervisor (`supervise.py`)
job.out     what that process printed

Two files with one writer each, so nobody has to wait for anybody. A server holds nothing that is not in them.
"""

import os
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from gossamer.errors import CrawlReadOnly, DiskFull
from gossamer.jobs.directory import FULL
from gossamer.seal import write_whole

WISH, RUN, OUTPUT = "job.json", "run.json", "job.out"
FILES = (WISH, RUN, OUTPUT)
_SENTENCE = 2_000  # characters of what a process printed last that are told

_Paper = TypeVar("_Paper", bound=Struct)


class JobWish(Struct, frozen=True, kw_only=True):
    """The content of `job.json`."""

    wanted: Literal["running", "stopped"]
    asked: float  # when: with "running" its place in the queue
    who: str = ""
    priority: Literal["high", "medium", "low"] = "medium"  # among those that wait to run
    how: Literal["resume", "recrawl"] = "resume"
    key: str = ""  # the idempotency key of whoever submitted it
    stops: int = 0  # with "stopped": the process that is to end; one that begins later is not meant

    @property
    def place(self) -> tuple[int, float]:
        """Its place in the queue: the least is first."""
        return ("high", "medium", "low").index(self.priority), self.asked


class JobRun(Struct, frozen=True, kw_only=True):
    """The content of `run.json`: what was done for a wish."""

    asked: float  # of the wish
    pid: int = 0  # 0: none was started, or the last one is gone
    birth: int = 0  # of that process, as the kernel counts: its number may be used again
    started: float = 0.0
    progress: int = 0  # what the crawl had done by then
    deaths: int = 0  # in a row, without progress between them
    not_before: float = 0.0  # when it is started again
    is_over: bool = False  # nothing more is done for this wish
    failed: str = ""  # the sentence of what failed for good
    why: str = ""  # what happened last, in words


def read_wish(directory: Path) -> JobWish | None:
    """Return what is wanted of a crawl; None: nobody has said."""
    return _read(directory / WISH, JobWish)


def read_run(directory: Path) -> JobRun | None:
    """Return what was done about it; None: nothing yet."""
    return _read(directory / RUN, JobRun)


def write_wish(directory: Path, wish: JobWish) -> None:
    """Say what is wanted; durable when this returns."""
    _write(directory / WISH, wish)


def write_run(directory: Path, run: JobRun) -> None:
    """Note what was done."""
    _write(directory / RUN, run)


def last_words(directory: Path) -> str:
    """Return the sentence that the process of a job printed last."""
    try:
        with (directory / OUTPUT).open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(end - 4 * _SENTENCE, 0))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    told = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return told.removeprefix("gossamer: ")[:_SENTENCE]


def birth_of(pid: int) -> int:
    """Return when a process began, as the kernel counts; 0: there is none, or only what is left of one."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0
    return 0 if fields[0] in (b"Z", b"X") else int(fields[19])


def _read(path: Path, kind: type[_Paper]) -> _Paper | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):  # not there, or somebody else's idea of it: nothing is wanted
        return None


def _write(path: Path, paper: Struct) -> None:
    try:
        write_whole(path, msgspec.json.encode(paper) + b"\n")
    except OSError as error:
        if error.errno in FULL:
            raise DiskFull(f"no space is left for {path}; free some") from error
        raise CrawlReadOnly(f"cannot write {path}: {(error.strerror or str(error)).lower()}; check its permissions") from error
