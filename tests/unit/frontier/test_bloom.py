"""The Bloom filter that grows."""

from random import Random

from gossamer.frontier.bloom import GrowingBloom

NUMBERS = [Random(7).getrandbits(64) for _ in range(20_000)]


def filled() -> GrowingBloom:
    bloom = GrowingBloom(capacity=100)
    for number in NUMBERS:
        bloom.add(number)
    return bloom


def test_it_never_denies_a_number_that_was_added_however_much_it_grew() -> None:
    bloom = filled()
    assert all(number in bloom for number in NUMBERS) and bloom.count == len(NUMBERS)


def test_it_seldom_claims_a_number_that_was_not() -> None:
    bloom, random = filled(), Random(8)
    assert sum(random.getrandbits(64) in bloom for _ in range(10_000)) < 400


def test_it_comes_back_from_its_dump_and_goes_on_growing() -> None:
    bloom = GrowingBloom.load(filled().dump())
    assert bloom is not None and bloom.count == len(NUMBERS) and all(number in bloom for number in NUMBERS)
    for number in range(50_000):
        bloom.add(number)
    assert all(number in bloom for number in (*NUMBERS, *range(50_000)))


def test_a_dump_that_is_not_whole_is_no_filter() -> None:
    dump = filled().dump()
    turned = bytearray(dump)
    turned[len(dump) // 2] ^= 1
    assert GrowingBloom.load(dump[:-1]) is None
    assert GrowingBloom.load(bytes(turned)) is None
    assert GrowingBloom.load(b"") is None and GrowingBloom.load(b"\x95\x90\x01\x00\x00\x00") is None
