"""The WARC 1.1 writer: facts in, the bytes of one record out. Pure.

Every record is a gzip member of its own, so that a file can be read from any record on and cut after any record. The block
of a response is what came over the wire, head and body, transfer coding included. Record ids and times are arguments.

Nothing from the web reaches a WARC header unescaped: a URI is percent-encoded down to visible ASCII, an address has to look
like one, and everything else a server says stays inside the block, whose length is counted.

Follows ISO 28500:2017 (WARC 1.1) and its revisit profiles: `identical-payload-digest` for content that is known,
`server-not-modified` for a 304. Which digest is written where, and why: docs/decisions/0002-payload-digest.md.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from gossamer.document.body import Body
from gossamer.document.digest import digest_text
from gossamer.records.fetch import Fetched
from gossamer.records.page import Original
from gossamer.storage.archive import member

SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_OF_NOTHING = digest_text(hashlib.sha1())
_REQUEST = "application/http;msgtype=request"
_RESPONSE = "application/http;msgtype=response"
_WITH_HEAD = ("http:", "https:")
_CODED = frozenset({"gzip", "x-gzip", "deflate", "br", "zstd"})  # what is in one of these cannot be compressed any further
_TRUNCATED = frozenset({"length", "time", "disconnect", "unspecified"})
_DIGITS_ONLY = str.maketrans("", "", "-:T")
_HIDDEN = re.compile(r"[^!-~]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_ADDRESS = re.compile(r"[0-9A-Fa-f.:]{2,45}")
_MIME = re.compile(r"[\w!#$&^.+-]{1,127}/[\w!#$&^.+-]{1,127}", re.ASCII)
_BLANK_LINE = re.compile(rb"\n[^!-~\n]*\n")


class Draft(NamedTuple):
    """A record before compression: its WARC header, then its block in two parts."""

    header: bytes
    head: bytes
    body: Body | None = None
    is_coded: bool = False  # the body is compressed already


def warcinfo(record_id: str, at: float, filename: str, fields: Mapping[str, str]) -> Draft:
    """Draft the record that opens a file: who wrote it, with what, by which rules."""
    block = "".join(f"{name}: {_CONTROL.sub(' ', value)}\r\n" for name, value in fields.items()).encode("utf-8", "replace")
    more = f"WARC-Filename: {filename}\r\n"
    return Draft(_header("warcinfo", record_id, at, "application/warc-fields", block, None, more), block)


def request(fetched: Fetched, record_id: str, concurrent_to: str) -> Draft:
    """Draft the request that led to the record `concurrent_to`."""
    block = fetched.request_head
    more = f"WARC-Target-URI: {safe_uri(fetched.url)}\r\nWARC-Concurrent-To: <{concurrent_to}>\r\n"
    return Draft(_header("request", record_id, fetched.started, _REQUEST, block, None, more), block)


def kept(fetched: Fetched, digest: str, original: Original | None, record_id: str) -> Draft:
    """Draft what is kept of an answer: a revisit of `original`, a response, or a resource when the scheme has no head."""
    url = fetched.url
    more = f"WARC-Target-URI: {safe_uri(url)}\r\n{_asked(fetched.address)}"
    head = fetched.response_head if url.startswith(_WITH_HEAD) else b""
    if original is not None:
        return _revisit(fetched, digest, original, record_id, head, more)
    if fetched.truncated:
        more += f"WARC-Truncated: {fetched.truncated if fetched.truncated in _TRUNCATED else 'unspecified'}\r\n"
    if not head:
        mime = fetched.header("content-type").partition(";")[0].strip()
        kind, content_type = "resource", mime if _MIME.fullmatch(mime) else "application/octet-stream"
    else:
        kind, content_type = "response", _RESPONSE
        payload = _wire_digest(fetched.body) if fetched.chunked else digest
        if payload and ends_once(head):  # of a robots.txt nobody asks for one
            more += f"WARC-Payload-Digest: {payload}\r\n"
    header = _header(kind, record_id, fetched.started, content_type, head, fetched.body, more)
    return Draft(header, head, fetched.body, fetched.header("content-encoding").lower() in _CODED)


@lru_cache(maxsize=1024)  # a host has one for thousands of pages
def _asked(address: str) -> str:
    """Return the line that names an address; nothing for what is none."""
    return f"WARC-IP-Address: {address}\r\n" if _ADDRESS.fullmatch(address) else ""


def _revisit(fetched: Fetched, digest: str, original: Original, record_id: str, head: bytes, more: str) -> Draft:
    unmodified = fetched.status == 304
    more += f"WARC-Profile: {NOT_MODIFIED if unmodified else SAME_PAYLOAD}\r\n"
    if not unmodified or digest not in ("", _OF_NOTHING):  # of what it confirms, not of the body that a 304 does not have
        more += f"WARC-Payload-Digest: {digest}\r\n"
    more += f"WARC-Refers-To-Target-URI: {safe_uri(original.url)}\r\nWARC-Refers-To-Date: {date(original.fetched_at)}\r\n"
    if not unmodified and original.chunked not in (None, fetched.chunked):
        head = b""  # a replay puts this head before the original's body: one that says chunked, or fails to, would spoil it
    return Draft(_header("revisit", record_id, fetched.started, _RESPONSE, head, None, more), head)


def pack(draft: Draft, level: int) -> Iterable[bytes]:
    """Compress a record into its gzip member: one piece when it is small, else pieces."""
    header, head, body, is_coded = draft
    text = header + head
    return member.store(text, body, level) if is_coded and body is not None else member.pack(text, body, level)


@lru_cache(maxsize=64)  # one for an answer and its request
def date(seconds: float) -> str:
    """Spell a time as WARC 1.1 does, to the microsecond."""
    microseconds = round(seconds * 1_000_000)
    return f"{_second(microseconds // 1_000_000)}.{microseconds % 1_000_000:06}Z"


@lru_cache(maxsize=64)  # many records share their second
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:19]


def timestamp(seconds: float) -> str:
    """Spell a time as file names and CDXJ do: 14 digits."""
    return _digits(round(seconds * 1_000_000) // 1_000_000)


@lru_cache(maxsize=64)
def _digits(seconds: int) -> str:
    return _second(seconds).translate(_DIGITS_ONLY)


def safe_uri(url: str) -> str:
    """Percent-encode everything in a URL that is not visible ASCII, so that it cannot end a header line."""
    if url.isascii() and url.isprintable() and " " not in url:  # nearly all
        return url
    return _HIDDEN.sub(lambda hidden: quote(hidden[0], safe="", errors="surrogatepass"), url)


def ends_once(head: bytes) -> bool:
    """Tell whether every reader finds the end of an HTTP head at the same byte: only then it has a payload digest."""
    blank = _BLANK_LINE.search(head)
    return (
        blank is not None
        and blank.end() == len(head)
        and head.endswith(b"\r\n\r\n")
        and head.count(b"\n") == head.count(b"\r\n")
    )


def _header(kind: str, record_id: str, at: float, content_type: str, head: bytes, body: Body | None, more: str) -> bytes:
    hasher = hashlib.sha1(head)
    length = len(head)
    if body is not None:
        length += body.size
        _take_in(hasher, body)
    return (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{record_id}>\r\nWARC-Date: {date(at)}\r\n{more}"
        f"WARC-Block-Digest: {digest_text(hasher)}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
    ).encode("ascii")


def _wire_digest(body: Body) -> str:
    hasher = hashlib.sha1()
    _take_in(hasher, body)
    return digest_text(hasher)


def _take_in(hasher: "hashlib._Hash", body: Body) -> None:
    if body.in_memory:
        hasher.update(body.read())  # in one step: to make a walk of one piece takes longer than the rest of a header
        return
    for piece in body.pieces():
        hasher.update(piece)
