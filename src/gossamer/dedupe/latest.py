"""The pages that came last: found in memory, logged in the store, and put into the tables when newer ones need their place.

Ten rows of tables a page cost 20 us, most of it to keep random keys in order. The last quarter of a million are therefore only
logged, sixteen bytes each, in leaves that are written round and round; a commit writes the last one or two again. What the log
will overwrite next is put into the tables while the quarter before it fills, table by table in the order of the rows: ten rows
for each page that comes, so that the two end together. A crawl of fewer pages has none, and rows in order cost less.

Invariants: in memory is what is in the log, each as often as it was logged, and what was claimed. What was overwritten is in
the tables. Which rows are in them follows from the number of pages logged: both are written in one step, and a step that
failed is made up for by the next. An entry is no proof: whoever finds one asks what its page is now.
"""

from collections.abc import Iterator

from gossamer.dedupe.bands import PREFIX, TABLES, in_order
from gossamer.dedupe.recent import ENTRY, new_recent, split
from gossamer.joints.keyvalue import Pairs

LEAF = 128  # entries
LEAVES = 2_048
QUARTERS = 4  # of the log: one fills, one goes into the tables

_LEAF = PREFIX + b"l"
_NUMBER = 8  # bytes at the beginning of a leaf: how many entries were logged before it

Share = tuple[int, bytes]  # a table, and entries that it is to have, in order


class LogStep:
    """One write of the log: the rows that move into the tables with it, and the entries it makes obsolete."""

    __slots__ = ("overwritten", "shares")

    def __init__(self) -> None:
        self.shares: list[Share] = []
        self.overwritten = b""  # to be removed from memory when the step is written


class Latest:
    """The latest entries, and those that were claimed."""

    def __init__(self) -> None:
        self._most = LEAVES * LEAF
        self._quarter = self._most // QUARTERS
        self._entries = bytearray()  # grows until it is as long as the log may be
        self._count = 0  # logged, ever
        self._recent = new_recent()
        self._leaving: tuple[int, int, bytes] = (-1, 0, b"")  # what goes into the tables: since which count, table, in order
        self._gone: set[bytes] = set()  # entries in the log whose pages are something else now: no table needs them
        self._owed = LogStep()  # what was in steps that failed
        self.near = self._recent.near
        self.enter = self._recent.enter
        self.add = self._recent.add
        self.remove = self._recent.remove

    @classmethod
    async def load(cls, kv: Pairs) -> "Latest":
        """Read the log of a store."""
        latest = cls()
        async for _, leaf in kv.scan(_LEAF):
            first, entries = int.from_bytes(leaf[:_NUMBER], "big"), leaf[_NUMBER:]
            place = first % latest._most * ENTRY
            latest._entries.extend(bytes(max(place - len(latest._entries), 0)))  # a leaf that could not be written is missing
            latest._entries[place : place + len(entries)] = entries
            latest._count = max(latest._count, first + len(entries) // ENTRY)
            latest._recent.add(entries)
        return latest

    def log(self, entries: bytes, step: LogStep) -> dict[bytes, bytes]:
        """Log entries; return the rows that say so, to be written in one step with what goes into the tables."""
        rows: dict[bytes, bytes] = {}
        owed, self._owed = self._owed, LogStep()
        step.shares, step.overwritten = owed.shares, owed.overwritten
        if self._gone:
            self._gone.difference_update(split(entries))
        while entries:
            room = (self._quarter - self._count % self._quarter) * ENTRY
            some, entries = entries[:room], entries[room:]
            step.shares += self._shares(len(some) // ENTRY)
            step.overwritten += self._overwrite(some)
            rows.update(self._leaves(len(some) // ENTRY))
        return rows

    def leave(self, entry: bytes) -> None:
        """Take note that a page is something else now."""
        self._gone.add(entry)

    def owe(self, step: LogStep) -> None:
        """Take back what could not be written."""
        self._owed.shares += step.shares
        self._owed.overwritten += step.overwritten

    def _overwrite(self, some: bytes) -> bytes:
        """Put entries into the log; return those that stood there."""
        place = self._count % self._most * ENTRY
        old = bytes(self._entries[place : place + len(some)]) if self._count >= self._most else b""
        if self._gone:
            self._gone.difference_update(split(old))
        self._entries[place : place + len(some)] = some
        self.add(some)
        self._count += len(some) // ENTRY
        return old

    def _leaves(self, count: int) -> Iterator[tuple[bytes, bytes]]:
        """Give the leaves that hold the last so many entries."""
        for leaf in range((self._count - count) // LEAF, (self._count - 1) // LEAF + 1):
            first = leaf * LEAF
            place = first % self._most * ENTRY
            held = self._entries[place : place + min(LEAF, self._count - first) * ENTRY]
            yield _LEAF + (first % self._most // LEAF).to_bytes(4, "big"), first.to_bytes(_NUMBER, "big") + held

    def _shares(self, count: int) -> Iterator[Share]:
        """Give what has to go into the tables before so many entries are logged, which are of one quarter."""
        begun = self._count - self._count % self._quarter
        if begun < self._most - self._quarter:
            return  # what comes after this quarter is free
        start, end = TABLES * (self._count - begun), TABLES * (self._count - begun + count)
        while start < end:
            table, offset = divmod(start, self._quarter)
            some = min(self._quarter - offset, end - start)
            entries = self._in_order(begun, table)[offset * ENTRY : (offset + some) * ENTRY]
            yield table, b"".join([entry for entry in split(entries) if entry not in self._gone]) if self._gone else entries
            start += some

    def _in_order(self, begun: int, table: int) -> bytes:
        if self._leaving[:2] != (begun, table):
            place = (begun + self._quarter) % self._most * ENTRY
            self._leaving = begun, table, in_order(table, bytes(self._entries[place : place + self._quarter * ENTRY]))
        return self._leaving[2]
