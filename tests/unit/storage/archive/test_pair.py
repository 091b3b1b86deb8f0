"""Both ways to put together an answer, its request and its line write the same bytes."""

import gzip
import random
import uuid
from collections.abc import Iterable, Iterator

import pytest
from msgspec.structs import replace

from gossamer.document.body import Body
from gossamer.document.digest import payload_digest
from gossamer.records.fetch import Fetched
from gossamer.records.page import Original
from gossamer.storage.archive import pair, warc
from gossamer.storage.archive.directory import LONG
from gossamer.testing.archive import answer, answers

ANSWERS = {kind: fetched for kind, fetched in answers().items() if fetched.body.size <= LONG}
FILE = "gossamer-20260921141320-000001-one.warc.gz"


def packed(fetched: Fetched, digest: str | None = None, number: int = 0, offset: int = 0, level: int = 1) -> pair.Packed:
    ids = pair.Ids()
    ids.start, ids._next = "urn:uuid:00000000-0000-4000-a000-", number
    known = payload_digest(fetched.body, fetched.chunked) if digest is None else digest
    return pair.pack(fetched, known, None, ids, FILE, offset, level)


def differing(all_of_them: Iterable[Fetched], monkeypatch: pytest.MonkeyPatch, digest: str | None = None) -> list[Fetched]:
    """Return those that the two ways write differently."""
    fetched = list(all_of_them)
    ours = [packed(one, digest) for one in fetched]
    monkeypatch.setattr(pair, "_compiled", None)
    return [one for one, our in zip(fetched, ours, strict=True) if packed(one, digest) != our]


def is_taken(fetched: Fetched, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Tell whether the module in C packs an answer itself; so it seems where there is none."""
    drafts: list[warc.Draft] = []

    def noting(draft: warc.Draft, level: int) -> Iterator[bytes]:
        drafts.append(draft)
        return iter(())

    monkeypatch.setattr(warc, "pack", noting)
    packed(fetched)
    return not drafts or pair._compiled is None


def test_every_kind_of_answer_is_written_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    assert differing(ANSWERS.values(), monkeypatch) == []


def test_an_answer_without_a_digest_is_written_alike_and_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert b"Payload" not in gzip.decompress(packed(ANSWERS["plain"], "")[0])
    assert differing(ANSWERS.values(), monkeypatch, "") == []


HOSTS = "a.test www.a.test www2.a.test wwwa.test www. www .a..test. A.test a:80 a:443 a:81 a: :80 .:80 1.2.3.4:8000 [::1]:80"
HOSTS += " me@a.test a_b.test xn--bcher-kva.test \u00fc.test"
PATHS = r'/ /a /a/ /A/b-c_d.html /a//b // /.a /a/.. /a./b..c. /~me/1.2/ /a?b=c /a? /%41 /a"b /a\b /a#b /a;b /(s)/a.aspx /a.aspx'
ODD = ("", "/a b", "/a\r\nb", "/\x7f", "/\u00fc", "/\ud800", "/" + "a" * 2_030, "/" + "a" * 2_100, "/" + "a/" * 5_000)


@pytest.mark.parametrize("start", ["http://", "https://", "HTTP://", "ftp://", ""])
def test_every_url_is_written_alike(start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    urls = [start + host + path for host in ("", *HOSTS.split()) for path in (*PATHS.split(), *ODD)]
    assert differing((answer(b"some words", url=url) for url in urls), monkeypatch) == []


ENDS = rb"\n \r\n \r\n\r\n \n\n \r\n\x20\r\n\r\n \r\n\t\r\n \n\r\n \nc\r\n\r\n \r\n\x80\r\n \r\n!\r\n\r\n \r\r\n\r\n \r\n\r\r\n"


def test_every_head_is_written_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = [b"", *(each.decode("unicode_escape").encode("latin-1") for each in ENDS.split())]
    heads = [start + end for start in (b"", b"a", b"a\r\n\r\nb", b"X: \xff", b"a\r\n", b"X: " + b"x" * 3_000) for end in ends]
    some = [replace(answer(b"some words"), response_head=head) for head in heads]
    some += [replace(answer(b"some words"), request_head=head) for head in heads]
    assert differing(some, monkeypatch) == []


def test_every_header_is_written_alike(monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert differing((replace(answer(), headers=some) for some in headers), monkeypatch) == []


@pytest.mark.parametrize("coding", [b"", b"Content-Encoding: gzip\r\n"])
def test_bodies_of_every_size_are_written_alike(coding: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = (0, 1, 1_000, *range(1_560, 1_640), 5_000, 65_530, 65_531, 65_532, 70_000, 128 * 1024)
    dice = random.Random(1)
    texts = [bytes(dice.choices(b"some letters", k=size)) for size in sizes]
    some = [answer(body, head=coding) for body in (*texts, *(text[:-1] + b"\xff" for text in texts))]
    on_disk = Body(10)
    on_disk.write(texts[2])
    assert differing((*some, replace(answer(), body=on_disk)), monkeypatch) == []


def test_every_time_and_address_is_written_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    times = (0.0, 0.9999996, 951_782_400.0, 1_790_000_000.1234565, 1_709_164_799.9999999, 4_102_444_800.5, 253_402_300_799.0)
    addresses = ("", "1", "::", "127.0.0.1", "2001:DB8::1", "1\r\nX: y", "a" * 45, "a" * 46, "\u0661")
    some = [answer(at=time) for time in times] + [replace(answer(), address=address) for address in addresses]
    assert differing(some, monkeypatch) == []


def test_what_is_told_of_a_record_is_written_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = replace(answer(), status=404)
    told = [
        (answer(), None, 2**48 - 2, 2**40, 1),
        (answer(), None, 0xA, 0, 2),
        (gone, 'a"b', 0, 0, 1),
        (gone, "A" * 300, 0, 0, 1),
    ]
    ours = [packed(*each) for each in told]
    monkeypatch.setattr(pair, "_compiled", None)
    assert [packed(*each) for each in told] == ours


@pytest.mark.parametrize("kind", ["plain", "chunked", "gzip", "br", "empty", "redirect"])
def test_the_usual_answers_are_packed_in_one_call(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_taken(ANSWERS[kind], monkeypatch)
    assert is_taken(answer(b"some words " * 2_000, url="https://www.a.test:8443/A/b.html?c=d"), monkeypatch)


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
