"""How long somebody holds the event loop: measured by a beat that wants a turn all the time, in processor time of the thread,
so that a busy machine is nobody's fault."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from time import thread_time
from typing import Any


@dataclass(frozen=True)
class Held:
    """What an answer took of the loop."""

    answer: Any
    longest: float  # seconds between two turns of others
    total: float  # seconds


async def held_by(work: Awaitable[Any]) -> Held:
    """Await something, and measure how it held the loop meanwhile."""
    began = last = thread_time()
    longest = beats = 0.0
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.sleep(0)
        now = thread_time()
        longest, last = max(longest, now - last), now
        beats += 1
        if not beats % 1000:
            await asyncio.sleep(0.001)  # it may wait for a thread
            last = thread_time()
    return Held(task.result(), longest, last - began)
