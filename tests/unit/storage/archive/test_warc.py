"""The WARC writer, judged by warcio, fastwarc and a plain reading of its bytes."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from checking import WARCIO
from fastwarc.warc import ArchiveIterator
from msgspec.structs import replace

from gossamer.document.body import Body
from gossamer.document.digest import payload_digest
from gossamer.records.fetch import Fetched
from gossamer.records.page import Original
from gossamer.storage.archive import warc
from gossamer.testing.archive import answer, answers

ID = "urn:uuid:00000000-0000-4000-a000-00000000000"
ORIGINAL = Original("http://a.test/original", "original", 1_790_000_000.5)


def record(draft: warc.Draft, level: int = 1) -> bytes:
    return b"".join(warc.pack(draft, level))


def kept(fetched: Fetched, original: Original | None = None, level: int = 1) -> bytes:
    digest = payload_digest(fetched.body, fetched.chunked)
    return record(warc.kept(fetched, digest, original, ID + "1"), level)


def headers_of(member: bytes) -> dict[str, str]:
    lines = gzip.decompress(member).partition(b"\r\n\r\n")[0].decode("ascii").split("\r\n")
    assert lines[0] == "WARC/1.1"
    pairs = [line.split(": ", 1) for line in lines[1:]]
    assert len(dict(pairs)) == len(pairs), "a header stands twice"
    return dict(pairs)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def responses(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write every kind of answer and its request, with every effort, into one file."""
    file = tmp_path_factory.mktemp("responses") / "x.warc.gz"
    content = record(warc.warcinfo(ID + "0", 0.0, file.name, {"software": "gossamer/1"}))
    for number, fetched in enumerate(answers().values()):
        content += kept(fetched, None, number % 4) + record(warc.request(fetched, ID + "2", ID + "1"))
    file.write_bytes(content)
    return file


@pytest.fixture(scope="module")
def revisits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a revisit of every kind of answer into one file."""
    file = tmp_path_factory.mktemp("revisits") / "x.warc.gz"
    file.write_bytes(b"".join(kept(fetched, ORIGINAL) for fetched in answers().values()))
    return file


def test_warcio_passes_every_kind_of_record(responses: Path, revisits: Path) -> None:
    result = run(*WARCIO, "--verbose", str(responses), str(revisits))
    assert result.returncode == 0, result.stdout + result.stderr
    with_request = sum(bool(fetched.request_head) for fetched in answers().values())
    assert result.stdout.count("digest pass") == 1 + len(answers()) + with_request
    assert result.stdout.count("digest present but not checked (revisit)") == len(answers())


def test_fastwarc_passes_every_kind_of_record(responses: Path, revisits: Path) -> None:
    checker = str(Path(sys.executable).parent / "fastwarc")
    result = run(checker, "check", "--verify-payloads", str(responses))
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{1 + 2 * len(answers())} records were verified successfully" in result.stdout
    result = run(checker, "check", str(revisits))  # of payloads it knows nothing but bodies, and revisits have none
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{len(answers())} records were verified successfully" in result.stdout


def test_fastwarc_reads_the_wire_bytes_back(responses: Path) -> None:
    with responses.open("rb") as stream:
        _, *found = [
            (one.headers.get("WARC-Target-URI"), one.reader.read()) for one in ArchiveIterator(stream, parse_http=False)
        ]
    for (kind, fetched), response, request in zip(answers().items(), found[::2], found[1::2], strict=True):
        assert response == (fetched.url, fetched.response_head + fetched.body.read()), kind
        assert request == (fetched.url, fetched.request_head), kind


def test_request_and_response_belong_together() -> None:
    fetched = answer()
    response = headers_of(kept(fetched))
    request = headers_of(record(warc.request(fetched, ID + "2", ID + "1")))
    assert request["WARC-Concurrent-To"] == response["WARC-Record-ID"] == f"<{ID}1>"
    assert request["WARC-Record-ID"] == f"<{ID}2>"
    assert request["WARC-Date"] == response["WARC-Date"] == "2026-09-21T14:13:20.123456Z"
    assert (response["WARC-Type"], response["WARC-IP-Address"]) == ("response", "127.0.0.1")


def test_a_revisit_names_profile_original_and_date() -> None:
    fetched = answer()
    headers = headers_of(kept(fetched, ORIGINAL))
    assert headers["WARC-Type"] == "revisit"
    assert headers["WARC-Profile"] == "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    assert headers["WARC-Refers-To-Target-URI"] == ORIGINAL.url
    assert headers["WARC-Refers-To-Date"] == headers_of(kept(answer(at=ORIGINAL.fetched_at)))["WARC-Date"]
    assert headers["WARC-Payload-Digest"] == payload_digest(fetched.body, False)


def test_a_304_is_a_revisit_of_its_own_profile_and_has_no_digest_but_that_of_what_it_confirms() -> None:
    fetched = answers()["not modified"]
    known = payload_digest(answer().body, False)
    for digest, written in (("", None), (payload_digest(fetched.body, False), None), (known, known)):
        headers = headers_of(record(warc.kept(fetched, digest, ORIGINAL, ID + "1")))
        assert headers["WARC-Profile"] == "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
        assert (headers["WARC-Refers-To-Target-URI"], headers["WARC-Refers-To-Date"]) == (
            ORIGINAL.url,
            "2026-09-21T14:13:20.500000Z",
        )
        assert headers.get("WARC-Payload-Digest") == written
    assert headers_of(kept(fetched))["WARC-Type"] == "response", "a 304 that confirms nothing is an answer like any other"


def test_a_revisit_keeps_its_head_unless_its_original_came_in_another_framing() -> None:
    for kind, original_chunked, has_head in (
        ("plain", None, True),
        ("plain", False, True),
        ("plain", True, False),
        ("chunked", False, False),
    ):
        fetched = answers()[kind]
        block = gzip.decompress(kept(fetched, replace(ORIGINAL, chunked=original_chunked))).partition(b"\r\n\r\n")[2]
        assert block == (fetched.response_head if has_head else b"") + b"\r\n\r\n"


def test_truncation_is_marked_with_the_words_of_the_standard() -> None:
    words = {
        given: headers_of(kept(answer(truncated=given))).get("WARC-Truncated")
        for given in ("", "length", "time", "disconnect", "x\r\nY: z")
    }
    assert words == {"": None, "length": "length", "time": "time", "disconnect": "disconnect", "x\r\nY: z": "unspecified"}


def test_nothing_from_the_web_forges_a_header() -> None:
    evil = "x\r\nWARC-Forged: yes\r\n\r\n\x00\x7f\u2028 \ud800"
    fetched = replace(
        answer(url="http://a.test/" + evil, head=b"X-Evil: a\nWARC-Forged: yes\r\n"),
        address=evil,
        headers=(("content-type", evil),),
        truncated=evil,
    )
    drafts = [
        warc.kept(fetched, payload_digest(fetched.body, False), None, ID + "1"),
        warc.kept(fetched, payload_digest(fetched.body, False), Original("http://a.test/" + evil, "k", 0.0), ID + "1"),
        warc.kept(replace(fetched, url="file:///" + evil), payload_digest(fetched.body, False), None, ID + "1"),
        warc.request(fetched, ID + "2", ID + "1"),
        warc.warcinfo(ID + "0", 0.0, "x.warc.gz", {"software": evil}),
    ]
    for draft in drafts:
        headers = headers_of(record(draft))
        assert "WARC-Forged" not in headers
        assert all(value.isprintable() and value.isascii() for value in headers.values())
    assert drafts[-1].head == b"software: x WARC-Forged: yes  ?\r\n"


def test_a_head_that_ends_in_two_places_has_no_payload_digest() -> None:
    fetched = answers()["a line of blanks"]
    assert "WARC-Payload-Digest" not in headers_of(kept(fetched))
    assert "WARC-Payload-Digest" in headers_of(kept(answer()))


def test_a_large_body_is_compressed_in_pieces_from_its_file() -> None:
    body = Body(limit=1000)
    for number in range(40):
        body.write(bytes([number]) * 100_000)
    pieces = list(warc.pack(warc.kept(replace(answer(), body=body), payload_digest(body, False), None, ID + "1"), 1))
    assert len(pieces) > 3
    assert gzip.decompress(b"".join(pieces)).endswith(body.read() + b"\r\n\r\n")
