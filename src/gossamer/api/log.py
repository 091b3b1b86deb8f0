"""The server's log: JSON lines in `serve.log` of the place that is served, and text on a terminal.

A line for each request: when, its id, whose token by name, route, status, seconds. Never a token, a cookie, a body or a query.
JSON escapes control characters, so nothing that is asked for can forge a line. Bugs are there with their trace.
"""

import io
import logging
import os
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from litestar.types import HTTPScope

from gossamer.clock import Clock
from gossamer.errors import CrawlReadOnly

FILE = "serve.log"
MOST = 64 * 1024 * 1024  # bytes; then the file is set aside, and the one before it removed
LONGEST = 500  # characters of a path
LOGGERS = ("gossamer", "uvicorn.error")


class ServeLog(logging.Handler):
    """Writes lines, each on its way to the disk at once."""

    def __init__(self, place: Path, clock: Clock, to_terminal: bool) -> None:
        super().__init__(logging.WARNING)
        self._path = place / FILE
        self._clock = clock
        self._to_terminal = to_terminal
        try:
            self._file = self._opened()
        except OSError as error:
            raise CrawlReadOnly(f"{place} cannot be written: {error.strerror}; check its permissions") from None

    def __enter__(self) -> "ServeLog":
        for name in LOGGERS:
            logger = logging.getLogger(name)
            logger.addHandler(self)
            logger.propagate = False
        self.note("serve began")
        return self

    def __exit__(self, *error: object) -> None:
        self.note("serve ended")
        for name in LOGGERS:
            logging.getLogger(name).removeHandler(self)
        self._file.close()

    def request(self, id: str, scope: HTTPScope, status: int, seconds: float) -> None:
        """Tell of a request."""
        user: Any = scope.get("user")
        self.note(
            "request",
            id=id,
            who=user.name if user else "",
            address=scope["client"][0] if scope["client"] else "",
            method=scope["method"],
            route=scope.get("path_template") or "",
            path=scope.get("raw_path", b"").decode("latin-1")[:LONGEST],
            status=status,
            seconds=round(seconds, 4),
        )

    def bug(self, id: str, error: BaseException) -> None:
        """Tell of a bug of ours, with its trace."""
        self.note("bug", id=id, error=f"{type(error).__name__}: {error}", trace="".join(traceback.format_exception(error)))

    def emit(self, record: logging.LogRecord) -> None:
        """Tell what a module logs."""
        facts: dict[str, object] = {"logger": record.name, "level": record.levelname.lower()}
        if record.exc_info and record.exc_info[1] is not None:
            facts["trace"] = "".join(traceback.format_exception(record.exc_info[1]))
        self.note(record.getMessage(), **facts)

    def note(self, what: str, /, **facts: object) -> None:
        """Write one line."""
        when = datetime.fromtimestamp(self._clock.now(), UTC).isoformat(timespec="milliseconds")
        with suppress(OSError):  # a full disk is told of elsewhere
            self._file.write(msgspec.json.encode({"time": when, "event": what, **facts}) + b"\n")
            if self._file.tell() > MOST:
                self._set_aside()
        if self._to_terminal:
            shown = " ".join(f"{name}={value!r}" for name, value in facts.items() if name != "trace" and value != "")
            sys.stderr.write(f"{when} {what} {shown}\n")

    def _set_aside(self) -> None:
        self._file.close()
        self._path.replace(self._path.with_suffix(".log.1"))
        self._file = self._opened()

    def _opened(self) -> io.FileIO:
        return io.FileIO(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600), "ab")
