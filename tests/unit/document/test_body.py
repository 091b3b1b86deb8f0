"""A body is read as often as needed, from memory while it is small and from a file when it has grown."""

import os

import pytest

from gossamer.document.body import Body


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("sizes", [[], [0], [10], [100], [50, 50], [101], [60, 60], [100, 1, 500]])
def test_what_was_written_is_read_back_as_often_as_needed(sizes: list[int]) -> None:
    body = Body(100)
    content = b""
    for number, size in enumerate(sizes):
        piece = bytes([number]) * size
        body.write(piece)
        content += piece
    for _ in range(2):
        assert body.read() == content
        assert body.read(7) == content[:7]
        assert b"".join(body.pieces(size=30)) == content
        assert b"".join(body.pieces(5)) == content[5:]
    assert body.size == len(content)
    assert body.in_memory == (len(content) if len(content) <= 100 else 0)
    body.close()


def test_a_long_body_is_in_a_file_until_it_is_closed() -> None:
    before = open_files()
    body = Body(100)
    body.write(b"x" * 101)
    assert open_files() == before + 1
    body.close()
    assert open_files() == before
    assert (body.read(), body.size) == (b"", 0)
    body.close()


def test_a_body_of_bytes_at_hand_stays_in_memory() -> None:
    body = Body.of(b"x" * 200_000)
    assert body.in_memory == body.size == 200_000
    assert body.read() == b"x" * 200_000


def test_reading_does_not_disturb_writing() -> None:
    body = Body(10)
    body.write(b"a" * 20)
    assert body.read(5) == b"a" * 5
    assert next(body.pieces(size=3)) == b"aaa"
    body.write(b"b" * 20)
    assert body.read() == b"a" * 20 + b"b" * 20
    body.close()


@pytest.mark.parametrize("size", [0, 5, 5000])
def test_a_whole_body_is_looked_at_where_it_is(size: int) -> None:
    body = Body(100)
    body.write(b"x" * size)
    with body.whole() as raw:
        assert (len(raw), raw[:3]) == (size, b"x" * min(size, 3))
    with open(body.descriptor(), "rb") as file:
        assert Body.over(file).read() == b"x" * size
    body.close()
