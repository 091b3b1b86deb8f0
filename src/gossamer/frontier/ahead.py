"""A few rows of each busy queue in memory, so that most leases read nothing.

What stays true of a queue that is held here: its `rows` are the first ones of the queue, without a gap; and while there are
none, no waiting URL stands on disk before `start`. That is why a refill begins behind what was taken last and need not walk
over what was deleted. Room is bounded over all queues together; when there is none, rows are read one at a time.
"""

from bisect import bisect_left, insort

from gossamer.errors import StoreError
from gossamer.frontier.keys import queue_prefix
from gossamer.frontier.store import Store

FEW = 8
ROOM = 50_000


class _Held:
    __slots__ = ("rows", "start")

    def __init__(self, rows: list[tuple[bytes, bytes]], start: bytes) -> None:
        self.rows = rows
        self.start = start


class ReadAhead:
    """The heads of the queues; every queue is told of all that comes and goes."""

    __slots__ = ("_queues", "_room", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._room = ROOM
        self._queues: dict[tuple[int, int], _Held] = {}

    def push(self, host: int, priority: int, key: bytes, raw: bytes, waiting: int) -> None:
        """Note a row that joins a queue in which `waiting` others stand; the caller writes it."""
        held = self._queues.get((host, priority))
        if held is None:
            if not waiting and self._room > 0:
                self._queues[host, priority] = _Held([(key, raw)], key)
                self._room -= 1
            return
        rows = held.rows
        if (rows and key < rows[-1][0]) or (len(rows) == waiting and len(rows) < FEW and self._room > 0):
            insort(rows, (key, raw))
            self._room -= 1
            if len(rows) > 2 * FEW:
                rows.pop()
                self._room += 1
        elif not rows and key < held.start:
            held.start = key

    def pop(self, host: int, priority: int, waiting: int) -> tuple[bytes, bytes]:
        """Take the first of the `waiting` rows of a queue, at least one; the caller deletes it."""
        held = self._queues.get((host, priority))
        if held is None:
            held = self._queues[host, priority] = _Held([], queue_prefix(host, priority))
        if not held.rows:
            held.rows = self._read(host, priority, held.start, min(waiting, FEW) if self._room > 0 else 1)
        key, raw = held.rows.pop(0)
        self._room += 1
        if waiting == 1:
            del self._queues[host, priority]
        else:
            held.start = key + b"\0"
        return key, raw

    def discard(self, host: int, priority: int, key: bytes) -> None:
        """Note a row that the caller deletes."""
        held = self._queues.get((host, priority))
        if held is not None:
            place = bisect_left(held.rows, (key,))
            if place < len(held.rows) and held.rows[place][0] == key:
                held.rows.pop(place)
                self._room += 1
                if not held.rows:
                    held.start = key  # what is left stands behind the last that was held

    def forget(self, host: int, priority: int) -> None:
        """Let go of a queue that is empty now."""
        held = self._queues.pop((host, priority), None)
        if held is not None:
            self._room += len(held.rows)

    def _read(self, host: int, priority: int, start: bytes, count: int) -> list[tuple[bytes, bytes]]:
        rows = self._store.first(start, count)
        if len(rows) < count or not rows[-1][0].startswith(queue_prefix(host, priority)):
            raise StoreError(f"the frontier counts {count} waiting URLs that are not there; its store is damaged")
        self._room -= len(rows)
        return rows
