"""Tables that strangers can fill take as long for what was made to collide as for anything else.

What is made here collides in tables that put a hash where its own bits say, which is how they were once built.
"""

import time
from collections.abc import Callable
from importlib.util import find_spec
from random import Random
from typing import Any

import numpy as np
import pytest

from gossamer.dedupe import vectors
from gossamer.frontier.layout.slots import PureGathered
from gossamer.lessons.phrases import PLACES, PlainShown

BITS = (1 << 64) - 1
MIX = 0x9E37_79B9_7F4A_7C15
WORD, FIRST, SECOND = 0xBF58_476D_1CE4_E5B9, 0xD6E8_FEB8_6659_FD93, 0xA076_1D64_78BD_642F
ONE, TWO = 0xFF51_AFD7_ED55_8CCD, 0xC4CE_B9FE_1A85_EC53
MANY = 12_000
Work = Callable[[], object]

compiled = pytest.mark.skipif(find_spec("gossamer.dedupe._simhash") is None, reason="nothing is compiled here")


def seconds(work: Work) -> float:
    """Return how long some work takes: the least of three tries, of this thread."""
    tries = []
    for _ in range(3):
        begun = time.thread_time()
        work()
        tries.append(time.thread_time() - begun)
    return min(tries)


def is_fair(flooded: Work, ordinary: Work) -> bool:
    """Tell whether a flood takes about as long as what nobody made; a table that is flooded takes a hundred times as long."""
    return seconds(flooded) < 8 * seconds(ordinary) + 0.005


def text_of(words: int, hostile: bool) -> str:
    """Return a text of Han characters; the shingles of a hostile one fall into a sixteenth of a table twice as large."""
    numbers = np.random.default_rng(words).integers(0x4E00, 0x9FFF, words * 2).astype(np.uint64)
    if not hostile:
        return "".join(map(chr, numbers[:words].tolist()))
    room = 1 << (2 * words - 1).bit_length()
    candidates = numbers[:256]
    parts = candidates * np.uint64(WORD)
    chance, chosen = Random(words), [int(candidates[0]), int(candidates[1])]
    with np.errstate(over="ignore"):
        while len(chosen) < words:
            begun = (chosen[-2] * WORD * FIRST + chosen[-1] * WORD * SECOND) & BITS
            hashes = np.uint64(begun) + parts
            hashes = (hashes ^ hashes >> np.uint64(32)) * np.uint64(ONE)
            hashes = (hashes ^ hashes >> np.uint64(29)) * np.uint64(TWO)
            hashes ^= hashes >> np.uint64(32)
            fitting = np.flatnonzero((hashes & np.uint64(room - 1)) < np.uint64(room // 16))
            chosen.append(int(candidates[chance.choice(fitting.tolist())]) if len(fitting) else int(chance.choice(candidates)))
    return "".join(map(chr, chosen))


def numbers(hostile: Callable[[int], int] | None) -> list[int]:
    """Return distinct numbers of 64 bits, hostile or not."""
    chance = Random(MANY)
    return [hostile(number) if hostile else chance.getrandbits(64) for number in range(1, MANY + 1)]


def sketches(values: list[int]) -> list[tuple[int, ...]]:
    return [tuple(value * pow(MIX, -1, 1 << 64) & BITS for value in values[start : start + 16]) for start in range(0, MANY, 16)]


@compiled
def test_a_page_made_for_it_is_hashed_as_quickly_as_any_other() -> None:
    from gossamer.dedupe._simhash import reckon

    hostile, ordinary = text_of(30_000, True), text_of(30_000, False)
    assert is_fair(lambda: reckon(hostile), lambda: reckon(ordinary))
    assert reckon(hostile) == vectors.reckon(hostile)


def test_the_same_page_is_no_burden_without_a_compiler() -> None:
    hostile, ordinary = text_of(30_000, True), text_of(30_000, False)
    assert is_fair(lambda: vectors.reckon(hostile), lambda: vectors.reckon(ordinary))


@compiled
def test_links_made_for_it_are_numbered_as_quickly_as_any_others() -> None:
    from gossamer.storage._ranking import Ranking

    def block(names: list[int]) -> Work:
        columns = b"".join(number.to_bytes(8, "little") for number in (1 << 63, *names))
        content = columns[:8] + len(names).to_bytes(4, "little") + columns[8:] + bytes(len(names))
        return lambda: Ranking(1 << 30).add(content, 1, len(names))

    assert is_fair(block(numbers(lambda number: number << 24)), block(numbers(None)))


def gathering(new: Callable[[], Any], slots: list[int]) -> Work:
    def work() -> bytes:
        gathered = new()
        for slot in slots:
            gathered.add(slot, 8)
        return bytes(gathered.pairs())

    return work


@compiled
def test_urls_made_for_it_are_gathered_as_quickly_as_any_others() -> None:
    from gossamer.frontier._slots import Gathered

    hostile = numbers(lambda number: (number << 44) * pow(MIX, -1, 1 << 64) & BITS)
    assert is_fair(gathering(Gathered, hostile), gathering(Gathered, numbers(None)))
    assert gathering(Gathered, hostile)() == gathering(PureGathered, hostile)()


def test_the_same_urls_are_no_burden_without_a_compiler() -> None:
    for hostile in (lambda number: (number << 44) * pow(MIX, -1, 1 << 64) & BITS, lambda number: number << 24):
        assert is_fair(gathering(PureGathered, numbers(hostile)), gathering(PureGathered, numbers(None)))


def shown(new: Callable[[Any], Any], values: list[int]) -> Work:
    from array import array

    memory, pages = array("Q", (0,)) * (2 * PLACES), sketches(values)

    def work() -> tuple[bytes, bytes]:
        phrases = new(memory)
        for page in pages:
            phrases.has_news(0, page)
        return phrases.names(), phrases.news()

    return work


@compiled
def test_phrases_made_for_it_are_noted_as_quickly_as_any_others() -> None:
    from gossamer.lessons._phrases import Shown

    hostile = numbers(lambda number: number << 40 | (number << 40 >> 29 & 0xFFFFFF))
    assert is_fair(shown(Shown, hostile), shown(Shown, numbers(None)))
    assert shown(Shown, hostile)() == shown(PlainShown, hostile)()


def test_the_same_phrases_are_no_burden_without_a_compiler() -> None:
    hostile = numbers(lambda number: number << 40 | (number << 40 >> 29 & 0xFFFFFF))
    assert is_fair(shown(PlainShown, hostile), shown(PlainShown, numbers(None)))
