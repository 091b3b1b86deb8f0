"""Rows of a store that several tasks read, add to and write at once, without one losing what another added.

A change reads rows, makes new ones of them and hands them to the store, one change after the other; but none waits until the
store has written: what is on its way is remembered, and the next change is made of it. So changes share the wait for the disk.
Rows that were read for a decision can be kept, for the change that follows from it.

Invariant: a kept row is what the store has, and nothing else is on its way there.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from gossamer.protocols import KeyValue


class Rows:
    """Reads and changes the rows of a store."""

    def __init__(self, kv: KeyValue) -> None:
        self.changes = 0  # begun and ended: what was read is as it was when this is
        self._kv = kv
        self._kept: dict[bytes, bytes | None] = {}
        self._unwritten: list[dict[bytes, bytes]] = []  # changes on their way; each row is in the latest only
        self._changing = asyncio.Lock()

    def keep(self, rows: Sequence[bytes], values: Sequence[bytes | None]) -> None:
        """Keep rows that were read while there was no change."""
        for row, value in zip(rows, values, strict=True):
            if not any(row in pairs for pairs in self._unwritten):
                self._kept[row] = value

    def drop(self, rows: Iterable[bytes]) -> None:
        """Keep rows no longer."""
        for row in rows:
            self._kept.pop(row, None)

    async def latest(self, rows: Sequence[bytes]) -> list[bytes | None]:
        """Return rows as the change now being made may take them."""
        if not rows:
            return []
        known = {row: self._kept[row] for row in rows if row in self._kept} if self._kept else {}
        known.update((row, pairs[row]) for pairs in self._unwritten for row in rows if row in pairs)
        missing = [row for row in rows if row not in known]
        if missing:
            known.update(zip(missing, await self._kv.get_all(missing), strict=True))
        return [known[row] for row in rows]

    async def change(self, make: Callable[[], Awaitable[dict[bytes, bytes]]]) -> None:
        """Write the rows that `make` returns, durably and in one step."""
        async with self._changing:
            pairs = await make()
            self.changes += 1
            self.drop(self._kept.keys() & pairs.keys())
            for earlier in self._unwritten:
                for row in earlier.keys() & pairs.keys():
                    del earlier[row]
            self._unwritten.append(pairs)
        try:
            await self._kv.put_all(list(pairs.items()))
        finally:
            self.changes += 1
            self._unwritten = [each for each in self._unwritten if each is not pairs]
