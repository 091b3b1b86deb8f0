"""Check a WARC file for `gossamer verify`: every record whole, every digest right, every truncation marked.

The first place where the file stops being records ends the check: nothing behind it can be trusted to begin where it seems
to. Follows ISO 28500:2017; digests as in docs/decisions/0002-payload-digest.md.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from mmap import mmap
from pathlib import Path

from msgspec import Struct

from gossamer.document.digest import digest_text
from gossamer.records.fetch import Fetched
from gossamer.storage.archive.replay import head_of, restore
from gossamer.storage.archive.walk import Record, Torn, walk

_REQUIRED = ("warc-type", "warc-record-id", "warc-date")
_WITHOUT_BODY = frozenset({204, 304})
_NO_LENGTH = 2**63  # what is longer cannot be meant; nobody reads it as a length
_CHUNK_SIZE = re.compile(rb"\s*+([0-9A-Fa-f]++)[^\n]*+\n")


class Problem(Struct, frozen=True):
    """A fault of one record."""

    file: str
    offset: int
    what: str


def check(path: Path, torn: bool = False) -> Iterator[Problem]:
    """Walk over a WARC file and yield what is wrong with it; `torn` allows it to end with a torn record."""
    try:
        for record in walk(path):
            for what in _problems(record):
                yield Problem(path.name, record.offset, what)
            record.content.close()
    except Torn as end:
        if not torn:
            yield Problem(path.name, end.offset, end.why)


def _problems(record: Record) -> Iterator[str]:
    for name in _REQUIRED:
        if not record.headers.get(name):
            yield f"the header {name} is missing"
    if b"".join(record.content.pieces(record.content.size - 4)) != b"\r\n\r\n":
        yield "the record does not end with two empty lines"
    if _differs(record.headers.get("warc-block-digest"), record.block()):
        yield "the block digest does not match"
    if record.kind == "response":
        if _differs(record.headers.get("warc-payload-digest"), record.block(skip=len(head_of(record)))):
            yield "the payload digest does not match"
        if not record.headers.get("warc-truncated") and (missing := _missing(restore(record))):
            yield f"the body is cut off and not marked so: {missing}"


def _differs(expected: str | None, pieces: Iterable[bytes]) -> bool:
    if not expected or not expected.startswith("sha1:"):
        return False
    hasher = hashlib.sha1()
    for piece in pieces:
        hasher.update(piece)
    return digest_text(hasher) != expected


def _missing(fetched: Fetched) -> str:
    """Say what shows that an answer is not all there; nothing when it is."""
    body = fetched.body
    try:
        if fetched.status in _WITHOUT_BODY or fetched.status < 200:
            return ""
        if fetched.chunked:
            with body.whole() as raw:
                return "" if _has_last_chunk(raw) else "the last chunk is missing"
        promised = fetched.header("content-length")
        if promised.isascii() and promised.isdigit() and body.size < int(promised) < _NO_LENGTH:
            return f"{body.size} of {promised} bytes"
        return ""
    finally:
        body.close()


def _has_last_chunk(raw: bytes | mmap) -> bool:
    position = 0
    while line := _CHUNK_SIZE.match(raw, position):
        size = int(line[1], 16)
        if size == 0:
            return True
        position = line.end() + size
    return False
