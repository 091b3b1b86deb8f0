"""Rows of a store that several tasks read, add to and write at once, without one losing what another added.

A change reads rows, makes new ones of them and hands them to the store, one change after the other; but none waits until the
store has written: what is on its way is remembered, and the next change is made of it. So changes share the wait for the disk.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from gossamer.joints.keyvalue import Pairs


class Rows:
    """Reads and changes the rows of a store."""

    def __init__(self, kv: Pairs) -> None:
        self.changes = 0  # begun and ended: what was read is as it was when this is
        self._kv = kv
        self._unwritten: list[dict[bytes, bytes]] = []  # changes on their way; each row is in the latest only
        self._changing = asyncio.Lock()

    async def latest(self, rows: Sequence[bytes]) -> list[bytes | None]:
        """Return rows as they are with every change that was made."""
        if not rows:
            return []
        known: dict[bytes, bytes | None] = {row: pairs[row] for pairs in self._unwritten for row in rows if row in pairs}
        missing = [row for row in rows if row not in known]
        if missing:
            known.update(zip(missing, await self._kv.get_all(missing), strict=True))
        return [known[row] for row in rows]

    async def change(self, make: Callable[[], Awaitable[dict[bytes, bytes]]]) -> None:
        """Write the rows that `make` returns, durably and in one step."""
        async with self._changing:
            pairs = await make()
            self.changes += 1
            for earlier in self._unwritten:
                for row in earlier.keys() & pairs.keys():
                    del earlier[row]
            self._unwritten.append(pairs)
        try:
            await self._kv.put_all(list(pairs.items()))
        finally:
            self.changes += 1
            self._unwritten = [each for each in self._unwritten if each is not pairs]
