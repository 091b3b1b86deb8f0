"""Pages in memory by pairs of blocks of their SimHashes, so that whoever differs in three bits is found.

Each half of the 64 bits is cut into three blocks, of 11, 11 and 10 bits. Three wrong bits spoil at most three of the six, and
of the three that are left two are in the same half: one of six pairs is unspoilt, the three of each half. Four quarters of
which one is left would do as well, but pages made of one template share quarters by the thousand.

An entry is a SimHash and the name of a page, eight bytes each, and is there as often as it was added. `_recent.c` has them in
40 bytes each; without it they are in lists. Pages of one template share pairs too: among 20,000 that have four fifths of their
words in common, a page is looked for in 6 us, and in 170 without it.
"""

from collections.abc import Iterator
from typing import Any, Protocol, cast

from gossamer.compiled import optional

ENTRY = 16  # bytes

_PAIRS = tuple(pair << half for half in (0, 32) for pair in (0x3FFFFF, 0xFFC007FF, 0xFFFFF800))  # the bits of each
_HEADS = len(_PAIRS) * 4 << 17  # bytes, as in `_recent.c`
_SLOT = 40
_FEWEST = 4_096  # slots: as many more each time that there are too few, or an eighth


class Recent(Protocol):
    """Finds entries that are near."""

    def near(self, simhash: int, most: int) -> list[tuple[int, bytes]]:
        """Return the entries that differ in at most so many bits, which are three or fewer, with the number of bits."""

    def enter(self, entry: bytes, most: int) -> list[tuple[int, bytes]]:
        """Put an entry in unless some are near; return those."""

    def add(self, entries: bytes) -> None:
        """Put entries in."""

    def remove(self, entries: bytes) -> None:
        """Take each of these out once; one that is not there is none."""


class PlainRecent:
    """The same without anything compiled."""

    def __init__(self) -> None:
        self._lists: dict[tuple[int, int], list[bytes]] = {}  # by pair and what is in it

    def near(self, simhash: int, most: int) -> list[tuple[int, bytes]]:
        found = []
        for number, pair in enumerate(_PAIRS):
            for entry in self._lists.get((pair, simhash & pair), ()):
                difference = simhash ^ int.from_bytes(entry[:8], "big")
                if difference.bit_count() <= most and all(difference & earlier for earlier in _PAIRS[:number]):
                    found.append((difference.bit_count(), entry))
        return found

    def enter(self, entry: bytes, most: int) -> list[tuple[int, bytes]]:
        found = self.near(int.from_bytes(entry[:8], "big"), most)
        if not found:
            self.add(entry)
        return found

    def add(self, entries: bytes) -> None:
        for entry in split(entries):
            simhash = int.from_bytes(entry[:8], "big")
            for pair in _PAIRS:
                self._lists.setdefault((pair, simhash & pair), []).append(entry)

    def remove(self, entries: bytes) -> None:
        for entry in split(entries):
            simhash = int.from_bytes(entry[:8], "big")
            for pair in _PAIRS:
                there = self._lists.get((pair, simhash & pair), [])
                if entry in there:
                    there.remove(entry)
                if not there:
                    self._lists.pop((pair, simhash & pair), None)


def split(entries: bytes) -> Iterator[bytes]:
    """Walk over entries that stand together."""
    return (entries[start : start + ENTRY] for start in range(0, len(entries), ENTRY))


_quick: Any = optional("gossamer.dedupe._recent")


class CompiledRecent:
    """Entries in one piece of memory, which grows with them."""

    def __init__(self) -> None:
        self._memory = bytearray(_HEADS + _SLOT * _FEWEST)

    def near(self, simhash: int, most: int) -> list[tuple[int, bytes]]:
        return cast(list[tuple[int, bytes]], _quick.near(self._memory, simhash, most))

    def enter(self, entry: bytes, most: int) -> list[tuple[int, bytes]]:
        while (found := _quick.enter(self._memory, entry, most)) is None:
            self._grow()
        return cast(list[tuple[int, bytes]], found)

    def add(self, entries: bytes) -> None:
        while not _quick.add(self._memory, entries):
            self._grow()

    def remove(self, entries: bytes) -> None:
        _quick.remove(self._memory, entries)

    def _grow(self) -> None:
        self._memory.extend(bytes(_SLOT * max(_FEWEST, len(self._memory) // _SLOT // 8)))


def new_recent() -> Recent:
    """Return an empty one."""
    return CompiledRecent() if _quick else PlainRecent()
