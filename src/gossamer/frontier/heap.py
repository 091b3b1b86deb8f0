"""A heap by time, ties by number: `Heap` is the compiled one (`_heap.c` says why) or, without a compiler, the pure one."""

from heapq import heappop, heappush
from math import inf
from typing import TYPE_CHECKING, Generic, TypeVar

_Item = TypeVar("_Item")


class PureHeap(Generic[_Item]):
    """The same in Python."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: list[tuple[float, int, _Item]] = []

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def time(self) -> float:
        """Return the time of the item on top; infinite: there is none."""
        return self._entries[0][0] if self._entries else inf

    @property
    def top(self) -> _Item:
        """Return the item on top."""
        return self._entries[0][2]

    def push(self, time: float, number: int, item: _Item) -> None:
        """Put an item in; items of the same time and number must be the same or have an order."""
        heappush(self._entries, (time, number, item))

    def pop(self) -> _Item:
        """Take the item on top out."""
        return heappop(self._entries)[2]

    def drain(self) -> list[tuple[float, int, _Item]]:
        """Take everything out, in no order."""
        entries, self._entries = self._entries, []
        return entries


if TYPE_CHECKING:
    from gossamer.frontier._heap import Heap as Heap
else:
    try:
        from gossamer.frontier._heap import Heap
    except ImportError:  # nothing was compiled
        Heap = PureHeap
