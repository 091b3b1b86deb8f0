"""Stores in memory that try the patience of whoever uses them."""

import asyncio
from collections.abc import Sequence

from gossamer.errors import DiskFull
from gossamer.kv.memory import MemoryKeyValue


class FullKeyValue(MemoryKeyValue):
    """A store that has no room for the next few writes."""

    full = 0

    async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        if pairs and self.full:
            self.full -= 1
            raise DiskFull("no space is left")
        await super().put_all(pairs)


class LateKeyValue(MemoryKeyValue):
    """A store that has written at once and says so later, like one that waits for its disk."""

    async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        await super().put_all(pairs)
        for _ in range(5):
            await asyncio.sleep(0)
