"""The WARC writer, judged by warcio, fastwarc and a plain reading of its bytes."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator
from msgspec.structs import replace

from gossamer.document.body import Body
from gossamer.document.digest import payload_digest
from gossamer.records import Fetched, Original
from gossamer.storage.archive import warc
from gossamer.testing.archive import answer, answers

# warcio cannot be run beside the package brotli: see docs/decisions/0002-payload-digest.md.
WARCIO = "import sys; sys.modules['brotli'] = None; from warcio.cli import main; main(['check', '-v', *sys.argv[1:]])"
ID = "urn:uuid:00000000-0000-4000-a000-00000000000"
ORIGINAL = Original("http://a.test/original", "original", 1_790_000_000.5)


def record(draft: warc.Draft, level: int = 1) -> bytes:
    return b"".join(warc.pack(draft, level))


def kept(fetched: Fetched, original: Original | None = None, level: int = 1) -> bytes:
    digest = payload_digest(fetched.body, fetched.chunked)
    return record(warc.kept(fetched, digest, original, ID + "1"), level)


def write(path: Path, fetched: Fetched, original: Original | None = None, level: int = 1) -> Path:
    about = warc.warcinfo(ID + "0", fetched.started, "x.warc.gz", {"software": "gossamer/1"})
    path.write_bytes(record(about) + kept(fetched, original, level) + record(warc.request(fetched, ID + "2", ID + "1")))
    return path


def headers_of(member: bytes) -> dict[str, str]:
    lines = gzip.decompress(member).partition(b"\r\n\r\n")[0].decode("ascii").split("\r\n")
    assert lines[0] == "WARC/1.1"
    pairs = [line.split(": ", 1) for line in lines[1:]]
    assert len(dict(pairs)) == len(pairs), "a header stands twice"
    return dict(pairs)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write a file for every kind of answer, as response and as revisit, with every effort."""
    folder = tmp_path_factory.mktemp("kinds")
    written = {}
    for kind, fetched in answers().items():
        level = len(written) % 4
        written[kind] = str(write(folder / f"{len(written)}.warc.gz", fetched, None, level))
        written[f"revisit of {kind}"] = str(write(folder / f"{len(written)}.warc.gz", fetched, ORIGINAL, level))
    return written


def test_warcio_passes_every_kind_of_record(files: dict[str, str]) -> None:
    result = run(sys.executable, "-c", WARCIO, *files.values())
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("digest pass") == sum(3 if "revisit" not in kind else 2 for kind in files)


def test_fastwarc_passes_every_kind_of_record(files: dict[str, str]) -> None:
    checker = str(Path(sys.executable).parent / "fastwarc")
    for kind, file in files.items():
        options = [] if "revisit" in kind else ["--verify-payloads"]  # it looks for the body that a revisit does not have
        result = run(checker, "check", *options, file)
        assert result.returncode == 0, kind + result.stdout + result.stderr
        assert "3 records were verified successfully" in result.stdout


def test_fastwarc_reads_the_wire_bytes_back(files: dict[str, str]) -> None:
    for kind, fetched in answers().items():
        with open(files[kind], "rb") as stream:
            records = list(
                (str(found.record_type), found.headers.get("WARC-Target-URI"), found.reader.read())
                for found in ArchiveIterator(stream, parse_http=False)
            )
        assert records[1][1:] == (fetched.url, fetched.response_head + fetched.body.read()), kind
        assert records[2][2] == fetched.request_head


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
    assert drafts[-1].head == b"software: x WARC-Forged: yes  \xed\xa0\x80\r\n" or drafts[-1].head.count(b"\r\n") == 1


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
