"""Pages in memory by the four quarters of their SimHashes: two that differ in three bits have a quarter in common.

An entry is a SimHash and the name of a page, eight bytes each, and is there as often as it was added. Of a quarter of a million
pages a quarter of 16 bits leaves four to look at. `_recent.c` has them in 32 bytes each; without it they are in lists.
"""

from collections.abc import Iterator
from typing import Protocol

from gossamer.likeness import distance

ENTRY = 16  # bytes

_HEADS = 4 * 65_536 * 4
_SLOT = 32
_FEWEST = 4_096  # slots: as many more each time that there are too few, or an eighth


class Recent(Protocol):
    """Finds entries that are near."""

    def near(self, simhash: int, most: int) -> list[tuple[int, bytes]]:
        """Return the entries that differ in at most so many bits, which are three or fewer, with the number of bits."""

    def add(self, entries: bytes) -> None:
        """Put entries in."""

    def remove(self, entries: bytes) -> None:
        """Take each of these out once; one that is not there is none."""


class PlainRecent:
    """The same without anything compiled."""

    def __init__(self) -> None:
        self._quarters: dict[int, list[bytes]] = {}

    def near(self, simhash: int, most: int) -> list[tuple[int, bytes]]:
        found = []
        for number, quarter in enumerate(_quarters(simhash)):
            for entry in self._quarters.get(quarter, ()):
                theirs = int.from_bytes(entry[:8], "big")
                bits = distance(simhash, theirs)
                if bits <= most and not any(quarter in _quarters(theirs) for quarter in _quarters(simhash)[:number]):
                    found.append((bits, entry))
        return found

    def add(self, entries: bytes) -> None:
        for entry in split(entries):
            for quarter in _quarters(int.from_bytes(entry[:8], "big")):
                self._quarters.setdefault(quarter, []).append(entry)

    def remove(self, entries: bytes) -> None:
        for entry in split(entries):
            for quarter in _quarters(int.from_bytes(entry[:8], "big")):
                there = self._quarters.get(quarter, [])
                if entry in there:
                    there.remove(entry)
                if not there:
                    self._quarters.pop(quarter, None)


def split(entries: bytes) -> Iterator[bytes]:
    """Walk over entries that stand together."""
    return (entries[start : start + ENTRY] for start in range(0, len(entries), ENTRY))


def _quarters(simhash: int) -> tuple[int, int, int, int]:
    return simhash & 0xFFFF, simhash >> 16 & 0xFFFF | 1 << 16, simhash >> 32 & 0xFFFF | 2 << 16, simhash >> 48 | 3 << 16


try:
    from gossamer.dedupe import _recent as _compiled
except ImportError:

    def new_recent() -> Recent:
        """Return an empty one."""
        return PlainRecent()

else:

    class CompiledRecent:
        """Entries in one piece of memory, which grows with them."""

        def __init__(self) -> None:
            self._memory = bytearray(_HEADS + _SLOT * _FEWEST)

        def near(self, simhash: int, most: int) -> list[tuple[int, bytes]]:
            return _compiled.near(self._memory, simhash, most)

        def add(self, entries: bytes) -> None:
            while not _compiled.add(self._memory, entries):
                self._memory.extend(bytes(_SLOT * max(_FEWEST, len(self._memory) // _SLOT // 8)))

        def remove(self, entries: bytes) -> None:
            _compiled.remove(self._memory, entries)

    def new_recent() -> Recent:
        """Return an empty one."""
        return CompiledRecent()
