"""From a record back to what was fetched: head, headers and body as they came over the wire.

A revisit holds no body: it comes back with the outcome `duplicate`, or `not_modified` when the server said so, and `detail` is
the URL of the page that has it. Finding that page's record is the caller's, through the catalog or the CDXJ index.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from gossamer.document.body import Body
from gossamer.document.decode import is_chunked
from gossamer.document.head import fields_of
from gossamer.errors import StoreError
from gossamer.records.export import PackedRecord
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.records.page import Place
from gossamer.storage.archive.walk import Record, Torn, walk
from gossamer.storage.archive.warc import NOT_MODIFIED

_IN_MEMORY = 1024 * 1024
_PIECE = 64 * 1024
_MAX_HEAD = 16 * 1024 * 1024
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"\S+[ \t]+(\d{3})")


def read(path: Path, place: Place) -> Fetched:
    """Read the record at a place of a file; the body is the caller's to close."""
    record = _at(walk(path, place.offset), place)
    try:
        return restore(record)
    finally:
        record.content.close()


def _at(records: Iterator[Record], place: Place) -> Record:
    record = next(records, None)
    if record is None or record.length != place.length:
        raise StoreError(f"{place.file} has no record of {place.length} bytes at byte {place.offset}; run gossamer verify")
    return record


def read_packed(path: Path, place: Place) -> PackedRecord:
    """Read the compressed bytes of the record at a place, and of its request if that is the next one."""
    records, following = walk(path, place.offset), None
    kept = _at(records, place)
    with suppress(Torn):  # a crawl may be writing behind the last record
        following = next(records, None)
    length = kept.length
    if following is not None and following.headers.get("warc-concurrent-to") == kept.headers.get("warc-record-id"):
        length += following.length
    content = Body(_IN_MEMORY)
    with path.open("rb") as file:
        file.seek(place.offset)
        while length > 0 and (piece := file.read(min(length, _PIECE))):
            content.write(piece)
            length -= len(piece)
    return PackedRecord(content, kept.length)


def restore(record: Record) -> Fetched:
    """Turn a response, resource or revisit into what was fetched."""
    headers = record.headers
    head = b"" if record.kind == "resource" else head_of(record)
    body = Body(_IN_MEMORY)
    for piece in record.block(skip=len(head)):
        body.write(piece)
    fields = fields_of(head) if head else (("content-type", headers.get("content-type", "")),)
    at = parse_date(headers.get("warc-date", ""))
    return Fetched(
        url=headers.get("warc-target-uri", ""),
        outcome=_outcome_of(record),
        detail=headers.get("warc-refers-to-target-uri", ""),
        status=status_of(head) if head else 200,
        response_head=head,
        headers=fields,
        body=body,
        chunked=is_chunked(fields),
        truncated=headers.get("warc-truncated", ""),
        address=headers.get("warc-ip-address", ""),
        started=at,
        answered=at,
        ended=at,
    )


def _outcome_of(record: Record) -> Outcome:
    if record.kind != "revisit":
        return Outcome.OK
    return Outcome.NOT_MODIFIED if record.headers.get("warc-profile") == NOT_MODIFIED else Outcome.DUPLICATE


def head_of(record: Record) -> bytes:
    """Return the HTTP head at the start of a block, blank line included; the whole block when it has no end."""
    top = b""
    for piece in record.block():
        top += piece
        if (end := _HEAD_END.search(top)) or len(top) > _MAX_HEAD:
            return top[: end.end()] if end else top
    return top


def status_of(head: bytes) -> int:
    """Return the status code of an HTTP head, 0 when it has none."""
    found = _STATUS.match(head)
    return int(found[1]) if found else 0


def parse_date(text: str) -> float:
    """Return the Unix seconds of a WARC-Date, 0 when it is none."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0
