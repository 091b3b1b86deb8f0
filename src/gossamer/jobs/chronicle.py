"""Read what a crawl did, line by line, beside it or after it, and prove that nobody has changed it since."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime

from msgspec import Struct

from gossamer.assemble import open_chronicle
from gossamer.clock import SystemClock
from gossamer.config import quantities
from gossamer.config.choice import remedy
from gossamer.errors import UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.driven import driven
from gossamer.joints.chronicle import Chronicle, Telling
from gossamer.records.event import Event
from gossamer.records.line import AuditedBlock, ChainHead
from gossamer.records.outcome import Outcome

AT_ONCE = 1_000  # events
SILENCE = "chronicle.level=off"  # what an operator has said whose run is not told
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


def moment_of(text: str) -> float:
    """Return the time that a text names: a date with or without a time (UTC unless it says otherwise), or how long ago."""
    ago = quantities.seconds(text)
    if ago is not None:
        return SystemClock().now() - ago
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--since {text!r} is neither a date like 2026-11-18T13:00 nor a time like 2h") from None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def told(directory: CrawlDirectory, wanted: EventFilter, limit: int | None, follow: bool) -> Iterator[Event]:
    """Walk over what a crawl tells, oldest first; `follow` waits for more."""
    outcomes = [outcome.value for outcome in Outcome]
    if wanted.outcome and wanted.outcome not in outcomes:
        raise UsageError(f"there is no outcome {wanted.outcome!r}; {remedy(wanted.outcome, outcomes)}")
    return driven(_told(directory, wanted, limit, follow))


async def _told(directory: CrawlDirectory, wanted: EventFilter, limit: int | None, follow: bool) -> AsyncIterator[Event]:
    async with opened(directory) as chronicle:
        async for event in events_of(chronicle, goes_on=lambda: follow):
            if wanted(event):
                yield event
                limit = limit and limit - 1
                if limit == 0:
                    return


async def told_to_programs(directory: CrawlDirectory, after: str, is_running: Callable[[], bool]) -> AsyncIterator[Event]:
    """Walk over what happened after an event, from the beginning without one; goes on as long as the crawl runs."""
    async with opened(directory) as chronicle:
        async for event in events_of(chronicle, after, is_running):
            yield event


async def events_of(chronicle: Telling, after: str = "", goes_on: Callable[[], bool] = lambda: False) -> AsyncIterator[Event]:
    """Walk over the events of a chronicle, those after one, and wait for more as long as it goes on."""
    while True:
        may_be_more = goes_on()  # asked before the look: what was settled until then is seen
        events = await chronicle.after(after, AT_ONCE)
        for event in events:
            yield event
        if events:
            after = events[-1].id
        elif not may_be_more:
            return
        else:
            await asyncio.sleep(LOOK_AGAIN)


def audited(directory: CrawlDirectory, head: ChainHead | None = None) -> Iterator[AuditedBlock]:
    """Recompute the chain of a crawl's chronicle, block by block; `head` is one that it had before, and has to have still."""
    return driven(_audited(directory, head))


async def _audited(directory: CrawlDirectory, head: ChainHead | None) -> AsyncIterator[AuditedBlock]:
    async with opened(directory) as chronicle:
        last = await chronicle.chain_head()
        if head is not None and (last is None or last.node != head.node or last.block < head.block):
            yield AuditedBlock(f"block {head.block} of {head.node}", 0, "is not in this chronicle any more")
        async for block in chronicle.audit():
            if head is not None and block.block == head.block and block.hash != head.hash:
                yield AuditedBlock(block.place, 0, f"block {block.block} is another than the one whose hash was {head.hash}")
            yield block


def chain_head(directory: CrawlDirectory) -> ChainHead:
    """Return the last block of a crawl's chronicle."""
    return asyncio.run(_chain_head(directory))


async def _chain_head(directory: CrawlDirectory) -> ChainHead:
    async with opened(directory) as chronicle:
        head = await chronicle.chain_head()
    if head is None:
        raise UsageError(f"the chronicle of {directory.path} is empty; there is no hash of it yet")
    return head


def parsed_head(text: str) -> ChainHead:
    """Read what `gossamer audit head` has printed: node, block and hash."""
    try:
        node, block, digest = text.split()
        return ChainHead(node, int(block), digest, 0.0)
    except ValueError:
        raise UsageError(f"{text!r} is no head of a chronicle; give the line that `gossamer audit head` printed") from None


def opened(directory: CrawlDirectory) -> AbstractAsyncContextManager[Chronicle]:
    """Open a chronicle to read it; refuse where there is none."""
    settings = directory.settings()
    if settings.chronicle.level == "off":
        raise UsageError(f"{directory.path} has no chronicle: chronicle.level is off; set it to visits and resume")
    return open_chronicle(directory.path, settings)
