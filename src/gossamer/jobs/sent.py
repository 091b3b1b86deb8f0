"""What is kept, held against what the servers sent: an answer belongs to its request (P19).

A server's ledger tells what it sent by digests, SHA-1 in hex: `head` (status line and headers with the final blank line),
`body` (all that followed), and `payload` when the body is chunked (what the chunks carry). A server that does not send whole
answers at once names its `answer` instead, whose pieces stand in a transcript, the file `LEDGER.said`: JSON lines
`{"answer": …, "words": base64}`, without `words` when they are those of its last line once more. Words that it said before the
request came, but perhaps after it was sent, are `crossed`: they may be taken for the answer.

A URL that was asked for several times has several answers; what is kept is one of them. By digests, what was cut can be
compared only in its head; by a transcript, every byte of it is.
"""

import re
from base64 import b32encode
from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha1
from pathlib import Path
from typing import Annotated, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from gossamer.document.decode import dechunk
from gossamer.errors import UsageError
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome

TRANSCRIPT = ".said"  # after the name of the ledger

_INTERIM = re.compile(rb"HTTP/1\.\d 1\d\d[^\n]*\n(?:[^\r\n][^\n]*\n)*\r?\n")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"\ncontent-length:[ \t]*(\d{1,18})", re.IGNORECASE)

Digest = Annotated[str, Meta(pattern="^([0-9a-f]{40})?$")]
Line = TypeVar("Line")


class SentRequest(Struct, frozen=True):
    """One request, as a server saw it, and what it says it sent."""

    start: float
    end: float
    host: str
    path: str
    status: int = 0
    head: Digest = ""
    body: Digest = ""
    payload: Digest = ""
    answer: str = ""


class Spoken(Struct, frozen=True):
    """A line of a transcript."""

    answer: str
    words: bytes = b""
    crossed: bool = False


class Sent(Protocol):
    """The answer that a server sent to one request."""

    def is_in(self, capture: Fetched, digest: str) -> bool:
        """Tell whether a capture is of this answer; the digest is that of the payload that a revisit refers to."""


class Digested(Struct, frozen=True):
    """An answer of which the digests are known."""

    head: str
    body: str
    payload: str

    def is_in(self, capture: Fetched, digest: str) -> bool:
        if capture.response_head and _digest((capture.response_head,)) != self.head:
            return False
        if capture.outcome is Outcome.OK:
            return bool(capture.truncated) or _digest(capture.body.pieces()) == self.body
        return capture.outcome is Outcome.NOT_MODIFIED or digest == _spelled(self.payload or self.body)


class Transcript(Struct, frozen=True):
    """An answer of which every piece is known; of one that goes on and on, the same piece is there many times."""

    pieces: list[bytes] = []
    crossed: list[bytes] = []

    def is_in(self, capture: Fetched, digest: str) -> bool:
        return any(_is_of(capture, digest, said) for said in (self.pieces, self.crossed) if said)


class Answers:
    """The answers to every request of a ledger."""

    def __init__(self, requests: Iterable[SentRequest], ledger: Path) -> None:
        self._sent: dict[str, dict[str, list[Sent]]] = defaultdict(lambda: defaultdict(list))
        spoken = _read_transcript(ledger)
        for seen in requests:
            if seen.head:
                self._sent[seen.host][seen.path].append(Digested(seen.head, seen.body, seen.payload))
            elif seen.answer:
                self._sent[seen.host][seen.path].append(spoken.get(seen.answer, Transcript()))

    def fault(self, capture: Fetched, digest: str) -> str | None:
        """Say what is wrong with a capture; None: nobody told what its host sent."""
        authority, _, path = capture.url.partition("://")[2].partition("/")
        sent = self._sent.get(urlsplit(f"//{authority}").hostname or "")
        if sent is None:
            return None
        if any(answer.is_in(capture, digest) for answer in sent.get(f"/{path}", ())):
            return ""
        return f"{capture.url}: what is kept of it is not what the server sent for it"


def read_lines(path: Path, kind: type[Line], what: str) -> Iterator[Line]:
    """Read a file of JSON lines."""
    decoder = msgspec.json.Decoder(kind)
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    yield decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    raise UsageError(f"{path} line {number} is no {what} line: {error}") from error
    except OSError as error:
        raise UsageError(f"cannot read the {what} {path}: {error.strerror}") from error


def _read_transcript(ledger: Path) -> dict[str, Transcript]:
    path = ledger.with_name(ledger.name + TRANSCRIPT)
    spoken: dict[str, Transcript] = defaultdict(Transcript)
    if path.exists():
        for line in read_lines(path, Spoken, "transcript"):
            transcript = spoken[line.answer]
            pieces = transcript.crossed if line.crossed else transcript.pieces
            pieces += [line.words] if line.words else pieces[-1:]
    return spoken


def _is_of(capture: Fetched, digest: str, said: list[bytes]) -> bool:
    """Compare what was kept, which may be less than was said: the rest was cut, or is behind the end of the answer."""
    said, size = _without_interim(said), len(capture.response_head) + capture.body.size
    if _digest(_first(said, size)) != _digest((capture.response_head, *capture.body.pieces())):
        return False
    return capture.outcome is not Outcome.DUPLICATE or digest in map(_spelled, _payloads(b"".join(said)))


def _without_interim(pieces: list[bytes]) -> list[bytes]:
    """Leave out interim answers (1xx), which are no part of the one that is kept."""
    if not pieces or not _INTERIM.match(pieces[0]):
        return pieces
    said = b"".join(pieces)
    while interim := _INTERIM.match(said):
        said = said[interim.end() :]
    return [said]


def _first(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Give the first bytes of some pieces."""
    for piece in pieces:
        yield piece[:size]
        size -= min(size, len(piece))


def _payloads(said: bytes) -> Iterator[str]:
    """Give the digests of what an answer may carry, by its length, by its chunks, or up to its end."""
    end = _HEAD_END.search(said)
    head, body = (said[: end.end()], said[end.end() :]) if end else (said, b"")
    length = _LENGTH.search(head)
    for content in (body[: int(length[1])] if length else body, dechunk(body), body):
        yield _digest((content,))


def _digest(pieces: Iterable[bytes]) -> str:
    hasher = sha1(usedforsecurity=False)
    for piece in pieces:
        hasher.update(piece)
    return hasher.hexdigest()


def _spelled(digest: str) -> str:
    """Spell a digest as archives do."""
    return f"sha1:{b32encode(bytes.fromhex(digest)).decode()}"
