"""The Bloom filter that grows, compiled and pure."""

from random import Random

import pytest

from gossamer.frontier.bloom import GrowingBloom, PureBloom, dump, load

KINDS = list(dict.fromkeys((GrowingBloom, PureBloom)))  # one, where nothing is compiled
NUMBERS = [random.getrandbits(64) for random in [Random(7)] for _ in range(20_000)]
Bloom = GrowingBloom | PureBloom


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__module__.rpartition(".")[2])
def bloom(request: pytest.FixtureRequest) -> Bloom:
    filled: Bloom = request.param(100)
    for number in NUMBERS:
        if not filled.add(number):
            filled.count += 1
    return filled


def test_it_never_denies_a_number_that_was_added_however_much_it_grew(bloom: Bloom) -> None:
    assert all(number in bloom for number in NUMBERS) and bloom.count == len(NUMBERS)
    assert not any(bloom.add(number) for number in NUMBERS) and bloom.count == len(NUMBERS)


def test_it_seldom_claims_a_number_that_was_not(bloom: Bloom) -> None:
    random = Random(8)
    assert sum(random.getrandbits(64) in bloom for _ in range(10_000)) < 400


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 1_000])
def test_it_takes_pairs_as_they_are_written_for_their_first_numbers(bloom: Bloom, count: int) -> None:
    filled, alone = type(bloom)(100), type(bloom)(100)
    filled.add_pairs(b"".join(number.to_bytes(8, "big") + bytes(8) for number in NUMBERS[:count]))
    for number in NUMBERS[:count]:
        alone.add(number)
    assert all(number in filled for number in NUMBERS[:count]) and abs(filled.count - alone.count) <= count // 50
    with pytest.raises(Exception, match=r"16 bytes|multiple of 16"):
        filled.add_pairs(bytes(15))


def test_small_numbers_do_not_crowd_each_other(bloom: Bloom) -> None:
    crowded = type(bloom)(20_000)
    assert sum(crowded.add(number) for number in range(20_000)) > 19_500
    assert sum(number in crowded for number in range(20_000, 40_000)) < 400


def test_it_comes_back_from_its_dump_and_goes_on_growing(bloom: Bloom) -> None:
    loaded = load(dump(bloom), type(bloom))
    assert loaded is not None and loaded.count == len(NUMBERS) and loaded.layers() == bloom.layers()
    for number in range(50_000):
        loaded.add(number)
    assert all(number in loaded for number in (*NUMBERS, *range(50_000)))


def test_a_dump_that_is_not_whole_is_no_filter(bloom: Bloom) -> None:
    dumped = dump(bloom)
    turned = bytearray(dumped)
    turned[len(dumped) // 2] ^= 1
    for raw in (dumped[:-1], bytes(turned), b"", b"\x96\xa1a\x90\x01\x00\x00\x00"):
        assert load(raw, type(bloom)) is None


def test_a_dump_of_another_kind_is_no_filter(bloom: Bloom) -> None:
    other = type("Bloom of another kind", (PureBloom,), {})
    assert load(dump(bloom), other) is None


@pytest.mark.parametrize("number", [-1, 1 << 64, "1"])
def test_the_compiled_one_refuses_what_is_no_number_of_64_bits(number: int) -> None:
    bloom = GrowingBloom(100)
    if GrowingBloom is not PureBloom:
        with pytest.raises((OverflowError, TypeError)):
            bloom.add(number)
    assert bloom.count == 0


@pytest.mark.parametrize("layers", [[b"x" * 63], ["no bytes"], [b""]])
def test_the_compiled_one_refuses_bytes_that_are_no_layer(layers: list[bytes]) -> None:
    bloom = GrowingBloom(100)
    if GrowingBloom is not PureBloom:
        with pytest.raises((ValueError, TypeError)):
            bloom.restore(layers, 1, 0, 0)
    assert bloom.count == 0
