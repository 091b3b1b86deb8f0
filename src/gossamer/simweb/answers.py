"""Turns content into the exact bytes of an answer: status line, headers, content coding, transfer coding.

No answer depends on when it is asked for (there is no Date), so that what an archive kept can be compared byte for byte. The
standards are RFC 9110 and RFC 9112 (HTTP/1.1).
"""

import gzip
from dataclasses import dataclass
from hashlib import sha1
from random import Random
from typing import NamedTuple

import brotlicffi

from gossamer.simweb.sites import Resource

_REASONS = {
    200: "OK", 301: "Moved Permanently", 302: "Found", 304: "Not Modified", 307: "Temporary Redirect",
    308: "Permanent Redirect", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 410: "Gone",
    429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
}  # fmt: skip
_TYPES = {
    "page": "text/html",
    "frames": "text/html",
    "listing": "text/html",
    "note": "text/html",
    "xhtml": "application/xhtml+xml",
    "text": "text/plain",
    "robots": "text/plain",
    "image": "image/png",
    "sitemap": "application/xml",
    "sitemap_index": "text/xml",
    "atom": "application/atom+xml",
    "rdf": "application/rdf+xml",
    "rss": "text/xml",
    "file": "application/octet-stream",
}
_GZIP_EFFORT = 3
_BROTLI_EFFORT = 3
_LONGEST_CHUNK = 8191


class Digests(NamedTuple):
    """What tells an answer from every other one, by the names of the ledger."""

    head: str = ""
    body: str = ""
    payload: str = ""


UNKNOWN = Digests()


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """An answer as it goes over the wire."""

    status: int
    wire: bytes
    head_size: int
    digests: Digests = UNKNOWN  # of an answer that nobody can keep
    close: bool = False
    version: int = 0  # of a page that changes

    @property
    def head(self) -> bytes:
        """Status line and headers with the final blank line."""
        return self.wire[: self.head_size]

    @property
    def body(self) -> bytes:
        """All that follows the head, transfer coding included."""
        return self.wire[self.head_size :]


def answer_resource(resource: Resource, content: bytes, identity: bool = False) -> WireAnswer:
    """Make the answer that carries a resource's content; `identity`: the client takes no content coding."""
    headers = [("Content-Type", _content_type(resource)), *resource.headers]
    headers += [("Location", link.href) for link in resource.links if link.kind == "redirect"]
    if resource.coding != "identity" and not identity:
        headers.append(("Content-Encoding", resource.coding))
        content = _encode(resource.coding, content)
    if resource.framing == "chunked":
        headers.append(("Transfer-Encoding", "chunked"))
        return assemble(resource.status, headers, _chunk(content, Random(resource.number)), payload=content)
    return assemble(resource.status, headers, content, resource.framing == "close")


def answer_note(status: int, headers: tuple[tuple[str, str], ...] = (), close: bool = False) -> WireAnswer:
    """Make a short answer that says only its status."""
    return assemble(status, [("Content-Type", "text/plain"), *headers], f"{status} {_REASONS[status]}\n".encode(), close)


def answer_cut_short() -> WireAnswer:
    """Make an answer that ends in its head."""
    wire = b"HTTP/1.1 200 OK\r\nServer: sim"
    return WireAnswer(200, wire, len(wire), close=True)


def assemble(
    status: int,
    headers: list[tuple[str, str]],
    body: bytes,
    close: bool = False,
    version: int = 0,
    payload: bytes | None = None,
) -> WireAnswer:
    """Put an answer together; its length goes into the head unless the end of the connection or of the chunks shows it.

    A body in chunks has the payload that they carry beside it.
    """
    lines = [f"HTTP/1.1 {status} {_REASONS[status]}", "Server: simweb"]
    lines += [f"{name}: {value}" for name, value in headers]
    if close:
        lines.append("Connection: close")
    elif payload is None and status != 304:  # which has no body, and need not say how long it would be
        lines.append(f"Content-Length: {len(body)}")
    head = "\r\n".join((*lines, "", "")).encode("latin-1")
    digests = Digests(digest(head), digest(body), "" if payload is None else digest(payload))
    return WireAnswer(status, head + body, len(head), digests, close, version)


def digest(content: bytes) -> str:
    """Return the SHA-1 that the ledger and the archives of crawlers go by."""
    return sha1(content, usedforsecurity=False).hexdigest()


def _content_type(resource: Resource) -> str:
    kind = "application/gzip" if resource.path.endswith(".gz") else _TYPES[resource.kind]
    if kind.startswith("text/html") and resource.declared == "header":
        return f"{kind}; charset={resource.charset}"
    return kind


def _encode(coding: str, content: bytes) -> bytes:
    if coding == "gzip":
        return gzip.compress(content, _GZIP_EFFORT, mtime=0)
    return bytes(brotlicffi.compress(content, quality=_BROTLI_EFFORT))


def _chunk(content: bytes, rng: Random) -> bytes:
    """Cut into chunks of odd sizes, their lengths now in small letters, now in capitals."""
    parts = []
    start = 0
    while start < len(content):
        piece = content[start : start + (rng.randrange(_LONGEST_CHUNK) | 1)]
        size = f"{len(piece):x}" if start % 2 else f"{len(piece):X}"
        parts.append(b"%s\r\n%s\r\n" % (size.encode(), piece))
        start += len(piece)
    return b"".join((*parts, b"0\r\n\r\n"))
