"""Feed sinks from the chronicle of a crawl: while it runs, or from a process of its own."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import uvloop
from msgspec import Struct
from msgspec.structs import replace

from gossamer.assemble import open_chronicle
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.jobs.relay.contents import Contents
from gossamer.jobs.relay.cursor import SinkCursor, SinkState, Watch, held_cursor
from gossamer.jobs.relay.forward import Forwarder
from gossamer.jobs.relay.uris import secret_of, sink_uris
from gossamer.joints.chronicle import Telling
from gossamer.network import make_addressing, make_sink
from gossamer.records.sinkuri import SinkUri


class Feed(Struct, frozen=True):
    """One sink and the way to it."""

    cursor: SinkCursor
    forwarder: Forwarder


class Feeds:
    """All sinks of a process."""

    def __init__(self, feeds: Sequence[Feed], telling: Telling, drain: float) -> None:
        self._feeds = feeds
        self._telling = telling
        self._drain = drain
        self._ending = asyncio.Event()
        self._tasks = [asyncio.create_task(feed.forwarder.run(self._ending, is_patient=False)) for feed in feeds]

    async def finish(self) -> tuple[SinkState, ...]:
        """Tell what is left, of sinks that listen and while there is time; return how far each one is."""
        self._ending.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self._drain)
        return tuple([replace(feed.cursor.state, lag=await self._lag(feed.cursor)) for feed in self._feeds])

    async def _lag(self, cursor: SinkCursor) -> int:
        return await self._telling.lag(cursor.state.position)

    async def aclose(self) -> None:
        """Leave the sinks where they are."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def fed_meanwhile(directory: Path, settings: Settings) -> AsyncIterator[Feeds]:
    """Tell the sinks of a crawl what happens while the block runs."""
    async with AsyncExitStack() as stack:
        telling = await stack.enter_async_context(open_chronicle(directory, settings))
        opened = [
            await stack.enter_async_context(_feed(directory, settings, uri, telling))
            for uri in sink_uris(settings, settings.events.to)
        ]
        feeds = Feeds(opened, telling, settings.events.drain)
        stack.push_async_callback(feeds.aclose)
        yield feeds


def relay(directory: Path, settings: Settings, uri: str, follow: bool, watch: Watch) -> SinkState:
    """Tell one sink all it has not been told; `follow` goes on with what comes. `watch` sees every step."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_relay(directory, settings, uri, follow, watch))


async def _relay(directory: Path, settings: Settings, uri: str, follow: bool, watch: Watch) -> SinkState:
    (target,) = sink_uris(settings, (uri,))
    ending = asyncio.Event()
    if not follow:
        ending.set()
    async with open_chronicle(directory, settings) as telling, _feed(directory, settings, target, telling, watch) as feed:
        await feed.forwarder.run(ending, is_patient=True)
        return replace(feed.cursor.state, lag=await telling.lag(feed.cursor.state.position))


@asynccontextmanager
async def _feed(
    directory: Path, settings: Settings, uri: SinkUri, telling: Telling, watch: Watch = lambda state, count: None
) -> AsyncIterator[Feed]:
    async with AsyncExitStack() as stack:
        resolver, guard = make_addressing(settings)
        stack.push_async_callback(resolver.aclose)
        sink = make_sink(uri, secret_of(uri), settings, resolver, guard)
        stack.push_async_callback(sink.aclose)
        cursor = stack.enter_context(held_cursor(directory, uri, watch))
        contents = Contents(directory, settings, uri.contents)
        stack.push_async_callback(contents.aclose)
        yield Feed(cursor, Forwarder(telling, sink, cursor, contents.complete, settings.events, SystemClock()))
