"""The same numbers as `_simhash.c` where that could not be compiled: hashes in the lanes of one long integer.

Python multiplies, shifts and counts bits of a long integer in loops of its own, so a step over all shingles of a piece is one
operation. A lane has 128 bits, of which a hash takes 64: a product stays inside its lane. All steps take time in proportion to
the text.
"""

import re
import sys
from array import array
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import mul
from string import ascii_uppercase
from struct import iter_unpack

from gossamer.dedupe.scripts import ALONE, RANGES

PIECE = 4096  # hashes taken at once
LONGEST = 64  # characters of a word that count
SHINGLE = 3
SKETCH = 16

_LANE = 128  # bits
_BITS = 0xFFFF_FFFF_FFFF_FFFF
_HASHES = int.from_bytes((bytes([255]) * 8 + bytes(8)) * (PIECE + SHINGLE), "little")  # what of each lane is its hash
_BASE, _WORD = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9
_FIRST, _SECOND = 0xD6E8FEB86659FD93, 0xA0761D6478BD642F
_MIX, _REMIX = 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53
_POWERS = [pow(_BASE, power, 1 << 64) for power in reversed(range(LONGEST))]
_LOWER = {ord(letter): letter.lower() for letter in ascii_uppercase}
_KNOWN = 65_536  # words whose hashes are kept


def _class_of(ranges: Iterable[tuple[int, int]]) -> str:
    """Spell ranges of characters inside the brackets of a regular expression."""
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges if first <= last)


def _between() -> Iterator[tuple[int, int]]:
    """Give the ranges of letters: what is in none of `RANGES`."""
    start = 0x80
    for first, last, _ in RANGES:
        yield start, first - 1
        start = last + 1


class WordHashes(dict[str, int]):
    """The hashes of words that came lately."""

    def __missing__(self, word: str) -> int:
        if len(word) > LONGEST:
            return self[word[:LONGEST]]
        folded = word.lower() if word.isascii() else word.translate(_LOWER)
        value: int = sum(map(mul, map(ord, folded), _POWERS[-len(word) :])) & _BITS
        if len(self) >= _KNOWN:
            self.clear()
        self[word] = value = (value ^ value >> 32) * _WORD & _BITS
        return value


_ALONE = ((first, last) for first, last, kind in RANGES if kind == ALONE)
_find = re.compile(f"[0-9A-Za-z{_class_of(_between())}]+|[{_class_of(_ALONE)}]").findall
_SPACED = {code: " " for code in range(0x80) if not chr(code).isalnum()}
_hashes = WordHashes()


def reckon(text: str) -> tuple[int, int, tuple[int, ...]]:
    """Return SimHash, number of words and sketch of a text."""
    text = text if text.isascii() else text.casefold()
    words = text.translate(_SPACED).split() if text.isascii() else _find(text)
    if not words:
        return 0, 0, ()
    hashes = array("Q", [*map(_hashes.__getitem__, words)])
    hashes.extend((0,) * (SHINGLE - len(words)))
    distinct: set[tuple[bytes]] = set()  # of bytes, whose place in a set nobody can foresee as he can a number's
    for start in range(0, len(hashes) - SHINGLE + 1, PIECE):
        distinct.update(iter_unpack("8s8x", _shingles(hashes[start : start + PIECE + SHINGLE - 1])))
    packed = b"".join([shingle for (shingle,) in distinct])
    return _majority(packed), len(words), _sketch(packed)


def _shingles(words: "array[int]") -> bytes:
    """Return the hash of every three words in a row, with as many bytes of nothing behind each."""
    lanes = array("Q", bytes(_LANE // 8 * len(words)))
    lanes[::2] = words
    first = int.from_bytes(_little(lanes).tobytes(), "little")
    second, third = first >> _LANE, first >> 2 * _LANE
    mixed = (first * _FIRST & _HASHES) + (second * _SECOND & _HASHES) + third & _HASHES
    mixed ^= mixed >> 32 & _HASHES
    mixed = mixed * _MIX & _HASHES
    mixed ^= mixed >> 29 & _HASHES
    mixed = mixed * _REMIX & _HASHES
    mixed ^= mixed >> 32 & _HASHES
    return mixed.to_bytes(_LANE // 8 * len(words), "little")[: _LANE // 8 * (len(words) - SHINGLE + 1)]


def _majority(packed: bytes) -> int:
    """Return the bits that more than half of the hashes have."""
    count, simhash = len(packed) // 8, 0
    lowest = int.from_bytes(bytes([1]) * count, "little")  # bit of each byte
    for place in range(8):
        column = int.from_bytes(packed[place::8], "little")
        for bit in range(8):
            if 2 * (column >> bit & lowest).bit_count() > count:
                simhash |= 1 << 8 * place + bit
    return simhash


def _sketch(packed: bytes) -> tuple[int, ...]:
    """Return the smallest upper halves."""
    halves = _little(array("I", packed))[1::2]
    few = (1 << 32) * 4 * SKETCH // len(halves)  # about four times as many as are wanted are below it
    for some in ([half for half in halves if half < few], halves):
        smallest = [half for half, _ in groupby(sorted(some))]
        if len(smallest) >= SKETCH:
            break
    return tuple(smallest[:SKETCH])


def _little(numbers: "array[int]") -> "array[int]":
    """Return numbers with the lowest byte first."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
