"""Phrases that hosts have shown lately: a memory of fixed size, and a log of as many in the store to fill it again.

Every page brings sixteen, so they are not rows of their own: looked up and written one by one they cost 0.08 ms a page, as much
as its archive record; here 0.01. A name has one place with room for two, and the one that was not seen for longer gives way: a
phrase that a maze repeats stays, one of an honest page is forgotten some hundred thousand pages later, when nobody asks for it.

The log is leaves of LEAF names, written round and round; a commit writes the last one or two again.
"""

from array import array
from collections.abc import Iterable, Sequence

import msgspec

from gossamer.protocols import KeyValue

PLACES = 1 << 19  # of two names each: 8 MB
LEAF = 512
LEAVES = 2 * PLACES // LEAF

_LEAF = b"phrases/"
_MIX = 0x9E37_79B9_7F4A_7C15
_BITS = 0xFFFF_FFFF_FFFF_FFFF
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[int, list[int]]).decode  # names learned until then, and those of the leaf


def name_of(host: int, phrase: int) -> int:
    """Name a phrase of a host."""
    return (host + phrase * _MIX) & _BITS


class Phrases:
    """The memory."""

    def __init__(self) -> None:
        self._memory = array("Q", bytes(16 * PLACES))
        self._leaf: list[int] = []  # the last one of the log, not full
        self._learned = 0

    @classmethod
    async def load(cls, kv: KeyValue) -> "Phrases":
        """Remember what the log has."""
        phrases = cls()
        for learned, names in sorted([_decode(row) async for _, row in kv.scan(_LEAF)]):
            phrases.learn(names)
            phrases._learned, phrases._leaf = learned, names if len(names) < LEAF else []
        return phrases

    def knows(self, name: int) -> bool:
        """Tell whether a phrase was shown."""
        place = name >> 44 & ~1
        return self._memory[place] == name or self._memory[place + 1] == name

    def has_news(self, host: int, sketch: Iterable[int], shown: dict[int, bool]) -> bool:
        """Add phrases of a host to those shown since the last were learned, and whether they are new; tell whether any is.

        All of a page in one loop, without a call for each: half the price.
        """
        memory, has_news = self._memory, False
        for phrase in sketch:
            name = (host + phrase * _MIX) & _BITS
            if name not in shown:
                place = name >> 44 & ~1
                is_new = shown[name] = memory[place] != name and memory[place + 1] != name
                has_news = has_news or is_new
        return has_news

    def learn(self, names: Iterable[int]) -> None:
        """Remember phrases."""
        memory = self._memory
        for name in names:
            place = name >> 44 & ~1
            if memory[place] != name:
                memory[place], memory[place + 1] = name, memory[place]

    def log(self, names: Sequence[int]) -> list[tuple[bytes, bytes]]:
        """Return the rows that put new phrases into the log."""
        leaf, rows = [*self._leaf, *names], []
        for number, start in enumerate(range(0, len(leaf), LEAF), start=self._learned // LEAF):
            piece = leaf[start : start + LEAF]
            rows.append((_LEAF + (number % LEAVES).to_bytes(4, "big"), _encode((number * LEAF + len(piece), piece))))
        return rows

    def logged(self, names: Sequence[int]) -> None:
        """Go on behind them, when the rows are written."""
        leaf = [*self._leaf, *names]
        self._learned += len(names)
        self._leaf = leaf[len(leaf) - self._learned % LEAF :]
