"""The payload digest: one for a page, however it was cut into chunks."""

import base64
import hashlib
import tracemalloc

import pytest

from gossamer.document import decode
from gossamer.document.body import Body
from gossamer.document.decode import dechunk
from gossamer.document.digest import digest_text, payload_digest
from gossamer.testing.archive import answers, chunked


def test_a_digest_is_spelled_as_in_warc_files() -> None:
    expected = "sha1:" + base64.b32encode(hashlib.sha1(b"content").digest()).decode()
    assert payload_digest(Body.of(b"content"), False) == expected
    assert {payload_digest(Body.of(chunked(b"content", size)), True) for size in (1, 2, 100)} == {expected}


def test_every_digest_is_spelled_in_base32() -> None:
    for number in range(200):
        hasher = hashlib.sha1(b"%d" % number)
        assert digest_text(hasher) == "sha1:" + base64.b32encode(hasher.digest()).decode()


def test_a_chunked_page_and_its_plain_copy_have_one_digest_for_dedupe() -> None:
    kinds = answers()
    assert payload_digest(kinds["chunked"].body, True) == payload_digest(kinds["plain"].body, False)
    assert payload_digest(kinds["gzip in chunks"].body, True) == payload_digest(kinds["gzip"].body, False)
    assert payload_digest(kinds["gzip"].body, False) != payload_digest(kinds["plain"].body, False)


def test_the_digest_of_a_spooled_body_is_that_of_its_bytes() -> None:
    spooled = Body(limit=10)
    for _ in range(300):
        spooled.write(b"0123456789" * 1000)
    assert spooled.in_memory == 0
    assert payload_digest(spooled, False) == payload_digest(Body.of(b"0123456789" * 300_000), False)


def test_a_long_chunked_body_is_digested_without_holding_it() -> None:
    content = bytes(range(256)) * 100_000
    spooled = Body(limit=10)
    spooled.write(chunked(content, 60_000))
    tracemalloc.start()
    digest = payload_digest(spooled, True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert digest == payload_digest(Body.of(content), False)
    assert peak < 1_000_000
    for raw in (b"", b"not chunked", b"ffffffffffffffff\r\nabc", b"3\r\nabc\r\n0\r\n\r\n", b"3\r\nabc\r\nzz"):
        spooled = Body(limit=1)
        spooled.write(raw)
        assert payload_digest(spooled, True) == payload_digest(Body.of(dechunk(raw)), False)


def test_behind_more_chunks_than_anybody_sends_all_is_content(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "_CHUNKS", 3)
    assert dechunk(chunked(b"abc", 1)) == b"abc0\r\n\r\n"
    assert dechunk(chunked(b"abcd", 1)) == b"abc1\r\nd\r\n0\r\n\r\n"
    assert dechunk(chunked(b"ab", 1)) == b"ab"
