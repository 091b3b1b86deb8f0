"""A crawl that runs in a process of its own, as `gossamer resume` would run it, for a program that started it.

It ends with the program, however that ends: it is asked to stop then, and finishes what is under way.
"""

import asyncio
import json
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from gossamer.errors import CrawlError, GossamerError, PluginError, StoreError, UsageError

_PROGRAM = (
    *(sys.executable, "-P", "-c"),
    "from gossamer.children import stop_with_parent; stop_with_parent(); from gossamer.cli.main import run; run()",
)
_ENDED = frozenset({0, 6, 7, 130})  # exit codes of a run that came to an end; the others are errors
_ERRORS: dict[int, type[GossamerError]] = {2: UsageError, 3: CrawlError, 4: StoreError, 5: PluginError}


class CrawlProcess:
    """One run of a crawl."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._ending = asyncio.ensure_future(process.communicate())

    @classmethod
    async def start(cls, directory: Path, settings: Mapping[str, object]) -> "CrawlProcess":
        """Start a run; settings count for this run only."""
        words = [word for key, value in settings.items() for word in ("--set", f"{key}={_written(value)}")]
        return cls(
            await asyncio.create_subprocess_exec(
                *(*_PROGRAM, "resume", str(directory), "--json", *words),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the program, which stops the crawl then
            )
        )

    @property
    def is_over(self) -> bool:
        """Whether the run has ended."""
        return self._ending.done()

    async def summary(self) -> dict[str, Any]:
        """Return what the run came to when it has ended; raise the error that ended it."""
        output, errors = await asyncio.shield(self._ending)
        code = self._process.returncode
        if code in _ENDED:
            return dict(msgspec.json.decode(output.splitlines()[-1]))
        *_, said = errors.decode("utf-8", "replace").strip().splitlines() or [f"the crawl ended with exit code {code}"]
        raise _ERRORS.get(code or 0, GossamerError)(said.removeprefix("gossamer: "))

    async def stop(self) -> None:
        """Ask the run to stop, and wait until what was under way is done."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)
        await asyncio.shield(self._ending)


def _written(value: object) -> str:
    """Return a value as `--set` takes it."""
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(list(value) if isinstance(value, tuple) else value)
