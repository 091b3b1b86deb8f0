"""What `gossamer verify` finds wrong with an archive file."""

import gzip
from pathlib import Path

import pytest

from gossamer.document.digest import payload_digest
from gossamer.records.fetch import Fetched
from gossamer.storage.archive import warc
from gossamer.storage.archive.check import Problem, check
from gossamer.testing.archive import answer, answers, chunked

ID = "urn:uuid:00000000-0000-4000-a000-000000000000"


def member(fetched: Fetched) -> bytes:
    return b"".join(warc.pack(warc.kept(fetched, payload_digest(fetched.body, fetched.chunked), None, ID), 1))


def found(path: Path, content: bytes) -> list[Problem]:
    path.write_bytes(content)
    return list(check(path))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "x.warc.gz"


def test_every_kind_of_record_is_sound(file: Path) -> None:
    sound = {kind: fetched for kind, fetched in answers().items() if kind != "not chunked at all"}
    assert found(file, b"".join(member(fetched) for fetched in sound.values())) == []


def test_a_changed_byte_is_told_with_its_place(file: Path) -> None:
    first, plain = member(answer()), gzip.decompress(member(answer()))
    for old, new, what in (
        (b"some words", b"same words", ["the block digest does not match", "the payload digest does not match"]),
        (b"HTTP/1.1 200 OK", b"HTTP/1.1 200 KO", ["the block digest does not match"]),
        (b"WARC-Payload-Digest: sha1:", b"WARC-Payload-Digest: sha1:A", ["the payload digest does not match"]),
        (b"WARC-Date", b"WARC-Data", ["the header warc-date is missing"]),
    ):
        changed = gzip.compress(plain.replace(old, new, 1))
        assert found(file, first + changed + first) == [Problem("x.warc.gz", len(first), one) for one in what]


def test_damage_ends_the_check_where_it_is(file: Path) -> None:
    first = member(answer())
    flipped = first[:-6] + bytes([first[-6] ^ 1]) + first[-5:]
    for damage in (
        first[:-1],
        b"garbage, no gzip",
        b"\x00" * 5000,
        flipped,
        gzip.compress(b"no WARC\r\n\r\n"),
        gzip.compress(gzip.decompress(first)[:-1]),
    ):
        problems = found(file, first + first + damage)
        assert [(problem.file, problem.offset) for problem in problems] == [("x.warc.gz", 2 * len(first))]
        assert list(check(file, torn=True)) == []


def test_an_answer_that_is_cut_off_has_to_say_so(file: Path) -> None:
    cut = {
        "length": answer(b"only this", head=b"Content-Length: 100\r\n"),
        "chunks": answer(chunked(b"x" * 500)[:-5], head=b"Transfer-Encoding: chunked\r\n"),
    }
    for fetched in cut.values():
        assert ["is cut off and not marked so" in problem.what for problem in found(file, member(fetched))] == [True]
    whole = (
        answer(b"only this", head=b"Content-Length: 100\r\n", truncated="disconnect"),
        answer(chunked(b"x" * 500)[:-5], head=b"Transfer-Encoding: chunked\r\n", truncated="length"),
        answer(b"more than was promised", head=b"Content-Length: 3\r\n"),
        answer(b"", status=b"304 Not Modified", head=b"Content-Length: 100\r\n"),
        answer(b"3;a=b\r\nabc\r\n0\r\nTrailer: x\r\n\r\n", head=b"Transfer-Encoding: chunked\r\n"),
        answer(b"", head=b"Content-Length: many\r\n"),
        answer(b"only this", head=b"Content-Length: 99999999999999999999999\r\n"),  # nobody takes that for a length
    )
    assert found(file, b"".join(map(member, whole))) == []
