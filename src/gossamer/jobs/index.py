"""Keep `index.cdxj` current: while a crawl runs, and when the run ends, however it ends.

While it runs the index is written anew when the archive has grown, every few seconds, but for a large archive so seldom that it
takes a hundredth of the time. `gossamer index` does it at once. The archive never waits for it, and an index that cannot be
written is taken away: none is better than one that lags (`storage/archive/cdxj.py`).
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from gossamer.assemble import open_archive
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.errors import GossamerError
from gossamer.watch.events import RunTally

EVERY = 5.0  # seconds between two looks at least
SHARE = 0.01  # of the time may be spent on it


@contextmanager
def indexed_at_the_end(directory: Path, settings: Settings) -> Iterator[None]:
    """Bring the index up to date when a run is over and its archive closed."""
    try:
        yield
    finally:
        with suppress(GossamerError):  # a full disk was told of already, and the pages are kept
            asyncio.run(merge_index(directory, settings))


@asynccontextmanager
async def indexed_meanwhile(directory: Path, settings: Settings, tally: RunTally) -> AsyncIterator[None]:
    """Bring the index up to date again and again while the block runs, whenever there were visits."""
    task = asyncio.create_task(_again_and_again(directory, settings, tally))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _again_and_again(directory: Path, settings: Settings, tally: RunTally) -> None:
    loop, wait, indexed = asyncio.get_running_loop(), EVERY, 0
    while True:
        await asyncio.sleep(wait)
        visits, began = tally.visits, loop.time()
        if visits == indexed:
            continue
        with suppress(GossamerError):
            await merge_index(directory, settings)
            indexed = visits
        wait = max(EVERY, (loop.time() - began) / SHARE)


async def merge_index(directory: Path, settings: Settings) -> None:
    """Make one index of all archive files, open ones included."""
    async with open_archive(directory, settings, SystemClock()) as archive:
        await archive.merge()
