"""The live stream: what happens in a crawl, as Server-Sent Events; an id is the chronicle's, so nothing is lost in between.

A stream outlives the runs of its crawl: whoever holds the crawl is watched, and while nobody does, its last pulse is told again
now and then, and nobody is made to open it. A reader that is slow is waited for; what it misses
meanwhile are pulses, never events.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Annotated, Any

import msgspec
from litestar import Request, get
from litestar.datastructures import State
from litestar.params import Parameter
from litestar.response import Stream

from gossamer.api.desk import Rules
from gossamer.api.home import Home
from gossamer.api.porter import Identity
from gossamer.api.reach import CrawlReach
from gossamer.api.refusal import unfit
from gossamer.api.streams import Streams
from gossamer.errors import GossamerError
from gossamer.jobs.wire import PULSE, TROUBLE

LIVE = frozenset({PULSE, TROUBLE})  # told by whoever holds the crawl: as it happens, or never
KINDS = ("visit", "word", "begun", "ended", "gap")  # of what the chronicle tells
LOOK = 1.0  # seconds between two looks whether the stream may go on
COMMENT = 15.0  # seconds of silence after which it says that it is there
STILL = 5.0  # seconds between two pulses of a crawl that nobody holds
Put = Callable[[bytes], Awaitable[None]]
_encode = msgspec.json.Encoder().encode


@get(
    "/events",
    summary="What happens, live",
    media_type="text/event-stream",
    response_headers=None,
)
async def events(
    request: Request[Identity, Any, Any],
    state: State,
    job: str | None = None,
    kinds: str = PULSE,
    after: Annotated[str | None, Parameter(max_length=200)] = None,
    last_event_id: Annotated[str | None, Parameter(header="Last-Event-ID", max_length=200)] = None,
) -> Stream:
    """Stream pulses and events of a crawl: those after an id (`after`, or Last-Event-ID), else what comes from now on."""
    home: Home = state.home
    rules: Rules = state.rules
    streams: Streams = state.streams
    wanted = frozenset(kinds.split(","))
    strange = wanted - {*LIVE, *KINDS}
    if strange:
        raise unfit("query.kinds", f"there is no kind {min(strange)[:50]!r}; there are: {', '.join((PULSE, TROUBLE, *KINDS))}")
    reach = home.reach(job)
    streams.check()
    position = await reach.position(last_event_id or after or "") if wanted - LIVE else ""
    told = _told(reach, wanted, position, streams, lambda: rules.porter.is_good(request.user))
    return Stream(told, media_type="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})


async def _told(
    reach: CrawlReach, kinds: frozenset[str], position: str, streams: Streams, may_go_on: Callable[[], bool]
) -> AsyncIterator[bytes]:
    with streams.opened() as queue:
        tasks = [asyncio.create_task(_live(reach, kinds & LIVE, queue))] if kinds & LIVE else []
        tasks += [asyncio.create_task(_events(reach, kinds, position, queue))] if kinds - LIVE else []
        try:
            # A reader that comes again before anything has happened says where it was.
            yield b"retry: 2000\n" + (f"id: {position}\n".encode() if position else b"") + b"\n"
            silent = 0.0
            while not streams.is_over and may_go_on() and not any(task.done() for task in tasks):
                try:
                    async with asyncio.timeout(LOOK):
                        message = await queue.get()
                except TimeoutError:
                    silent += LOOK
                    message = b""
                if message is None:
                    return
                if silent >= COMMENT:
                    message = message or b": still here\n\n"
                if message:
                    silent = 0.0
                    yield message
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _events(reach: CrawlReach, kinds: frozenset[str], position: str, queue: "asyncio.Queue[bytes | None]") -> None:
    async for event in reach.events(position):
        if event.kind in kinds:
            await queue.put(f"id: {event.id}\nevent: {event.kind}\ndata: ".encode() + _encode(event) + b"\n\n")


async def _live(reach: CrawlReach, kinds: frozenset[str], queue: "asyncio.Queue[bytes | None]") -> None:
    """Tell the pulses of whoever holds the crawl, one after the other, and what trouble it has."""

    def tell(kind: str, event: Any) -> None:
        with suppress(asyncio.QueueFull):
            queue.put_nowait(f"event: {kind}\ndata: ".encode() + _encode(event) + b"\n\n")

    while True:
        holder = reach.directory.holder()
        if holder is None:
            still = await reach.glance() if PULSE in kinds else None
            if still is not None:
                tell(PULSE, still)
            await _until_held(reach)
            continue
        with suppress(GossamerError, OSError):
            async for kind, event in reach.live(*kinds):
                tell(kind, event)
        await asyncio.sleep(LOOK)


async def _until_held(reach: CrawlReach) -> None:
    """Return when somebody holds the crawl, or after a while."""
    for _ in range(int(STILL / LOOK)):
        await asyncio.sleep(LOOK)
        if reach.directory.holder() is not None:
            return
