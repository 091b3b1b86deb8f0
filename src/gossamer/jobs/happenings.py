"""What happens in a crawl while it runs, for a program that watches it: the events of its chronicle, as they are settled."""

import asyncio
from collections.abc import AsyncIterator, Callable

from gossamer.assemble import NO_CHRONICLE, chronicle_uri, open_chronicle
from gossamer.errors import UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.records.event import Event

AT_ONCE = 1_000  # events
LOOK = 0.2  # seconds between two looks for news


async def walk_events(directory: CrawlDirectory, after: str, is_running: Callable[[], bool]) -> AsyncIterator[Event]:
    """Walk over what happened after an event, from the beginning without one; goes on as long as the crawl runs."""
    settings = directory.settings()
    if chronicle_uri(settings) == NO_CHRONICLE:
        raise UsageError(f"{directory.path} has no chronicle: chronicle.level is off; set it to visits and resume")
    async with open_chronicle(directory.path, settings) as chronicle:
        while True:
            was_running = is_running()  # before the look: what was settled until then is seen
            events = await chronicle.after(after, AT_ONCE)
            for event in events:
                yield event
                after = event.id
            if not events:
                if not was_running:
                    return
                await asyncio.sleep(LOOK)
