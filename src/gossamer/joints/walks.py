"""Walks of stores, taken some at a time: a walk is asynchronous and may be longer than memory."""

from collections.abc import AsyncIterator
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
    while some := await first(walk, size):
        yield some
