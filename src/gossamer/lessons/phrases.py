"""Phrases that hosts have shown lately: a memory of fixed size, and a log of as many in the store to fill it again.

Every page brings sixteen, so they are not rows of their own: looked up and written one by one they cost 0.08 ms a page, as much
as its archive record; here 0.01. A name has one place with room for two, and the one that was not seen for longer gives way: a
phrase that a maze repeats stays, one of an honest page is forgotten some hundred thousand pages later, when nobody asks for it.

The log is leaves of LEAF names, written round and round; a commit writes the last one or two again. `_phrases.c` has the loops.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence

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


def plain_has_news(memory: "array[int]", host: int, sketch: tuple[int, ...], shown: dict[int, bool]) -> bool:
    """Add phrases of a host to those shown, with whether they are new to the memory; tell whether any of those added is."""
    has_news = False
    for phrase in sketch:
        name = name_of(host, phrase)
        if name not in shown:
            place = name >> 44 & ~1
            is_new = shown[name] = memory[place] != name and memory[place + 1] != name
            has_news = has_news or is_new
    return has_news


def plain_learn(memory: "array[int]", names: Iterable[int]) -> None:
    """Put names into the memory."""
    for name in names:
        place = name >> 44 & ~1
        if memory[place] != name:
            memory[place], memory[place + 1] = name, memory[place]


_has_news: Callable[["array[int]", int, tuple[int, ...], dict[int, bool]], bool] = plain_has_news
_learn: Callable[["array[int]", Iterable[int]], None] = plain_learn
try:
    from gossamer.lessons import _phrases as _compiled
except ImportError:
    pass  # nothing was compiled
else:
    _has_news, _learn = _compiled.has_news, _compiled.learn


class Phrases:
    """The memory."""

    def __init__(self) -> None:
        self._memory = array("Q", (0,)) * (2 * PLACES)
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

    def has_news(self, host: int, sketch: tuple[int, ...], shown: dict[int, bool]) -> bool:
        """Add phrases to those shown since the last were learned, with whether they are new; tell whether any is."""
        return _has_news(self._memory, host, sketch, shown)

    def learn(self, names: Iterable[int]) -> None:
        """Remember phrases."""
        _learn(self._memory, names)

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
