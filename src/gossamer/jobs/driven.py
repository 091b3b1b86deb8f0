"""Drive what is asynchronous from code that is not: a command that shows what it finds while it looks."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

_Item = TypeVar("_Item")


def driven(walk: AsyncIterator[_Item]) -> Iterator[_Item]:
    """Walk over an asynchronous walk in a loop of its own; who leaves it early closes what it opened."""
    with asyncio.Runner() as runner:
        end = object()
        while (item := runner.run(_next(walk, end))) is not end:
            yield item  # type: ignore[misc]


async def _next(walk: AsyncIterator[_Item], end: object) -> object:
    return await anext(walk, end)
