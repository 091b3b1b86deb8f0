"""Gzip members, judged by the standard library's reader."""

import gzip
import random
import uuid
import zlib
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from gossamer.document.body import Body
from gossamer.document.digest import payload_digest
from gossamer.storage.archive import member, warc
from gossamer.testing.archive import answer

HEAD = b"WARC/1.1\r\nWARC-Type: response\r\n" * 10
NOISE = random.Random(1).randbytes(4 * member.LARGE)
REQUEST = (
    b"GET /news/2026/11/a-walk.html HTTP/1.1\r\nHost: www.example.org\r\nUser-Agent: gossamer/1 (+https://example.org/bot)\r\n"
    b"Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8\r\nAccept-Encoding: gzip, br\r\nAccept-Language: en\r\n\r\n"
)
SIZES = (0, 1, 1_000, 65_530, 65_531, 65_532, 65_535, 65_536, 131_070, member.LARGE, member.LARGE + 1, 4 * member.LARGE)


@pytest.fixture(params=["compiled", "not compiled"], autouse=True)
def deflate(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes, bool], bytes] | None:
    """Every promise holds with and without the module in C."""
    compiled = member._deflate
    if request.param == "not compiled":
        monkeypatch.setattr(member, "_deflate", None)
    return compiled


def body_of(content: bytes, limit: int) -> Body:
    body = Body(limit)
    for start in range(0, len(content), 50_000):
        body.write(content[start : start + 50_000])
    return body


@pytest.mark.parametrize("limit", [0, 1 << 30], ids=["on disk", "in memory"])
@pytest.mark.parametrize("size", SIZES)
def test_what_is_packed_or_stored_comes_back_and_is_one_member(size: int, limit: int) -> None:
    body = body_of(NOISE[:size], limit)
    for pieces in (member.pack(HEAD, body, 1), member.store(HEAD, body, 1)):
        packed = b"".join(pieces)
        assert gzip.decompress(packed) == HEAD + NOISE[:size] + b"\r\n\r\n"
        reader = zlib.decompressobj(31)
        reader.decompress(packed + b"behind it")
        assert reader.eof and reader.unused_data == b"behind it"


@pytest.mark.parametrize("level", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "text", [b"", b"a", HEAD, HEAD * 5, HEAD * 20, b"abcd" * 500, "\u00fc".encode() * 100, bytes(range(128))]
)
def test_every_text_comes_back(text: bytes, level: int) -> None:
    for pieces in (member.pack(text, None, level), member.store(text, Body.of(b"body"), level)):
        assert gzip.decompress(b"".join(pieces)).startswith(text)


def test_our_own_deflate_can_be_read_whatever_the_text(deflate: Callable[[bytes, bool], bytes] | None) -> None:
    if deflate is None:
        assert member._deflate is None  # no compiler: nothing to read
        return
    dice = random.Random(1)
    for letters in (1, 2, 3, 16, 256) * 40:
        text = bytes(dice.choices(range(letters), k=dice.choice((0, 1, 3, 4, 5, 300, 1_000, 8_192))))
        last, next_to_last = zlib.decompressobj(-15), zlib.decompressobj(-15)
        assert last.decompress(deflate(text, True)) == text and last.eof and not last.unused_data
        assert next_to_last.decompress(deflate(text, False)) == text and not next_to_last.eof
    with pytest.raises(ValueError, match="longer than 8192"):
        deflate(bytes(8_193), True)


def test_a_request_is_compressed_nearly_as_well_as_by_others() -> None:
    fetched = answer()
    head = warc.request(replace(fetched, request_head=REQUEST), f"urn:uuid:{uuid.uuid4()}", f"urn:uuid:{uuid.uuid4()}")
    (packed,) = warc.pack(head, 1)
    assert len(packed) < 1.1 * len(gzip.compress(gzip.decompress(packed), 9))


def test_what_is_stored_has_its_head_compressed_and_its_body_as_it_is() -> None:
    stored = b"".join(member.store(HEAD, Body.of(NOISE[:9_000]), 1))
    assert NOISE[:9_000] in stored
    assert len(stored) < 9_000 + len(HEAD) // 2


@pytest.mark.parametrize(
    ("coding", "is_stored"), [("gzip", True), ("BR", True), ("", False), ("identity", False), ("gzip, gzip", False)]
)
def test_a_body_that_its_server_compressed_is_not_compressed_again(coding: str, is_stored: bool) -> None:
    content = b"the same again " * 100
    fetched = replace(answer(content), headers=(("content-encoding", coding),))
    draft = warc.kept(fetched, payload_digest(fetched.body, False), None, "urn:uuid:1")
    assert (content in b"".join(warc.pack(draft, 1))) is is_stored
