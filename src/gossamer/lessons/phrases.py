"""Phrases that hosts have shown lately: a memory of fixed size, and a log of as many in the store to fill it again.

Every page brings sixteen, so they are not rows of their own: looked up and written one by one they cost 0.08 ms a page, as much
as its archive record; here 0.002. A name has one place with room for two, and the one that was not seen for longer gives way: a
phrase that a maze repeats stays, one of an honest page is forgotten some hundred thousand pages later, when nobody asks for it.

The log is leaves of LEAF names, written round and round; a commit writes the last one or two again. Names that are not asked
for one by one stand in bytes, 64 bits each, as in the memory. `_phrases.c` has the loops.
"""

from array import array
from collections.abc import Callable
from typing import Protocol

import msgspec

from gossamer.compiled import optional
from gossamer.joints.keyvalue import Pairs

PLACES = 1 << 19  # of two names each: 8 MB
LEAF = 512
LEAVES = 2 * PLACES // LEAF
SIZE = 8  # bytes of a name

_LEAF = b"phrases/"
_MIX = 0x9E37_79B9_7F4A_7C15
_BITS = 0xFFFF_FFFF_FFFF_FFFF
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[int, list[int]]).decode  # names learned until then, and those of the leaf


def name_of(host: int, phrase: int) -> int:
    """Name a phrase of a host."""
    return (host + phrase * _MIX) & _BITS


class ShownPhrases(Protocol):
    """The phrases that some pages showed, none of which is learned yet."""

    def has_news(self, host: int, sketch: tuple[int, ...], /) -> bool:
        """Add phrases of a host; tell whether any of them is new to these and to the memory."""

    def names(self) -> bytes:
        """Return all of them, as they came."""

    def news(self) -> bytes:
        """Return those that are new to the memory."""


class PlainShown:
    """The same without C."""

    def __init__(self, memory: "array[int]") -> None:
        self._memory = memory
        self._shown: dict[int, bool] = {}  # whether they are new

    def has_news(self, host: int, sketch: tuple[int, ...], /) -> bool:
        """Add phrases of a host; tell whether any of them is new to these and to the memory."""
        memory, shown, has_news = self._memory, self._shown, False
        for phrase in sketch:
            name = name_of(host, phrase)
            if name not in shown:
                place = name >> 44 & ~1
                is_new = shown[name] = memory[place] != name and memory[place + 1] != name
                has_news = has_news or is_new
        return has_news

    def names(self) -> bytes:
        """Return all of them, as they came."""
        return array("Q", self._shown).tobytes()

    def news(self) -> bytes:
        """Return those that are new to the memory."""
        return array("Q", [name for name, is_new in self._shown.items() if is_new]).tobytes()


def plain_learn(memory: "array[int]", names: bytes) -> None:
    """Put names into the memory."""
    for name in array("Q", names):
        place = name >> 44 & ~1
        if memory[place] != name:
            memory[place], memory[place + 1] = name, memory[place]


def plain_packed(learned: int, names: bytes) -> bytes:
    """Return a leaf as it is stored."""
    return _encode((learned, array("Q", names).tolist()))


_quick = optional("gossamer.lessons._phrases")
_shown: Callable[["array[int]"], ShownPhrases] = _quick.Shown if _quick else PlainShown
_learn: Callable[["array[int]", bytes], None] = _quick.learn if _quick else plain_learn
_packed: Callable[[int, bytes], bytes] = _quick.packed if _quick else plain_packed


class Phrases:
    """The memory."""

    def __init__(self) -> None:
        self._memory = array("Q", (0,)) * (2 * PLACES)
        self._leaf = b""  # the last one of the log, not full
        self._learned = 0

    @classmethod
    async def load(cls, kv: Pairs) -> "Phrases":
        """Remember what the log has."""
        phrases = cls()
        for learned, leaf in sorted([_decode(row) async for _, row in kv.scan(_LEAF)]):
            names = array("Q", leaf).tobytes()
            phrases.learn(names)
            phrases._learned, phrases._leaf = learned, names if len(leaf) < LEAF else b""
        return phrases

    def show(self) -> ShownPhrases:
        """Begin to note what pages show."""
        return _shown(self._memory)

    def learn(self, names: bytes) -> None:
        """Remember phrases."""
        _learn(self._memory, names)

    def log(self, names: bytes) -> list[tuple[bytes, bytes]]:
        """Return the rows that put new phrases into the log."""
        leaf, rows = self._leaf + names, []
        for number, start in enumerate(range(0, len(leaf), LEAF * SIZE), start=self._learned // LEAF):
            piece = leaf[start : start + LEAF * SIZE]
            rows.append((_LEAF + (number % LEAVES).to_bytes(4, "big"), _packed(number * LEAF + len(piece) // SIZE, piece)))
        return rows

    def logged(self, names: bytes) -> None:
        """Go on behind them, when the rows are written."""
        leaf = self._leaf + names
        self._learned += len(names) // SIZE
        self._leaf = leaf[len(leaf) - self._learned % LEAF * SIZE :]
