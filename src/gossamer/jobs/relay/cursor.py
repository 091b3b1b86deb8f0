"""How far a sink is: one small file each in the crawl's directory, below `sinks/`.

It is moved when the consumer has acknowledged, never before, so that a crash repeats a batch and loses none. Nobody opens the
crawl's stores for it: a relay beside a running crawl has its own, and `status` reads those of all.

One process at a time tells a sink: it holds the file's lock, which the kernel lets go when it ends.
"""

import asyncio
import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from gossamer.errors import CrawlInUse, CrawlReadOnly
from gossamer.records.sinkuri import SinkUri
from gossamer.seal import write_whole

FOLDER = "sinks"


class SinkState(Struct, frozen=True, kw_only=True):
    """The content of a cursor's file."""

    sink: str  # as people are shown it
    position: str = ""  # id of the last event it has acknowledged; empty: none
    acknowledged: int = 0  # events, repeats included
    at: float = 0.0  # when it last acknowledged some
    error: str = ""  # why it has not taken the next ones; empty: it has
    failures: int = 0  # in a row
    since: float = 0.0  # when the first of them was
    lag: int = 0  # events it has not acknowledged, counted when somebody asks


Watch = Callable[[SinkState, int], None]  # called with what is noted, and how many events were acknowledged


class SinkCursor:
    """The place of one sink in the chronicle."""

    def __init__(self, path: Path, state: SinkState, watch: Watch) -> None:
        self._path = path
        self._watch = watch
        self.state = state

    @property
    def reader(self) -> str:
        """Return what the chronicle calls this reader of it."""
        return self._path.stem

    async def advance(self, position: str, count: int, now: float) -> None:
        """Note what a sink has acknowledged."""
        told = self.state.acknowledged + count
        await self._write(SinkState(sink=self.state.sink, position=position, acknowledged=told, at=now), count)

    async def fail(self, error: str, now: float) -> None:
        """Note that a sink has not taken what it was told."""
        failures, since = self.state.failures + 1, self.state.since or now
        await self._write(replace(self.state, error=error, failures=failures, since=since))

    async def _write(self, state: SinkState, count: int = 0) -> None:
        """Write the file; not synced: after a power loss it may be an older one, which repeats some events."""
        self.state = state
        self._watch(state, count)
        with suppress(OSError):  # a full disk is told of elsewhere; after a crash some more events are repeated
            await asyncio.to_thread(write_whole, self._path, msgspec.json.encode(state) + b"\n", synced=False)


@contextmanager
def held_cursor(directory: Path, uri: SinkUri, watch: Watch) -> Iterator[SinkCursor]:
    """Hold the cursor of a sink; a second holder is refused. `watch` sees every step."""
    path = directory / FOLDER / f"{hashlib.sha256(uri.name.encode()).hexdigest()[:16]}.json"
    try:
        path.parent.mkdir(exist_ok=True)
        descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise CrawlReadOnly(f"{path.parent} cannot be written: {error.strerror}; how far a sink is must be kept") from error
    try:
        _hold(descriptor, uri)
        known = _read(path) or SinkState(sink=uri.shown)
        yield SinkCursor(path, replace(known, failures=0), watch)  # a new process tries at once
    finally:
        os.close(descriptor)


def _hold(descriptor: int, uri: SinkUri) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
        raise CrawlInUse(f"{uri.shown} is told by process {holder} already; stop that one first") from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)


def _read(path: Path) -> SinkState | None:
    """Read a cursor; one that is not there, or torn by a power loss, is none: then everything is told again."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=SinkState)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def sink_states(directory: Path) -> list[SinkState]:
    """Return how far every sink is that was ever told something of a crawl."""
    states = [_read(path) for path in sorted((directory / FOLDER).glob("*.json"))]
    return sorted([state for state in states if state is not None], key=lambda state: state.sink)


def cursors_of(directory: Path) -> dict[str, bytes]:
    """Return the files of all cursors, for a copy of the crawl."""
    return {path.name: path.read_bytes() for path in (directory / FOLDER).glob("*.json")}


def write_cursors(directory: Path, cursors: Mapping[str, bytes]) -> None:
    """Put cursors into a copy of their crawl."""
    for name, content in cursors.items():
        (directory / FOLDER).mkdir(exist_ok=True)
        write_whole(directory / FOLDER / name, content)
