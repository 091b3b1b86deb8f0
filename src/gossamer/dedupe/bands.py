"""The rows of the ten tables that a SimHash stands in, and a sieve that tells which of them cannot be there.

Sixty-four bits are cut into five blocks; a table for each of the ten pairs of blocks has rows named by the bits of that pair,
26 at most. Nearly every row that a new page asks for is empty. The sieve has a bit for every sixteenth row of each table (4.2
million places a table), so that the store is asked for hardly any: a claim takes 6 us instead of 16.
Beyond some million pages it lets most through, which costs what it saved before and nothing else.

Invariant: a row that is in the store, or on its way there, has its bit. A sieve that cannot promise that is not whole, and
lets everything through.
"""

import sys
from array import array
from itertools import combinations

from gossamer.dedupe.recent import split

BLOCKS = (13, 13, 13, 13, 12)  # bits of each
TABLES = 10
PLACES = 22  # bits of a place in the sieve of one table

PREFIX = b"near/"  # in a store that is shared with robots and DNS
_NAMES = TABLES << PLACES  # where the places of names begin, behind those of the tables
_SPANS = [(64 - sum(BLOCKS[: place + 1]), width) for place, width in enumerate(BLOCKS)]
_TABLES = [  # of each pair of blocks: where they begin and which bits they have, and how far the first is moved up
    (number, high, (1 << high_width) - 1, low, (1 << low_width) - 1, low_width)
    for number, ((high, high_width), (low, low_width)) in enumerate(combinations(_SPANS, 2))
]
_SIZE = TABLES + 1 << PLACES - 3
_INDEX = 20  # bits: more than entries that are put in order at once

Pairs = list[tuple[bytes, bytes]]  # rows of a table, and an entry for each


def rows_of(simhash: int) -> list[bytes]:
    """Return the row of each table that a SimHash stands in."""
    return [
        _key(number, (simhash >> high & high_bits) << width | simhash >> low & low_bits)
        for number, high, high_bits, low, low_bits, width in _TABLES
    ]


def in_order(table: int, entries: bytes) -> bytes:
    """Return entries in the order of their rows in one table."""
    each = list(split(entries))
    bands = enumerate(_bands_in(table, entries))
    return b"".join([each[number & (1 << _INDEX) - 1] for number in sorted([band << _INDEX | place for place, band in bands])])


def _bands_in(table: int, entries: bytes) -> list[int]:
    """Return the bits of one table that name the row of each entry."""
    _, high, high_bits, low, low_bits, width = _TABLES[table]
    numbers = array("Q", entries)
    if sys.byteorder == "little":
        numbers.byteswap()
    return [(simhash >> high & high_bits) << width | simhash >> low & low_bits for simhash in numbers[::2]]


def _key(table: int, band: int) -> bytes:
    return PREFIX + (table << 32 | band).to_bytes(5, "big")


def _place(table: int, band: int) -> int:
    return table << PLACES | (band * 0x9E3779B1 & 0xFFFFFFFF) >> 32 - PLACES  # similar texts have similar bands: spread them


class Sieve:
    """Which rows of the tables, and which names of pages, the store may have."""

    __slots__ = ("_bits", "has_all_names", "has_all_rows")

    def __init__(self) -> None:
        self._bits = bytearray(_SIZE)
        self.has_all_rows = False  # that are in the store
        self.has_all_names = False

    def asked(self, simhash: int) -> list[bytes]:
        """Return the rows of a SimHash that may be there."""
        if not self.has_all_rows:
            return rows_of(simhash)
        bits, rows = self._bits, []
        for number, high, high_bits, low, low_bits, width in _TABLES:
            band = (simhash >> high & high_bits) << width | simhash >> low & low_bits
            place = _place(number, band)
            if bits[place >> 3] >> (place & 7) & 1:
                rows.append(_key(number, band))
        return rows

    def enter(self, simhash: int) -> None:
        """Put all rows of a SimHash in."""
        for number, high, high_bits, low, low_bits, width in _TABLES:
            self._is_met(_place(number, (simhash >> high & high_bits) << width | simhash >> low & low_bits))

    def entered(self, table: int, entries: bytes) -> tuple[Pairs, Pairs]:
        """Put entries of one table in; return those whose row is new, and those whose row may have been there before."""
        fresh: Pairs = []
        others: Pairs = []
        for band, entry in zip(_bands_in(table, entries), split(entries), strict=True):
            is_met = self._is_met(_place(table, band)) or not self.has_all_rows
            (others if is_met else fresh).append((_key(table, band), entry))
        return fresh, others

    def met(self, names: list[bytes]) -> list[bytes]:
        """Put names in; return those of which something may have been there before."""
        known = [name for name in names if self._is_met(_NAMES | int.from_bytes(name[:4], "big") >> 32 - PLACES)]
        return known if self.has_all_names else names

    def _is_met(self, place: int) -> bool:
        """Set the bit of a place; tell whether it was set before."""
        bits, at, bit = self._bits, place >> 3, 1 << (place & 7)
        was = bits[at]
        bits[at] = was | bit
        return bool(was & bit)
