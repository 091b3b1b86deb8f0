"""Rows of a store that several tasks read, add to and write at once, without one losing what another added.

A change reads rows, makes new ones of them and hands them to the store, one change after the other; but none waits until the
store has written: what is on its way is remembered, and the next change is made of it. So changes share the wait for the disk.
Rows that were read for a decision can be kept, for the change that follows from it: half of all reads are saved by that.

Invariant: a kept row is the store's, or what the store will have once it has written what it was given.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from gossamer.protocols import KeyValue

_UNKNOWN = bytes(2)  # told by being this very object


class Rows:
    """Reads and changes the rows of a store."""

    def __init__(self, kv: KeyValue) -> None:
        self.changes = 0  # begun and ended: what was read is as it was when this is
        self._kv = kv
        self._kept: dict[bytes, bytes | None] = {}
        self._unwritten: dict[bytes, bytes] = {}
        self._changing = asyncio.Lock()

    def keep(self, rows: Sequence[bytes], values: Sequence[bytes | None]) -> None:
        """Keep rows that were read while there was no change."""
        if self._unwritten:
            self._kept.update(pair for pair in zip(rows, values, strict=True) if pair[0] not in self._unwritten)
        else:
            self._kept.update(zip(rows, values, strict=True))

    def drop(self, rows: Iterable[bytes]) -> None:
        """Keep rows no longer."""
        for row in rows:
            self._kept.pop(row, None)

    async def latest(self, rows: Sequence[bytes]) -> list[bytes | None]:
        """Return rows as the change now being made may take them."""
        unwritten, kept = self._unwritten, self._kept
        found = [unwritten[row] if row in unwritten else kept.get(row, _UNKNOWN) for row in rows]
        missing = [row for row, value in zip(rows, found, strict=True) if value is _UNKNOWN]
        if missing:
            read = iter(await self._kv.get_all(missing))
            found = [next(read) if value is _UNKNOWN else value for value in found]
        return found

    async def change(self, make: Callable[[], Awaitable[dict[bytes, bytes]]]) -> None:
        """Write the rows that `make` returns, durably and in one step."""
        async with self._changing:
            pairs = await make()
            self.changes += 1
            self._unwritten |= pairs
            self.drop(pairs)
        try:
            await self._kv.put_all(list(pairs.items()))
        finally:
            self.changes += 1
            for row, value in pairs.items():
                if self._unwritten.get(row) is value:
                    del self._unwritten[row]
