"""Rows of the tables and the sieve before them: no row that is there is ever said to be missing, compiled or not."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.dedupe import bands
from gossamer.dedupe.bands import Sieve, plain_asked, plain_entered, plain_rows_of

HASHES = st.integers(0, (1 << 64) - 1)
ENTRY = bytes(range(16))
SIZE = len(Sieve()._bits)


def test_the_rows_of_a_hash_are_what_they_were_when_stores_were_written_with_them() -> None:
    rows = plain_rows_of(0x0123_4567_89AB_CDEF)
    assert rows[0] == b"near/\x00\x00\x04\x8d\x15" and rows[9] == b"near/\x09\x01\xab\xcd\xef" and len(rows) == 10


@given(HASHES)
def test_both_ways_name_the_same_rows(simhash: int) -> None:
    assert bands.rows_of(simhash) == plain_rows_of(simhash)


def test_both_ways_fill_a_sieve_alike() -> None:
    compiled, plain = bytearray(SIZE), bytearray(SIZE)
    random = Random(5)
    firsts = [random.getrandbits(64) for _ in range(300)]
    for simhash in [*firsts, *(first ^ 1 << random.randrange(64) for first in firsts)]:
        assert bands.asked(compiled, simhash) == plain_asked(plain, simhash)
        assert bands.entered(compiled, simhash, ENTRY) == plain_entered(plain, simhash, ENTRY)
    assert compiled == plain and any(compiled)


@settings(max_examples=30, deadline=None)
@given(st.lists(HASHES, max_size=20), st.lists(HASHES, max_size=20))
def test_every_row_that_was_entered_is_asked_for_and_is_new_once(before: list[int], after: list[int]) -> None:
    sieve = Sieve()
    sieve.whole = True
    new = [row for simhash in [*before, *after] for row, entry in sieve.enter(simhash, ENTRY)[0] if entry == ENTRY]
    assert len(new) == len(set(new))
    for simhash in before:
        assert sieve.asked(simhash) == plain_rows_of(simhash)


def test_a_new_text_among_thousands_asks_for_hardly_any_row() -> None:
    sieve, random = Sieve(), Random(1)
    sieve.whole = True
    for _ in range(5_000):
        sieve.enter(random.getrandbits(64), ENTRY)
    asked = sum(len(sieve.asked(random.getrandbits(64))) for _ in range(1_000))
    assert asked < 100


def test_a_sieve_that_does_not_hold_all_lets_everything_through() -> None:
    sieve = Sieve()
    assert sieve.asked(7) == plain_rows_of(7) and sieve.knows(bytes(8))
    assert sieve.enter(7, ENTRY) == ([], plain_rows_of(7))
    sieve.whole = True
    assert sieve.asked(7) == plain_rows_of(7), "what was entered before is there"
    assert sieve.asked((1 << 64) - 1) == []


def test_a_name_is_known_when_it_was_noted_and_hardly_before() -> None:
    sieve = Sieve()
    sieve.whole = True
    names = [Random(seed).randbytes(8) for seed in range(1_000)]
    assert sum(map(sieve.knows, names)) == 0
    for name in names:
        sieve.note(name)
    assert sum(map(sieve.knows, names)) == len(names)
    assert sum(sieve.knows(Random(seed + 5_000).randbytes(8)) for seed in range(1_000)) < 10
