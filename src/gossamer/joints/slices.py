"""Slices: what takes long on the loop of a running crawl is done a few milliseconds at a time, with turns of others between.

A question of an operator may look at a million hosts; a crawl that waits for the answer meanwhile fetches nothing and hears no
worker. Whoever works through something long asks `Slices.turn` after each small part of it.
"""

import asyncio
from time import perf_counter

SLICE = 0.005  # seconds between two turns of the loop


class Slices:
    """Gives the loop back when a slice is over."""

    __slots__ = ("_end",)

    def __init__(self) -> None:
        self._end = perf_counter() + SLICE

    async def turn(self) -> None:
        """Let others have a turn, unless this slice has just begun."""
        if perf_counter() >= self._end:
            await asyncio.sleep(0)
            self._end = perf_counter() + SLICE
