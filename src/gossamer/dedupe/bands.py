"""The rows of the ten tables that a SimHash stands in, and a sieve that tells which of them cannot be there.

Sixty-four bits are cut into five blocks; a table for each of the ten pairs of blocks has rows named by the bits of that pair,
26 at most. Nearly every row that a new page asks for is empty. The sieve has a bit for every sixteenth row of each table (4.2
million places a table), so that the store is asked for hardly any: a claim takes 3 us instead of 16.
Beyond some million pages it lets most through, which costs what it saved before and nothing else.

Invariant: a row that is in the store, or on its way there, has its bit. A sieve that cannot promise that is not whole, and
lets everything through. `_bands.c` gives the same keys, places and order.
"""

from collections.abc import Callable
from itertools import combinations
from operator import itemgetter

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

Pairs = list[tuple[bytes, bytes]]  # rows of a table, and an entry for each


def _bands(simhash: int) -> list[tuple[int, int]]:
    return [
        (number, (simhash >> high & high_bits) << width | simhash >> low & low_bits)
        for number, high, high_bits, low, low_bits, width in _TABLES
    ]


def _band(table: int, entry: bytes) -> int:
    """Return the band of an entry in one table."""
    _, high, high_bits, low, low_bits, width = _TABLES[table]
    simhash = int.from_bytes(entry[:8], "big")
    return (simhash >> high & high_bits) << width | simhash >> low & low_bits


def _key(number: int, band: int) -> bytes:
    return PREFIX + (number << 32 | band).to_bytes(5, "big")


def _place(number: int, band: int) -> int:
    return number << PLACES | (band * 0x9E3779B1 & 0xFFFFFFFF) >> 32 - PLACES  # similar texts have similar bands: spread them


def _is_met(sieve: bytearray, place: int) -> bool:
    """Set the bit of a place; tell whether it was set before."""
    was = sieve[place >> 3] >> (place & 7) & 1
    sieve[place >> 3] |= 1 << (place & 7)
    return bool(was)


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


def plain_enter(sieve: bytearray, simhash: int) -> None:
    """Put all rows of a SimHash into the sieve."""
    for number, band in _bands(simhash):
        _is_met(sieve, _place(number, band))


def plain_entered(sieve: bytearray, table: int, entries: bytes) -> tuple[Pairs, Pairs]:
    """Put entries of one table into the sieve; return those whose row is new, and those whose row may have been there."""
    fresh: Pairs = []
    others: Pairs = []
    for entry in split(entries):
        band = _band(table, entry)
        (others if _is_met(sieve, _place(table, band)) else fresh).append((_key(table, band), entry))
    return fresh, others


def plain_in_order(table: int, entries: bytes) -> bytes:
    """Return entries in the order of their rows in one table."""
    each = [(_band(table, entry), entry) for entry in split(entries)]
    return b"".join([entry for _, entry in sorted(each, key=itemgetter(0))])


def plain_met(sieve: bytearray, names: list[bytes]) -> list[bytes]:
    """Put names of pages into the sieve; return those that may have been there."""
    return [name for name in names if _is_met(sieve, _NAMES | int.from_bytes(name[:4], "big") >> 32 - PLACES)]


rows_of: Callable[[int], list[bytes]] = plain_rows_of
asked: Callable[[bytearray, int], list[bytes]] = plain_asked
enter: Callable[[bytearray, int], None] = plain_enter
entered: Callable[[bytearray, int, bytes], tuple[Pairs, Pairs]] = plain_entered
in_order: Callable[[int, bytes], bytes] = plain_in_order
met: Callable[[bytearray, list[bytes]], list[bytes]] = plain_met
try:
    from gossamer.dedupe import _bands as _compiled
except ImportError:
    pass  # nothing was compiled
else:
    rows_of, asked, enter = _compiled.rows_of, _compiled.asked, _compiled.enter
    entered, in_order, met = _compiled.entered, _compiled.in_order, _compiled.met


class Sieve:
    """Which rows of the tables, and which names of pages, the store may have."""

    __slots__ = ("_bits", "has_all_names", "has_all_rows")

    def __init__(self) -> None:
        self._bits = bytearray(_SIZE)
        self.has_all_rows = False  # that are in the store
        self.has_all_names = False

    def asked(self, simhash: int) -> list[bytes]:
        """Return the rows of a SimHash that may be there."""
        return asked(self._bits, simhash) if self.has_all_rows else rows_of(simhash)

    def enter(self, simhash: int) -> None:
        """Put all rows of a SimHash in."""
        enter(self._bits, simhash)

    def entered(self, table: int, entries: bytes) -> tuple[Pairs, Pairs]:
        """Put entries of one table in; return those whose row is new, and those whose row may have been there before."""
        fresh, others = entered(self._bits, table, entries)
        return (fresh, others) if self.has_all_rows else ([], fresh + others)

    def met(self, names: list[bytes]) -> list[bytes]:
        """Put names in; return those of which something may have been there before."""
        known = met(self._bits, names)
        return known if self.has_all_names else names
