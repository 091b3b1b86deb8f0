"""The same numbers as `_simhash.c` where nothing could be compiled: a SimHash on numpy's vectors.

A word's hash is a polynomial of its characters; read off prefix sums it takes the same few steps over all characters, whatever
the words are. A text is taken in pieces that end between words, so that the vectors stay small.
"""

import os
from collections.abc import Iterator

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # nothing here needs its threads, and each takes address space

import numpy as np
from numpy.typing import NDArray

from gossamer.dedupe.scripts import ALONE, LETTER, RANGES

PIECE = 32 * 1024  # characters taken at once, and hashes
LONGEST = 64  # characters of a word that count
SHINGLE = 3
SKETCH = 16

Numbers = NDArray[np.uint64]

_BASE, _WORD = 0x9E3779B97F4A7C15, np.uint64(0xBF58476D1CE4E5B9)
_FIRST, _SECOND = np.uint64(0xD6E8FEB86659FD93), np.uint64(0xA0761D6478BD642F)
_MIX, _REMIX = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_HALF, _LESS = np.uint64(32), np.uint64(29)


def reckon(text: str) -> tuple[int, int, tuple[int, ...]]:
    """Return SimHash, number of words and sketch of a text."""
    text = text if text.isascii() else text.casefold()
    words = np.concatenate([np.zeros(0, np.uint64), *map(_words, _pieces(text))])
    if not len(words):
        return 0, 0, ()
    padded = np.concatenate((words, np.zeros(max(SHINGLE - len(words), 0), np.uint64)))
    hashes = np.sort(_mixed(padded[:-2] * _FIRST + padded[1:-1] * _SECOND + padded[2:]))
    hashes = hashes[np.append(True, hashes[1:] != hashes[:-1])]  # what `unique` does in six times the time
    return _majority(hashes), len(words), _sketch(hashes)


def _kinds() -> NDArray[np.uint8]:
    """Return what each character is."""
    kinds = np.full(0x110000, LETTER, np.uint8)
    kinds[:0x80] = [chr(code).isalnum() for code in range(0x80)]
    for first, last, kind in RANGES:
        kinds[first : last + 1] = kind
    return kinds


def _powers(base: int) -> Numbers:
    powers = np.full(PIECE, base, np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers)


_KINDS = _kinds()
_POWERS, _INVERSE = _powers(_BASE), _powers(pow(_BASE, -1, 1 << 64))
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.int64)  # of each byte
_COLUMNS = np.arange(0, 8 * 256, 256)
_NONE = np.zeros(0, np.intp)


def _pieces(text: str) -> Iterator[NDArray[np.uint32]]:
    """Give a text as numbers of characters, cut where words end; of a word that fills a piece the rest is left out."""
    start, is_inside = 0, False
    while start < len(text):
        codes = np.frombuffer(text[start : start + PIECE].encode("utf-32-le"), "<u4")
        between = np.flatnonzero(_KINDS.take(codes) != LETTER) if is_inside or start + PIECE < len(text) else _NONE
        begin = (int(between[0]) if len(between) else len(codes)) if is_inside else 0
        is_inside = not len(between)
        end = len(codes) if is_inside or start + PIECE >= len(text) else int(between[-1]) + 1
        start += end
        yield codes[begin:end]


def _words(codes: NDArray[np.uint32]) -> Numbers:
    """Return the hash of every word."""
    codes = np.where((codes >= ord("A")) & (codes <= ord("Z")), codes | 32, codes)
    kinds = _KINDS.take(codes)
    is_letter, is_alone = kinds == LETTER, kinds == ALONE
    begins, ends = is_letter.copy(), is_letter.copy()
    begins[1:] &= ~is_letter[:-1]
    ends[:-1] &= ~is_letter[1:]
    first, last = np.flatnonzero(begins | is_alone), np.flatnonzero(ends | is_alone)
    last = np.minimum(last, first + (LONGEST - 1))
    sums = np.cumsum(codes * _INVERSE[: len(codes)], dtype=np.uint64)
    words = sums[last] - sums[first] + codes[first] * _INVERSE[first]
    words *= _POWERS[last]
    words ^= words >> _HALF
    return words * _WORD


def _mixed(hashes: Numbers) -> Numbers:
    hashes ^= hashes >> _HALF
    hashes *= _MIX
    hashes ^= hashes >> _LESS
    hashes *= _REMIX
    return hashes ^ (hashes >> _HALF)


def _majority(hashes: Numbers) -> int:
    """Return the bits that more than half of the hashes have."""
    counts = np.zeros((8, 256), np.int64)
    for start in range(0, len(hashes), PIECE):
        octets = hashes[start : start + PIECE].astype("<u8").view(np.uint8).reshape(-1, 8)
        counts += np.bincount((octets + _COLUMNS).ravel(), minlength=8 * 256).reshape(8, 256)
    bits = (counts @ _BITS).ravel() * 2 > len(hashes)
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _sketch(hashes: Numbers) -> tuple[int, ...]:
    """Return the smallest upper halves; the hashes are in order."""
    for some in (hashes[: 4 * SKETCH], hashes):
        smallest = dict.fromkeys((some >> _HALF).tolist())
        if len(smallest) >= SKETCH:
            break
    return tuple(smallest)[:SKETCH]
