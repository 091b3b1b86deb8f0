"""Walks of stores, taken some at a time: a walk is asynchronous and may be longer than memory."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

_Item = TypeVar("_Item")


async def first(walk: AsyncIterator[_Item], most: int) -> list[_Item]:
    """Return the next items of a walk, no more than asked for; fewer: there are no more."""
    some: list[_Item] = []
    while len(some) < most:
        try:
            some.append(await anext(walk))
        except StopAsyncIteration:
            break
    return some


async def batches(walk: AsyncIterator[_Item], size: int) -> AsyncIterator[list[_Item]]:
    """Walk over the items of a walk so many at a time."""
    some: list[_Item] = []
    async for item in walk:  # quicker than to ask for each
        some.append(item)
        if len(some) == size:
            yield some
            some = []
    if some:
        yield some


async def on_a_thread(walk: Iterator[_Item]) -> AsyncIterator[_Item]:
    """Walk over what takes long to find, each step of it on a thread."""
    end = object()
    while (item := await asyncio.to_thread(next, walk, end)) is not end:
        yield item  # type: ignore[misc]
