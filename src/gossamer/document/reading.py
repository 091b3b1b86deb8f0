"""A document out of the bytes of an answer: transfer coding off, content coding off, type and charset told."""

from msgspec import Struct

from gossamer.document.body import Body
from gossamer.document.charset import declared_charset
from gossamer.document.decode import dechunk, decode
from gossamer.document.sniff import HEAD, sniff

GLIMPSE = 64 * 1024  # bytes of an answer that tell its type


class Reading(Struct, frozen=True):
    """The content of an answer, decoded, with its type and character set."""

    mime: str  # the type we act on
    content: bytes
    charset: str  # by mark or header; empty: neither tells
    cut: bool  # the content is only the beginning
    error: str  # why the content is not whole, or not decoded
    too_big: bool = False  # there is more of it than the limit


def read_document(
    raw: bytes, *, chunked: bool, encoding: str, content_type: str, url: str, limit: int, keep: int | None = None
) -> Reading:
    """Read the body of an answer, up to `limit` bytes of content, or `keep` when there is more."""
    content = dechunk(raw) if chunked else raw
    cut, error, too_big = False, "", False
    if encoding or len(content) > limit:
        decoded = decode(content, encoding, limit, keep)
        content, cut, error, too_big = decoded.content, decoded.cut, decoded.error, decoded.too_big
    mime = sniff(content_type, content[:HEAD], url)
    return Reading(mime, content, declared_charset(content, content_type), cut, error, too_big)


def type_of(body: Body, *, chunked: bool, encoding: str, content_type: str, url: str) -> str:
    """Tell the type of a body by its beginning, while the rest of it may be still to come."""
    raw = body.read(GLIMPSE)
    return read_document(raw, chunked=chunked, encoding=encoding, content_type=content_type, url=url, limit=GLIMPSE).mime
