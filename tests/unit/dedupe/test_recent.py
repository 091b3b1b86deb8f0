"""Entries in memory: all that are near are found, each as often as it is there, compiled or not."""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.dedupe.recent import PlainRecent, Recent, new_recent, split
from gossamer.records.likeness import distance

FIRSTS = [Random(seed).getrandbits(64) for seed in range(4)]
ENTRIES = st.builds(
    lambda seed, flips, name: entry(FIRSTS[seed], *flips, name=name),
    st.integers(0, 3),
    st.sets(st.integers(0, 63), max_size=3),
    st.integers(0, 2),
)


def entry(simhash: int, *flips: int, name: int = 0) -> bytes:
    for bit in flips:
        simhash ^= 1 << bit
    return simhash.to_bytes(8, "big") + name.to_bytes(8, "big")


@pytest.fixture(params=[PlainRecent, new_recent], ids=["plain", "usual"], scope="module")
def new(request: pytest.FixtureRequest) -> Callable[[], Recent]:
    way: Callable[[], Recent] = request.param
    return way


@settings(max_examples=100)
@given(st.lists(st.tuples(st.booleans(), ENTRIES), max_size=40), st.sampled_from(FIRSTS), st.integers(0, 3))
def test_what_is_near_is_what_a_search_through_all_finds(
    new: Callable[[], Recent], steps: list[tuple[bool, bytes]], simhash: int, most: int
) -> None:
    recent, there = new(), Counter[bytes]()
    for is_added, each in steps:
        if is_added:
            recent.add(each)
            there[each] += 1
        else:
            recent.remove(each)
            there[each] -= there[each] > 0
    bits = {each: distance(simhash, int.from_bytes(each[:8], "big")) for each in there}
    assert sorted(recent.near(simhash, most)) == sorted((bits[each], each) for each in there.elements() if bits[each] <= most)


@settings(max_examples=50)
@given(st.lists(ENTRIES, max_size=20), ENTRIES, st.integers(0, 3))
def test_an_entry_enters_if_none_is_near(new: Callable[[], Recent], others: list[bytes], each: bytes, most: int) -> None:
    recent, simhash = new(), int.from_bytes(each[:8], "big")
    recent.add(b"".join(others))
    near = recent.near(simhash, most)
    assert sorted(recent.enter(each, most)) == sorted(near)
    assert sorted(recent.near(simhash, most)) == (sorted(near) or [(0, each)])


def test_there_is_room_for_many_that_enter_one_by_one(new: Callable[[], Recent]) -> None:
    recent, many = new(), [entry(Random(seed).getrandbits(64)) for seed in range(5_000)]
    assert not any([recent.enter(each, 3) for each in many])
    assert all(recent.enter(each, 3) == [(0, each)] for each in many)


def test_whichever_three_bits_differ_an_entry_is_found(new: Callable[[], Recent]) -> None:
    recent = new()
    recent.add(entry(FIRSTS[0]))
    for one in range(0, 64, 5):
        for two in range(one):
            for three in range(0, two, 3):
                simhash = FIRSTS[0] ^ 1 << one ^ 1 << two ^ 1 << three
                assert recent.near(simhash, 3) == [(3, entry(FIRSTS[0]))] and not recent.near(simhash, 2)


def test_there_is_room_for_many_and_for_as_many_again_when_they_are_gone(new: Callable[[], Recent]) -> None:
    recent, random = new(), Random(3)
    for _ in range(3):
        many = b"".join(entry(random.getrandbits(64)) for _ in range(10_000))
        recent.add(many)
        assert all((0, each) in recent.near(int.from_bytes(each[:8], "big"), 3) for each in list(split(many))[::99])
        recent.remove(many)
        assert not any(recent.near(int.from_bytes(each[:8], "big"), 3) for each in list(split(many))[::99])


def test_what_comes_and_goes_takes_no_more_room_than_what_is_there_at_once(new: Callable[[], Recent]) -> None:
    recent, empty = new(), new()
    many = b"".join(entry(Random(seed).getrandbits(64)) for seed in range(4_000))
    for _ in range(5):
        recent.add(many)
        recent.remove(many)
    assert [len(value) for value in vars(recent).values()] == [len(value) for value in vars(empty).values()]
