"""Codings come off; what is broken gives what it has; nothing grows beyond its limit."""

import gzip
import time
import tracemalloc
import zlib
from functools import cache

import brotlicffi
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from gossamer.document.decode import Decoded, dechunk, decode, has_wide_window, unpacked

TEXT = b"".join(b"<p>paragraph number %d</p>\n" % number for number in range(3000))
LIMIT = 10_000_000


def raw_deflate(content: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(content) + stream.flush()


def quick_br(content: bytes) -> bytes:
    return bytes(brotlicffi.compress(content, quality=5))


ENCODERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": quick_br,
    "zstd": zstandard.compress,
}


def chunked(content: bytes, sizes: list[int], end: bytes = b"0\r\n\r\n") -> bytes:
    pieces, position = [], 0
    for size in sizes:
        piece = content[position : position + size]
        position += size
        if piece:
            pieces.append(b"%x\r\n" % len(piece) + piece + b"\r\n")
    rest = content[position:]
    return b"".join(pieces) + (b"%X;ext=1\r\n" % len(rest) + rest + b"\r\n" if rest else b"") + end


@given(
    st.binary(max_size=300),
    st.lists(st.integers(1, 50), max_size=8),
    st.sampled_from([b"0\r\n\r\n", b"000\r\nX: y\r\n\r\n", b""]),
)
def test_chunks_of_any_size_come_off(content: bytes, sizes: list[int], end: bytes) -> None:
    raw = chunked(content, sizes, end)
    assert dechunk(raw) == content


@given(st.binary(min_size=1, max_size=200), st.lists(st.integers(1, 50), max_size=8), st.integers(0, 400))
def test_cut_chunks_give_the_beginning(content: bytes, sizes: list[int], cut: int) -> None:
    raw = chunked(content, sizes)
    whole = dechunk(raw[:cut])
    assert content.startswith(whole) or b"\n" not in raw[:cut]


@pytest.mark.parametrize(
    ("raw", "content"),
    [
        (b"5\nhello\n0\n\n", b"hello"),
        (b" 5 \r\nhello\r\n0\r\n\r\n", b"hello"),
        (b"5\r\nhello5\r\nworld\r\n0\r\n\r\n", b"helloworld"),
        (b"5\r\nhello\r\nzz\r\nmore", b"hello"),
        (b"ffffffffffffffff\r\nhello", b"hello"),
        (b"0\r\n\r\n", b""),
        (b"", b""),
        (b"<p>never chunked</p>", b"<p>never chunked</p>"),
    ],
)
def test_odd_chunks_are_read_as_far_as_they_go(raw: bytes, content: bytes) -> None:
    assert dechunk(raw) == content


@pytest.mark.parametrize("coding", ENCODERS)
def test_every_coding_comes_off(coding: str) -> None:
    assert decode(ENCODERS[coding](TEXT), coding, LIMIT) == Decoded(TEXT)
    assert decode(ENCODERS[coding](b""), coding.upper(), LIMIT) == Decoded(b"")


@pytest.mark.parametrize("coding", ["", "identity", " Identity ,", ","])
def test_no_coding_changes_nothing(coding: str) -> None:
    assert decode(TEXT, coding, LIMIT) == Decoded(TEXT)
    assert decode(TEXT, coding, 10) == Decoded(TEXT[:10], cut=True, too_big=True)


def test_deflate_without_its_wrapper_comes_off_too() -> None:
    assert decode(raw_deflate(TEXT), "deflate", LIMIT) == Decoded(TEXT)


def test_codings_one_over_the_other_come_off_last_first() -> None:
    assert decode(gzip.compress(brotlicffi.compress(zlib.compress(TEXT))), "deflate, br,gzip", LIMIT) == Decoded(TEXT)


@pytest.mark.parametrize(("coding", "encode"), [("gzip", gzip.compress), ("zstd", zstandard.compress)])
def test_members_one_after_the_other_are_all_read(coding: str, encode: object) -> None:
    assert decode(ENCODERS[coding](TEXT) + ENCODERS[coding](b"more"), coding, LIMIT) == Decoded(TEXT + b"more")


def test_what_follows_the_last_gzip_member_is_ignored() -> None:
    assert decode(gzip.compress(TEXT) + b"\0" * 100, "gzip", LIMIT) == Decoded(TEXT)


@pytest.mark.parametrize("coding", ENCODERS)
@pytest.mark.parametrize("limit", [0, 1, 1000, len(TEXT) - 1])
def test_content_is_cut_exactly_at_the_limit(coding: str, limit: int) -> None:
    assert decode(ENCODERS[coding](TEXT), coding, limit) == Decoded(TEXT[:limit], cut=True, too_big=True)


@pytest.mark.parametrize("coding", ENCODERS)
def test_content_exactly_as_long_as_the_limit_is_whole(coding: str) -> None:
    assert decode(ENCODERS[coding](TEXT), coding, len(TEXT)) == Decoded(TEXT)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_a_stream_that_ends_early_gives_what_came(coding: str) -> None:
    raw = ENCODERS[coding](TEXT)
    answer = decode(raw[: len(raw) // 2], coding, LIMIT)
    assert len(answer.content) > len(TEXT) // 4
    assert TEXT.startswith(answer.content)
    assert (answer.cut, answer.too_big, answer.error) == (True, False, f"the {coding} stream ends early")


def test_a_zstd_stream_that_ends_early_says_so() -> None:
    raw = zstandard.compress(TEXT * 20)
    answer = decode(raw[: len(raw) // 2], "zstd", LIMIT)
    assert (TEXT * 20).startswith(answer.content)
    assert (answer.cut, answer.error) == (True, "the zstd stream ends early")


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_stream_with_a_wrong_checksum_gives_nearly_all_of_it(coding: str) -> None:
    raw = ENCODERS[coding](TEXT)
    answer = decode(raw[:-4] + b"\0" * 4, coding, LIMIT)
    assert TEXT.startswith(answer.content)
    assert len(answer.content) > 0.98 * len(TEXT)
    assert answer.error == f"the {coding} stream is broken"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@given(place=st.floats(0, 1), value=st.integers(0, 255))
def test_no_broken_stream_raises_or_grows(coding: str, place: float, value: int) -> None:
    raw = bytearray(ENCODERS[coding](TEXT[:5000]))
    raw[int(place * (len(raw) - 1))] = value
    answer = decode(bytes(raw), coding, 6000)
    assert len(answer.content) <= 6000


@given(
    st.binary(max_size=300),
    st.floats(0, 1),
    st.integers(0, 255),
    st.integers(0, 40),
    st.sampled_from([b"", b"x", gzip.compress(b"y")]),
)
def test_a_short_stream_is_read_at_one_go_as_it_is_step_by_step(
    content: bytes, place: float, value: int, less: int, tail: bytes
) -> None:
    whole = gzip.compress(content)
    spoiled = bytearray(whole)
    spoiled[int(place * (len(whole) - 1))] = value
    for raw in (whole, bytes(spoiled), whole[: max(len(whole) - less, 0)], whole + tail):
        for limit in (1, len(content), len(content) + 1, LIMIT):
            careful = decode(raw, "x-gzip", limit)
            expected = Decoded(careful.content, careful.cut, careful.error.replace("x-gzip", "gzip"), careful.too_big)
            assert decode(raw, "gzip", limit) == expected


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_content_that_only_claims_a_coding_is_taken_as_it_is(coding: str) -> None:
    answer = decode(TEXT, coding, LIMIT)
    assert answer == Decoded(TEXT, error=f"the content is not {coding}, whatever its header says")


def test_an_unknown_coding_is_named_and_left_on() -> None:
    assert decode(b"hello", "rot13", LIMIT) == Decoded(b"hello", error="unknown content coding rot13")
    assert decode(gzip.compress(b"hello"), "rot13, gzip", LIMIT) == Decoded(b"hello", error="unknown content coding rot13")


@cache
def gzip_bomb() -> bytes:
    stream = zlib.compressobj(9, wbits=31)
    return b"".join(stream.compress(b"\0" * 1_000_000) for _ in range(60)) + stream.flush()


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_a_bomb_does_not_go_off(coding: str) -> None:
    make = {"gzip": gzip_bomb, "br": lambda: brotlicffi.compress(b"\0" * 60_000_000, quality=1), "zstd": zstd_bomb}
    bomb = make[coding]()
    assert len(bomb) < 100_000
    tracemalloc.start()
    answer = decode(bomb, coding, 5_000_000)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(answer.content), answer.cut) == (5_000_000, True)
    assert most < 50_000_000


def zstd_bomb() -> bytes:
    stream = zstandard.ZstdCompressor().compressobj()
    return b"".join(stream.compress(b"\0" * 1_000_000) for _ in range(60)) + stream.flush()


def test_a_bomb_inside_a_bomb_does_not_go_off() -> None:
    answer = decode(gzip.compress(gzip_bomb()), "gzip, gzip", 1_000_000)
    assert (len(answer.content), answer.cut) == (1_000_000, True)


def test_no_more_layers_than_anyone_needs_are_taken_off() -> None:
    raw = TEXT
    for _ in range(5):
        raw = gzip.compress(raw)
    assert decode(raw, "gzip," * 5, LIMIT).error == "5 content codings one over the other"


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_hundred_thousand_empty_members_cost_no_time(coding: str) -> None:
    raw = ENCODERS[coding](b"") * 100_000
    before = time.process_time()
    answer = decode(raw, coding, LIMIT)
    assert time.process_time() - before < 1
    assert (answer.content, answer.cut) == (b"", True)


def test_a_window_larger_than_the_standard_allows_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=25)
    stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    raw = stream.compress(TEXT) + stream.flush()
    assert decode(raw, "zstd", LIMIT) == Decoded(b"", error="the zstd stream is broken")


# --- what is too big -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coding", ENCODERS)
def test_of_what_is_too_big_only_the_beginning_is_kept(coding: str) -> None:
    packed = ENCODERS[coding](TEXT)
    size = len(TEXT)
    assert decode(packed, coding, size - 1, 100) == Decoded(TEXT[:100], cut=True, too_big=True)
    assert decode(packed, coding, size, 100) == Decoded(TEXT)
    assert decode(packed, coding, size, 2 * size) == Decoded(TEXT)
    assert decode(packed, coding, 50, 100) == Decoded(TEXT[:50], cut=True, too_big=True)
    twice = decode(gzip.compress(packed), f"{coding}, gzip", size - 1, 100)
    assert twice.too_big and TEXT.startswith(twice.content)


def test_plain_content_that_is_too_big_is_kept_in_part() -> None:
    assert decode(TEXT, "", 1000, 100) == Decoded(TEXT[:100], cut=True, too_big=True)
    assert decode(TEXT, "", len(TEXT), 100) == Decoded(TEXT)


@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_stream_that_breaks_off_before_the_limit_is_kept_as_far_as_it_goes(cut: float) -> None:
    packed = gzip.compress(TEXT)
    part = packed[: int(len(packed) * cut)]
    assert decode(part, "gzip", LIMIT, 100) == decode(part, "gzip", LIMIT)
    spoiled = part + b"\xff" * 1000
    assert decode(spoiled, "gzip", LIMIT, 100) == decode(spoiled, "gzip", LIMIT)
    assert len(decode(spoiled, "gzip", LIMIT, 100).content) > 100


@pytest.mark.parametrize("coding", ENCODERS)
def test_a_bomb_is_recognised_without_holding_it(coding: str) -> None:
    bomb = ENCODERS[coding](bytes(40_000_000))
    tracemalloc.start()
    decoded = decode(bomb, coding, 20_000_000, 100_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert decoded.too_big and len(decoded.content) == 100_000
    assert peak < 6_000_000


# --- a file piece by piece -------------------------------------------------------------------------------------------


def test_a_gzip_file_is_walked_over_in_small_pieces_up_to_the_limit() -> None:
    packed = gzip.compress(bytes(3_000_000)) + gzip.compress(TEXT)
    pieces = list(unpacked(packed, LIMIT))
    assert b"".join(pieces) == bytes(3_000_000) + TEXT
    assert max(map(len, pieces)) < 1_000_000
    for limit in (0, 1, 1_000_000, 3_000_001):
        assert b"".join(unpacked(packed, limit)) == (bytes(3_000_000) + TEXT)[:limit]


@given(st.integers(0, 4000), st.binary(max_size=50))
def test_a_file_that_is_cut_or_spoiled_gives_what_decoding_it_gives(keep: int, tail: bytes) -> None:
    packed = gzip.compress(TEXT)
    part = packed[: max(keep, 20)] + tail
    assert b"".join(unpacked(part, LIMIT)) == decode(part, "gzip", LIMIT).content


# --- brotli's window -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", range(10, 25))
def test_a_window_of_more_than_four_mebibytes_is_wide(window: int) -> None:
    stream = brotlicffi.Compressor(quality=5, lgwin=window)
    packed = stream.process(bytes(5_000_000)) + stream.finish()
    assert has_wide_window(bytes(packed)) is (window > 22)
    assert not has_wide_window(b"")


# --- chunks of all sizes ---------------------------------------------------------------------------------------------


def test_more_sizes_of_chunks_than_are_remembered_are_read() -> None:
    pieces = [bytes([number % 251]) * (number % 2000 + 1) for number in range(4000)]
    raw = b"".join(b"%x;x=%d\r\n%s\r\n" % (len(piece), number, piece) for number, piece in enumerate(pieces))
    assert dechunk(raw + b"0\r\n\r\n") == b"".join(pieces)
    mixed = b"".join(b"%x\r\n%s\r\n" % (size, b"y" * size) for size in (5, 1, 7, 1, 16, 5, 255, 1))
    assert dechunk(mixed + b"0\r\n\r\n") == b"y" * 291
