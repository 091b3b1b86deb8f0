"""Read what a crawl did, line by line, beside it or after it, and prove that nobody has changed it since."""

import asyncio
from collections.abc import AsyncIterator, Iterator

from msgspec import Struct

from gossamer.assemble import NO_CHRONICLE, chronicle_uri, open_chronicle
from gossamer.errors import UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.driven import driven
from gossamer.joints.chronicle import Telling
from gossamer.records.event import Event
from gossamer.records.line import AuditedBlock

AT_ONCE = 1_000  # events
LOOK_AGAIN = 0.2  # seconds between two looks for news


class EventFilter(Struct, frozen=True):
    """Which events are to be shown."""

    host: str = ""
    outcome: str = ""
    since: float = 0.0

    def __call__(self, event: Event) -> bool:
        """Tell whether an event is."""
        if event.at < self.since or (self.host and event.host != self.host):
            return False
        return not self.outcome or event.said.get("outcome") == self.outcome


def told(directory: CrawlDirectory, wanted: EventFilter, limit: int | None, follow: bool) -> Iterator[Event]:
    """Walk over what a crawl tells, oldest first; `follow` waits for more."""
    return driven(_told(directory, wanted, limit, follow))


async def _told(directory: CrawlDirectory, wanted: EventFilter, limit: int | None, follow: bool) -> AsyncIterator[Event]:
    settings = directory.settings()
    if chronicle_uri(settings) == NO_CHRONICLE:
        raise UsageError(f"{directory.path} has no chronicle: chronicle.level is off; set it to visits and resume")
    async with open_chronicle(directory.path, settings) as chronicle:
        async for event in _events(chronicle, follow):
            if wanted(event):
                yield event
                limit = limit and limit - 1
                if limit == 0:
                    return


async def _events(chronicle: Telling, follow: bool) -> AsyncIterator[Event]:
    position = ""
    while True:
        events = await chronicle.after(position, AT_ONCE)
        for event in events:
            yield event
        if events:
            position = events[-1].id
        elif not follow:
            return
        else:
            await asyncio.sleep(LOOK_AGAIN)


def audit(directory: CrawlDirectory) -> Iterator[AuditedBlock]:
    """Recompute the chain of a crawl's chronicle, block by block."""
    return driven(_audit(directory))


async def _audit(directory: CrawlDirectory) -> AsyncIterator[AuditedBlock]:
    async with open_chronicle(directory.path, directory.settings()) as chronicle:
        async for block in chronicle.audit():
            yield block
