"""The URLs behind fingerprints: asked of the frontier, of a crawl that runs as of one that does not."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import ExitStack, asynccontextmanager

from gossamer.assemble import open_stores
from gossamer.clock import SystemClock
from gossamer.errors import CrawlInUse
from gossamer.jobs.control import ask
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.look import held_to_look

AT_ONCE = 2_000  # names asked of a running crawl in one question: a line of 64 KB, and ten milliseconds of its time

Naming = Callable[[Iterable[int]], Awaitable[dict[int, str]]]


@asynccontextmanager
async def naming(directory: CrawlDirectory) -> AsyncIterator[Naming]:
    """Give a function that names fingerprints; one that no known URL has is called by its digits."""
    with ExitStack() as held:
        try:
            copies = held.enter_context(held_to_look(directory))
        except CrawlInUse:
            yield lambda wanted: _names_of_running(directory, list(wanted))
            return
        async with open_stores(directory.path, directory.settings(), directory.seeds(), SystemClock(), copies) as stores:

            async def name(wanted: Iterable[int]) -> dict[int, str]:
                fingerprints = list(wanted)
                return _named(fingerprints, await stores.frontier.names(fingerprints))

            yield name


async def _names_of_running(directory: CrawlDirectory, wanted: list[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        found |= _named(some, await asyncio.to_thread(ask, directory, "names", fingerprints=some))  # which runs its own loop
    return found


def _named(wanted: list[int], names: list[str]) -> dict[int, str]:
    return {each: name or f"#{each:016x}" for each, name in zip(wanted, names, strict=True)}
