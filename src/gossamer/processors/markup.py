"""The charset of a page, and its markup in UTF-8: byte order mark, header, meta element, then by looking at the bytes."""

import re

from gossamer.document.charset import guessed_charset, meta_charset, to_text
from gossamer.records.page import Document

_ASCII_IS_OTHER = frozenset(("utf-16le", "utf-16be", "iso-2022-jp"))  # charsets in which ASCII bytes mean something else
_SELF_CLOSED = re.compile(rb"<(a|div|iframe|noscript|script|span|style|textarea|title)((?:\s[^<>]*)?)/>")


def charset_of(document: Document) -> str:
    """Return the charset of a page."""
    return document.charset or meta_charset(document.content[:1024]) or guessed_charset(document.content)


def markup_of(document: Document, charset: str) -> bytes:
    """Return a page in UTF-8."""
    content = document.content
    if document.mime == "application/xhtml+xml":
        content = _SELF_CLOSED.sub(rb"<\1\2></\1>", content)  # HTML has no such thing: it would take the rest for a script
    if charset == "utf-8":
        return content.removeprefix(b"\xef\xbb\xbf")
    if content.isascii() and charset not in _ASCII_IS_OTHER:
        return content
    return to_text(content, charset).encode("utf-8", "replace")
