"""Rows of the tables and the sieve before them: no row that is there is ever said to be missing."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.dedupe.bands import TABLES, Sieve, in_order, rows_of
from gossamer.dedupe.recent import split

HASHES = st.integers(0, (1 << 64) - 1)


def test_the_rows_of_a_hash_are_what_they_were_when_stores_were_written_with_them() -> None:
    rows = rows_of(0x0123_4567_89AB_CDEF)
    assert rows[0] == b"near/\x00\x00\x04\x8d\x15" and rows[9] == b"near/\x09\x01\xab\xcd\xef" and len(rows) == 10


def entry(simhash: int) -> bytes:
    return simhash.to_bytes(8, "big") + bytes(range(8))


@given(st.lists(HASHES, max_size=40), st.integers(0, TABLES - 1))
def test_entries_are_put_in_the_order_of_their_rows(hashes: list[int], table: int) -> None:
    entries = b"".join(map(entry, [*hashes, *hashes[:3]]))
    ordered = in_order(table, entries)
    rows = [rows_of(int.from_bytes(ordered[start : start + 8], "big"))[table] for start in range(0, len(ordered), 16)]
    assert rows == sorted(rows) and sorted(split(ordered)) == sorted(split(entries))


@settings(max_examples=30)
@given(st.lists(HASHES, max_size=20), st.lists(HASHES, max_size=20))
def test_every_row_that_was_entered_is_asked_for_and_is_new_once(before: list[int], after: list[int]) -> None:
    sieve = Sieve()
    sieve.has_all_rows = True
    new = []
    for table in range(TABLES):
        fresh, others = sieve.entered(table, b"".join(map(entry, [*before, *after])))
        new += [row for row, _ in fresh]
        assert {row: each for row, each in fresh + others}.keys() == {rows_of(each)[table] for each in [*before, *after]}
        assert sorted(each for _, each in fresh + others) == sorted(map(entry, [*before, *after]))
    assert len(new) == len(set(new))
    for simhash in before:
        assert sieve.asked(simhash) == rows_of(simhash)


def test_a_new_text_among_thousands_asks_for_hardly_any_row() -> None:
    sieve, random = Sieve(), Random(1)
    sieve.has_all_rows = True
    for _ in range(5_000):
        sieve.enter(random.getrandbits(64))
    asked = sum(len(sieve.asked(random.getrandbits(64))) for _ in range(1_000))
    assert asked < 100


def test_a_sieve_that_does_not_hold_all_lets_everything_through() -> None:
    sieve = Sieve()
    assert sieve.asked(7) == rows_of(7) and sieve.met([bytes(8)]) == [bytes(8)]
    assert sieve.entered(3, entry(7)) == ([], [(rows_of(7)[3], entry(7))])
    sieve.has_all_rows = sieve.has_all_names = True
    assert sieve.asked(7) == [rows_of(7)[3]], "what was entered before is there"
    assert sieve.asked((1 << 64) - 1) == []
    assert sieve.met([bytes(8), b"\xff" * 8]) == [bytes(8)]


def test_a_name_is_known_when_it_was_met_and_hardly_before() -> None:
    sieve = Sieve()
    sieve.has_all_names = True
    names = [Random(seed).randbytes(8) for seed in range(1_000)]
    assert sieve.met(names) == []
    assert sieve.met(names) == names
    assert len(sieve.met([Random(seed + 5_000).randbytes(8) for seed in range(1_000)])) < 10
