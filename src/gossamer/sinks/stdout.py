"""Events on standard output, a line of JSON each. Acknowledged is what the operating system has taken.

A reader that is slow, or asleep, fills its pipe: then a batch is left where it is after some seconds, in the middle of a line
if need be, and the rest of that line comes first next time. Writing waits on a thread, in pieces that a pipe takes whole.
"""

import asyncio
import os
import select
import time
from collections.abc import Callable, Sequence

from gossamer.config.sections import Fetch
from gossamer.errors import ConfigError, ConsumerGone, SinkError
from gossamer.joints.resolver import Resolver
from gossamer.records.event import Event
from gossamer.records.sinkuri import SinkUri
from gossamer.sinks.lines import json_lines

PATIENCE = 5.0  # seconds a reader may take to make room


class StdoutSink:
    """Writes events to standard output."""

    def __init__(
        self, uri: SinkUri, secret: str, settings: Fetch, resolver: Resolver, guard: Callable[[str], str], output: int = 1
    ) -> None:
        uri.allow()
        if uri.authority or uri.path:
            raise ConfigError(f"{uri.shown} names a place, and standard output has none; write stdout:")
        self._output = output
        self._rest = b""  # of a line that was begun

    async def send(self, events: Sequence[Event]) -> None:
        """Write events; return when all are written."""
        await asyncio.to_thread(self._write, self._rest + json_lines(events))

    def _write(self, lines: bytes) -> None:
        left, until = memoryview(lines), time.monotonic() + PATIENCE
        try:
            while left:
                _, ready, _ = select.select([], [self._output], [], max(0.0, until - time.monotonic()))
                if not ready:
                    raise SinkError(f"whoever reads standard output has taken nothing for {PATIENCE:g} s")
                left = left[os.write(self._output, left[: select.PIPE_BUF]) :]
                until = time.monotonic() + PATIENCE
        except BrokenPipeError as error:
            raise ConsumerGone("nobody reads standard output any more") from error
        except OSError as error:
            raise SinkError(f"standard output cannot be written: {(error.strerror or str(error)).lower()}") from error
        finally:
            begun = len(lines) - len(left)
            end = lines.find(b"\n", begun)
            self._rest = lines[begun : end + 1] if begun and lines[begun - 1 : begun] != b"\n" else b""

    async def aclose(self) -> None:
        """Leave standard output to others."""
