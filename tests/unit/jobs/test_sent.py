"""What is kept, held against what a server says it sent: by digests, or by every byte of it."""

import hashlib
import json
from base64 import b64encode
from pathlib import Path

import pytest

from gossamer.document.body import Body
from gossamer.document.digest import digest_text
from gossamer.errors import UsageError
from gossamer.jobs.sent import Answers, SentRequest, read_lines
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
URL = "http://site.example:8080/a?b=c"


def sha1(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()


def spelled(content: bytes) -> str:
    return digest_text(hashlib.sha1(content))


def capture(body: bytes, head: bytes = HEAD, *, url: str = URL, outcome: Outcome = Outcome.OK, truncated: str = "") -> Fetched:
    return Fetched(url=url, outcome=outcome, response_head=head, body=Body.of(body), truncated=truncated)


def digested(body: bytes, head: bytes = HEAD, payload: str = "", path: str = "/a?b=c") -> SentRequest:
    return SentRequest(0.0, 0.0, "site.example", path, 200, sha1(head), sha1(body), payload)


def spoken(place: Path, *lines: dict[str, object]) -> Answers:
    """Return what a transcript of one answer tells."""
    ledger = place / "ledger"
    (place / "ledger.said").write_text("".join(json.dumps({"answer": "one", **line}) + "\n" for line in lines))
    return Answers([SentRequest(0.0, 0.0, "site.example", "/a?b=c", answer="one")], ledger)


def words(content: bytes) -> dict[str, object]:
    return {"words": b64encode(content).decode()}


def test_an_answer_is_the_one_that_was_sent_for_its_url_or_a_fault(tmp_path: Path) -> None:
    answers = Answers([digested(b"once"), digested(b"more"), digested(b"else", path="/b")], tmp_path / "ledger")
    assert [answers.fault(capture(body), "") for body in (b"once", b"more")] == ["", ""]
    assert answers.fault(capture(b"else"), "") == f"{URL}: what is kept of it is not what the server sent for it"
    assert answers.fault(capture(b"once", HEAD.replace(b"OK", b"KO")), "")
    assert answers.fault(capture(b"once", url="http://site.example:8080/never"), ""), "nobody asked for it"


def test_of_a_host_whose_answers_nobody_told_nothing_is_said(tmp_path: Path) -> None:
    answers = Answers([SentRequest(0.0, 0.0, "site.example", "/a?b=c", 200)], tmp_path / "ledger")
    assert answers.fault(capture(b"once"), "") is None
    assert answers.fault(capture(b"once", url="http://other.example/"), "") is None


def test_a_revisit_refers_to_the_payload_that_was_sent(tmp_path: Path) -> None:
    answers = Answers([digested(b"4\r\nonce\r\n0\r\n\r\n", CHUNKED, payload=sha1(b"once"))], tmp_path / "ledger")
    for head in (CHUNKED, b""):  # a revisit is written without a head where its own would spoil the original's body
        assert answers.fault(capture(b"", head, outcome=Outcome.DUPLICATE), spelled(b"once")) == ""
        assert answers.fault(capture(b"", head, outcome=Outcome.DUPLICATE), spelled(b"else"))
    assert answers.fault(capture(b"", HEAD, outcome=Outcome.DUPLICATE), spelled(b"once"))


def test_a_304_has_the_head_that_was_sent(tmp_path: Path) -> None:
    head = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'
    answers = Answers([digested(b"once"), digested(b"", head)], tmp_path / "ledger")
    assert answers.fault(capture(b"", head, outcome=Outcome.NOT_MODIFIED), spelled(b"once")) == ""
    assert answers.fault(capture(b"", head.replace(b'"1"', b'"2"'), outcome=Outcome.NOT_MODIFIED), spelled(b"once"))


def test_what_was_cut_is_compared_as_far_as_it_goes(tmp_path: Path) -> None:
    by_digest = Answers([digested(b"once")], tmp_path / "ledger")
    assert by_digest.fault(capture(b"on", truncated="length"), "") == ""
    assert by_digest.fault(capture(b"on"), "")
    assert by_digest.fault(capture(b"on", CHUNKED, truncated="length"), "")
    by_words = spoken(tmp_path, words(HEAD), words(b"on"), {}, words(b"ce"))
    for body in (b"o", b"onon", b"ononce"):
        assert by_words.fault(capture(body, truncated="length"), "") == ""
    for body in (b"e", b"once", b"ononcee"):
        assert by_words.fault(capture(body, truncated="length"), "")


def test_interim_answers_are_not_kept(tmp_path: Path) -> None:
    interim = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    answers = spoken(tmp_path, words(interim + interim), words(HEAD + b"once"))
    assert answers.fault(capture(b"once"), "") == ""


def test_words_that_crossed_with_the_request_are_an_answer_and_not_a_part_of_one(tmp_path: Path) -> None:
    answers = spoken(tmp_path, words(HEAD + b"FAKE") | {"crossed": True}, words(HEAD + b"once"))
    assert [answers.fault(capture(body), "") for body in (b"FAKE", b"once")] == ["", ""]
    assert answers.fault(capture(b"FAKE" + HEAD + b"once"), "")


@pytest.mark.parametrize(
    "said", [HEAD + b"once, and more", CHUNKED + b"4\r\nonce\r\n0\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\nonce"]
)
def test_a_revisit_of_what_was_said_is_told_by_its_payload(tmp_path: Path, said: bytes) -> None:
    answers = spoken(tmp_path, words(said))
    head = said[: said.index(b"\r\n\r\n") + 4]
    assert answers.fault(capture(b"", head, outcome=Outcome.DUPLICATE), spelled(b"once")) == ""
    assert answers.fault(capture(b"", head, outcome=Outcome.DUPLICATE), spelled(b"else"))


def test_an_answer_of_which_nothing_was_said_is_no_answer(tmp_path: Path) -> None:
    assert spoken(tmp_path, {}).fault(capture(b"once"), "")
    assert spoken(tmp_path).fault(capture(b"once"), "")


@pytest.mark.parametrize("line", ['{"start": 0, "end": 0, "host": "a", "path": "/", "head": "no digest"}', "{}", "x"])
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "ledger"
    path.write_text(f"{line}\n")
    with pytest.raises(UsageError, match="line 1 is no ledger line"):
        list(read_lines(path, SentRequest, "ledger"))
