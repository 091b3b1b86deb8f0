"""The live stream: what happens in a crawl, as Server-Sent Events; an id is the chronicle's, so nothing is lost in between."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
from litestar import get
from litestar.datastructures import State
from litestar.params import Parameter
from litestar.response import Stream

from gossamer.api.home import Home
from gossamer.api.reach import CrawlReach

_encode = msgspec.json.Encoder().encode


@get("/events", summary="What happens, live", media_type="text/event-stream")
async def events(
    state: State,
    job: str | None = None,
    kinds: str = "pulse",
    last_event_id: Annotated[str | None, Parameter(header="Last-Event-ID")] = None,
) -> Stream:
    """Stream pulses and events of a crawl."""
    home: Home = state.home
    return Stream(_streamed(home.reach(job), kinds.split(","), last_event_id), media_type="text/event-stream")


async def _streamed(reach: CrawlReach, kinds: list[str], after: str | None) -> AsyncIterator[bytes]:
    queue: asyncio.Queue[bytes] = asyncio.Queue(1_000)

    async def pulses() -> None:
        async for pulse in reach.watch():
            await queue.put(b"event: pulse\ndata: " + _encode(pulse) + b"\n\n")

    async def told() -> None:
        async for event in reach.events(after or ""):
            if event.kind in kinds:
                await queue.put(f"id: {event.id}\nevent: {event.kind}\ndata: ".encode() + _encode(event) + b"\n\n")

    tasks = [asyncio.create_task(pulses())] if "pulse" in kinds else []
    tasks += [asyncio.create_task(told())] if set(kinds) - {"pulse"} else []
    try:
        yield b"retry: 2000\n\n"
        while True:
            yield await queue.get()
    finally:
        for task in tasks:
            task.cancel()
