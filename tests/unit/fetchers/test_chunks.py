"""A chunked body ends in the same place however it is cut into pieces, and nobody can make finding it slow."""

import pytest

from gossamer.fetchers.chunks import GOES_ON, Chunks

WHOLE = {
    "plain": b"5\r\nhello\r\n0\r\n\r\n",
    "ends of line without CR": b"5\nhello\n0\n\n",
    "sizes of all kinds": b"1\r\nx\r\n02;a=b\r\nxy\r\nA\r\n0123456789\r\n11\r\n12345678901234567\r\n000\r\n\r\n",
    "line ends as content": b"4\r\n\r\n\r\n\r\nf\r\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\r\n0\r\n\r\n",
    "trailers": b"5\r\nhello\r\n0\r\nX: y\r\nZ:\r\n%s: x\r\n\r\n" % (b"n" * 50),
    "a long extension": b"5;%s\r\nhello\r\n0\r\n\r\n" % (b"e" * 50),
}
BROKEN = {
    "no size": (b"zz\r\nhello", "not a hex digit"),
    "a size beyond all numbers": (b"f" * 16 + b"\r\nhello", "invalid chunk size"),
    "a size too long": (b"0" * 17 + b"5\r\nhello", "longer than 17"),
    "no end of line behind a chunk": (b"5\r\nhelloX", "Malformed"),
    "half an end of line behind a chunk": (b"10\r\n0123456789abcdef\rX", "Malformed"),
    "half a blank line at the end": (b"0\r\n\rX", "Malformed"),
    "a trailer without a colon": (b"0\r\nbroken\r\n\r\n", "Header without colon"),
}


def fed(body: bytes, size: int) -> tuple[int, Chunks]:
    """Feed a body in pieces; return where it ended, or GOES_ON."""
    chunks = Chunks()
    for start in range(0, len(body), size):
        end = chunks.take(body[start : start + size])
        if end != GOES_ON:
            return start + end, chunks
        if chunks.error is not None:
            break
    return GOES_ON, chunks


@pytest.mark.parametrize("case", WHOLE)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 19, 1000])
def test_the_end_is_found_however_the_body_is_cut(case: str, size: int) -> None:
    body = WHOLE[case]
    end, chunks = fed(body + b"more", size)
    assert (end, chunks.error) == (len(body), None)
    end, chunks = fed(body[:-1], size)
    assert (end, chunks.error) == (GOES_ON, None)


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_what_is_no_chunked_body_is_said_to_be_none_however_it_is_cut(case: str, size: int) -> None:
    body, text = BROKEN[case]
    end, chunks = fed(body, size)
    assert end == GOES_ON
    assert chunks.error is not None and text in chunks.error[1]


@pytest.mark.parametrize("before", [b"5;", b"0\r\nX: "])
def test_a_line_without_end_is_not_kept(before: bytes) -> None:
    chunks = Chunks()
    assert chunks.take(before) == GOES_ON
    for _ in range(100):
        assert chunks.take(b"x" * 10_000) == GOES_ON
        assert len(chunks._line) < 100


def test_the_smallest_chunks_are_passed_over_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    chunks, read = Chunks(), 0
    inner = chunks._read

    def count(line: bytes) -> None:
        nonlocal read
        read += 1
        inner(line)

    monkeypatch.setattr(chunks, "_read", count)
    body = b"1\r\nx\r\n2;e\r\nxy\r\nF\r\n0123456789abcde\r\n" * 1000 + b"0\r\n" + b"a: b\r\n" * 1000 + b"\r\n"
    assert chunks.take(body) == len(body)
    assert read < 10


@pytest.mark.parametrize("size", [1, 7, 15, 16, 100])
def test_chunks_are_counted_however_small_they_are(size: int) -> None:
    body = (b"%x\r\n%s\r\n" % (size, b"y" * size)) * 1000
    assert 1000 <= fed(body + b"0\r\n\r\n", 5000)[1].count <= 1010
