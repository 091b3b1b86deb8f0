"""An answer, its request and its line: two whole records that can be read back, whatever came, and a line of its own."""

import gzip
import json
import random
import uuid
from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from gossamer.document.body import Body
from gossamer.document.digest import payload_digest
from gossamer.records.fetch import Fetched
from gossamer.records.page import Original
from gossamer.storage.archive import pair
from gossamer.storage.archive.directory import LONG
from gossamer.testing.archive import answer, answers

ANSWERS = {kind: fetched for kind, fetched in answers().items() if fetched.body.size <= LONG}
FILE = "gossamer-20260921141320-000001-one.warc.gz"


def packed(fetched: Fetched, digest: str | None = None, number: int = 0, offset: int = 0, level: int = 1) -> pair.Packed:
    ids = pair.Ids()
    ids.start, ids._next = "urn:uuid:00000000-0000-4000-a000-", number
    known = payload_digest(fetched.body, fetched.chunked) if digest is None else digest
    return pair.pack(fetched, known, None, ids, FILE, offset, level)


def assert_whole(some: Iterable[Fetched], digest: str | None = None) -> None:
    """Look at both records and the line of each answer."""
    for fetched in some:
        both, length, line = packed(fetched, digest)
        kept, request = gzip.decompress(both[:length]), gzip.decompress(both[length:]) if both[length:] else b""
        assert kept.startswith(b"WARC/1.1\r\nWARC-Type: res") and kept.endswith(fetched.body.read() + b"\r\n\r\n")
        assert request == b"" or request.endswith(fetched.request_head + b"\r\n\r\n")
        for record in filter(None, (kept, request)):
            head, _, block = record.partition(b"\r\n\r\n")
            assert int(head.rpartition(b"Content-Length: ")[2]) == len(block) - 4
        assert line.count(b"\n") == 1 and line.endswith(b"\n")
        assert json.loads(line[line.index(b" {") :])["length"] == str(length)


def test_every_kind_of_answer_is_written_whole() -> None:
    assert_whole(ANSWERS.values())


def test_an_answer_without_a_digest_names_none() -> None:
    assert b"Payload" not in gzip.decompress(packed(ANSWERS["plain"], "")[0])
    assert_whole(ANSWERS.values(), "")


HOSTS = "a.test www.a.test www2.a.test wwwa.test www. www .a..test. A.test a:80 a:443 a:81 a: :80 .:80 1.2.3.4:8000 [::1]:80"
HOSTS += " me@a.test a_b.test xn--bcher-kva.test \u00fc.test"
PATHS = r'/ /a /a/ /A/b-c_d.html /a//b // /.a /a/.. /a./b..c. /~me/1.2/ /a?b=c /a? /%41 /a"b /a\b /a#b /a;b /(s)/a.aspx /a.aspx'
ODD = ("", "/a b", "/a\r\nb", "/\x7f", "/\u00fc", "/\ud800", "/" + "a" * 2_030, "/" + "a" * 2_100, "/" + "a/" * 5_000)


@pytest.mark.parametrize("start", ["http://", "https://", "HTTP://", "ftp://", ""])
def test_every_url_is_written_whole(start: str) -> None:
    urls = [start + host + path for host in ("", *HOSTS.split()) for path in (*PATHS.split(), *ODD)]
    assert_whole(answer(b"some words", url=url) for url in urls)


ENDS = rb"\n \r\n \r\n\r\n \n\n \r\n\x20\r\n\r\n \r\n\t\r\n \n\r\n \nc\r\n\r\n \r\n\x80\r\n \r\n!\r\n\r\n \r\r\n\r\n \r\n\r\r\n"


def test_every_head_is_written_whole() -> None:
    ends = [b"", *(each.decode("unicode_escape").encode("latin-1") for each in ENDS.split())]
    heads = [start + end for start in (b"", b"a", b"a\r\n\r\nb", b"X: \xff", b"a\r\n", b"X: " + b"x" * 3_000) for end in ends]
    some = [replace(answer(b"some words"), response_head=head) for head in heads]
    some += [replace(answer(b"some words"), request_head=head) for head in heads]
    assert_whole(some)


def test_every_header_is_written_whole() -> None:
    types = [
        "",
        ";",
        "text/html",
        ' Text/HTML ; charset="utf-8"',
        "a b/c",
        '"',
        "\\",
        "\u00fc",
        "\x1ca/b\x1f",
        "\x85",
        "a/b\x00c",
    ]
    codings = ["gzip", "X-GZIP", "Br", "zstd", "deflate", "identity", "", "gzip, br", "\u00fc"]
    headers = [(("content-type", one), ("content-type", "a/b")) for one in (*types, "x" * 256, "x" * 300)]
    headers += [(("a", "b"), ("content-encoding", one)) for one in codings]
    assert_whole(replace(answer(), headers=some) for some in headers)


@pytest.mark.parametrize("coding", [b"", b"Content-Encoding: gzip\r\n"])
def test_bodies_of_every_size_are_written_whole(coding: bytes) -> None:
    sizes = (0, 1, 1_000, *range(1_560, 1_640), 5_000, 65_530, 65_531, 65_532, 70_000, 128 * 1024)
    dice = random.Random(1)
    texts = [bytes(dice.choices(b"some letters", k=size)) for size in sizes]
    some = [answer(body, head=coding) for body in (*texts, *(text[:-1] + b"\xff" for text in texts))]
    on_disk = Body(10)
    on_disk.write(texts[2])
    assert_whole((*some, replace(answer(), body=on_disk)))


def test_every_time_and_address_is_written_whole() -> None:
    times = (0.0, 0.9999996, 951_782_400.0, 1_790_000_000.1234565, 1_709_164_799.9999999, 4_102_444_800.5, 253_402_300_799.0)
    addresses = ("", "1", "::", "127.0.0.1", "2001:DB8::1", "1\r\nX: y", "a" * 45, "a" * 46, "\u0661")
    some = [answer(at=time) for time in times] + [replace(answer(), address=address) for address in addresses]
    assert_whole(some)


def test_the_length_is_that_of_what_is_kept() -> None:
    for fetched in ANSWERS.values():
        both, length, line = packed(fetched, offset=7)
        assert gzip.decompress(both[:length]).startswith(b"WARC/1.1\r\nWARC-Type: res")
        assert both[length:] == b"" or gzip.decompress(both[length:]).startswith(b"WARC/1.1\r\nWARC-Type: request\r\n")
        assert b'"length":"%d","offset":"7"' % length in line


def test_a_revisit_is_packed_as_one() -> None:
    original = Original("http://a.test/original", "original", 1_790_000_000.5)
    both, length, line = pair.pack(answer(), payload_digest(answer().body, False), original, pair.Ids(), FILE, 0, 1)
    assert b"WARC-Type: revisit" in gzip.decompress(both[:length])
    assert b"warc/revisit" in line


def test_ids_are_uuids_and_no_two_are_the_same() -> None:
    drawn = [(ids.of(number), ids.of(number + 1)) for ids in (pair.Ids(), pair.Ids()) for number in (ids.draw(), ids.draw())]
    spelled = [uuid.UUID(each.removeprefix("urn:uuid:")) for both in drawn for each in both]
    assert len(set(spelled)) == 8
    assert {(each.version, each.variant) for each in spelled} == {(4, uuid.RFC_4122)}
