"""Reach whoever holds a crawl: a run, or a keeper (`keep.py`), which is started when nobody does.

Several doors may do so at once, and a run may begin or end meanwhile: of several keepers one gets the crawl's lock and the
others end; whoever has it is asked. A socket that a killed process left behind is nobody.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from gossamer.errors import CrawlError, CrawlSilent
from gossamer.jobs.caller import ANSWER, Caller
from gossamer.jobs.directory import KEEPER, CrawlDirectory

PROGRAM = (sys.executable, "-P", "-c", "from gossamer.jobs.keep import main; main()")  # and the crawl's directory
OPENING = 30.0  # seconds until a keeper must answer; a run that has just begun has as long as for any answer
LOOK_AGAIN = 0.02
STARTS = 3  # keepers that are started before somebody is told that it cannot be done


def elsewhere(directory: CrawlDirectory, place: Path) -> CrawlDirectory:
    """Return a crawl that cannot be written, to be asked over a socket in another place; any other as it is."""
    if os.access(directory.path, os.W_OK):
        return directory
    moved = CrawlDirectory(directory.path)
    moved.socket = place / f"{directory.path.resolve().name[:40]}.sock"
    return moved


async def reached(directory: CrawlDirectory) -> Caller:
    """Return a connection to whoever holds a crawl; raises `CrawlSilent` when nobody answers in time."""
    loop = asyncio.get_running_loop()
    began, starts = loop.time(), 0
    keeper: Keeper | None = None
    while True:
        with suppress(OSError, TimeoutError):
            return await Caller.connect(directory)
        holder = await asyncio.to_thread(directory.holder)
        if keeper is not None and keeper.is_over and holder is None and starts == STARTS:
            raise CrawlError(keeper.last_words() or f"{directory.path} cannot be opened")
        if holder is None and (keeper is None or keeper.is_over):
            starts += 1
            keeper = await asyncio.to_thread(Keeper, directory)
        patience = ANSWER if holder is not None and holder[1] != KEEPER else OPENING
        if loop.time() - began > patience:
            raise CrawlSilent(f"{directory.path.name} does not answer yet; ask again")
        await asyncio.sleep(LOOK_AGAIN)


class Keeper:
    """A keeper that was started; it outlives whoever started it, and ends when nobody asks."""

    def __init__(self, directory: CrawlDirectory) -> None:
        self._said: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - it is read when the keeper has ended
        moved = [str(directory.socket)] if directory.socket.parent != directory.path else []
        self._process = subprocess.Popen(
            [*PROGRAM, str(directory.path), *moved],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._said,
            start_new_session=True,
        )

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def last_words(self) -> str:
        """Return the sentence that it ended with."""
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").splitlines()
        return lines[-1] if lines else ""
