"""Drive what is asynchronous from code that is not: a command that shows what it finds while it looks."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import TypeVar

_Item = TypeVar("_Item")


def driven(walk: AsyncIterator[_Item]) -> Iterator[_Item]:
    """Walk over an asynchronous walk in a loop of its own; who leaves it early closes what it opened."""
    with asyncio.Runner() as runner:
        end = object()
        try:
            while (item := runner.run(_next(walk, end))) is not end:
                yield item  # type: ignore[misc]
        finally:
            runner.run(_leave(walk))  # the end of the loop would close all walks at once, also those that others are inside of


async def _next(walk: AsyncIterator[_Item], end: object) -> object:
    return await anext(walk, end)


async def _leave(walk: AsyncIterator[_Item]) -> None:
    if isinstance(walk, AsyncGenerator):
        await walk.aclose()
