"""The rows of the ten tables that a SimHash stands in, and a sieve that tells which of them cannot be there.

Sixty-four bits are cut into five blocks; a table for each of the ten pairs of blocks has rows named by the bits of that pair,
26 at most. Nearly every row that a new page asks for is empty. The sieve has a bit for every sixteenth row of each table (4.2
million places a table), so that the store is asked for hardly any: a claim takes 3 us instead of 16.
Beyond some million pages it lets most through, which costs what it saved before and nothing else.

Invariant: a row that is in the store, or on its way there, has its bit. A sieve that cannot promise that is not `whole`, and
lets everything through. `_bands.c` gives the same keys and places.
"""

from collections.abc import Callable
from itertools import combinations

BLOCKS = (13, 13, 13, 13, 12)  # bits of each
PLACES = 22  # bits of a place in the sieve of one table

PREFIX = b"near/"  # in a store that is shared with robots and DNS
_NAMES = 10 << PLACES  # where the places of names begin, behind those of the tables
_SPANS = [(64 - sum(BLOCKS[: place + 1]), width) for place, width in enumerate(BLOCKS)]
_TABLES = [  # of each pair of blocks: where they begin and which bits they have, and how far the first is moved up
    (number, high, (1 << high_width) - 1, low, (1 << low_width) - 1, low_width)
    for number, ((high, high_width), (low, low_width)) in enumerate(combinations(_SPANS, 2))
]
_SIZE = 11 << PLACES - 3

Entered = tuple[list[tuple[bytes, bytes]], list[bytes]]


def _bands(simhash: int) -> list[tuple[int, int]]:
    return [
        (number, (simhash >> high & high_bits) << width | simhash >> low & low_bits)
        for number, high, high_bits, low, low_bits, width in _TABLES
    ]


def _key(number: int, band: int) -> bytes:
    return PREFIX + (number << 32 | band).to_bytes(5, "big")


def _place(number: int, band: int) -> int:
    return number << PLACES | (band * 0x9E3779B1 & 0xFFFFFFFF) >> 32 - PLACES  # similar texts have similar bands: spread them


def plain_rows_of(simhash: int) -> list[bytes]:
    """Return the row of each table that a SimHash stands in."""
    return [_key(number, band) for number, band in _bands(simhash)]


def plain_asked(sieve: bytearray, simhash: int) -> list[bytes]:
    """Return those of its rows that may be there."""
    rows = []
    for number, band in _bands(simhash):
        place = _place(number, band)
        if sieve[place >> 3] >> (place & 7) & 1:
            rows.append(_key(number, band))
    return rows


def plain_entered(sieve: bytearray, simhash: int, entry: bytes) -> Entered:
    """Put a SimHash into the sieve; return its new rows, with an entry in each, and the names of those that may be there."""
    fresh, others = [], []
    for number, band in _bands(simhash):
        place = _place(number, band)
        row = _key(number, band)
        if sieve[place >> 3] >> (place & 7) & 1:
            others.append(row)
        else:
            sieve[place >> 3] |= 1 << (place & 7)
            fresh.append((row, entry))
    return fresh, others


rows_of: Callable[[int], list[bytes]] = plain_rows_of
asked: Callable[[bytearray, int], list[bytes]] = plain_asked
entered: Callable[[bytearray, int, bytes], Entered] = plain_entered
try:
    from gossamer.dedupe import _bands as _compiled
except ImportError:
    pass  # nothing was compiled
else:
    rows_of, asked, entered = _compiled.rows_of, _compiled.asked, _compiled.entered


class Sieve:
    """Which rows of the tables, and which names of pages, the store may have."""

    __slots__ = ("_bits", "whole")

    def __init__(self) -> None:
        self._bits = bytearray(_SIZE)
        self.whole = False  # all that is in the store has been put in

    def asked(self, simhash: int) -> list[bytes]:
        """Return the rows of a SimHash that may be there."""
        return asked(self._bits, simhash) if self.whole else rows_of(simhash)

    def enter(self, simhash: int, entry: bytes) -> Entered:
        """Put a SimHash in; return the rows that are new and what is in them, and those that may have been there before."""
        fresh, others = entered(self._bits, simhash, entry)
        return (fresh, others) if self.whole else ([], rows_of(simhash))

    def knows(self, name: bytes) -> bool:
        """Tell whether something of that name may be there."""
        place = _NAMES | int.from_bytes(name[:4], "big") >> 32 - PLACES
        return not self.whole or bool(self._bits[place >> 3] >> (place & 7) & 1)

    def note(self, name: bytes) -> None:
        """Put a name in."""
        place = _NAMES | int.from_bytes(name[:4], "big") >> 32 - PLACES
        self._bits[place >> 3] |= 1 << (place & 7)
