"""The crawl's log: JSON lines in `crawl.log`. What happened, not every page: pages are in the catalog.

JSON escapes control characters, so nothing from the web can forge a line.
"""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

import msgspec

from gossamer.clock import Clock
from gossamer.watch.events import Event, VisitsEnded


class LogFile:
    """Writes events as they happen; each line is on its way to the disk at once."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file = path.open("ab", buffering=0)
        self._clock = clock

    def __enter__(self) -> "LogFile":
        self.note("run began")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            self.note("run failed", error=f"{type(error).__name__}: {error}")
        self._file.close()

    def __call__(self, event: Event) -> None:
        if not isinstance(event, VisitsEnded):
            self.note(type(event).__name__.lower(), **msgspec.structs.asdict(event))

    def note(self, what: str, /, **facts: object) -> None:
        """Write one line."""
        when = datetime.fromtimestamp(self._clock.now(), UTC).isoformat(timespec="milliseconds")
        with suppress(OSError):  # a full disk is told of elsewhere; the crawl matters more than its log
            self._file.write(msgspec.json.encode({"time": when, "event": what, **facts}) + b"\n")
