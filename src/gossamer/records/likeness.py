"""What the text of a page is like: small numbers that are near each other where texts are.

A SimHash differs in few bits from that of a text with few other words; a sketch shares hashes with that of a text which shares
shingles. Both are made by `dedupe/simhash.py`, and are part of what is on disk.
"""

from msgspec import Struct


class Likeness(Struct, frozen=True, array_like=True, gc=False):
    """The SimHash, length and sketch of a page's text."""

    simhash: int  # 64 bits, unsigned
    words: int
    sketch: tuple[int, ...] = ()  # the 16 smallest distinct 32-bit hashes of its shingles, ascending


def distance(one: int, two: int) -> int:
    """Return in how many bits two SimHashes differ."""
    return (one ^ two).bit_count()
