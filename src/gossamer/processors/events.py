"""XML as a stream of events: the one way in which feeds and sitemaps are read, without a tree and without anything loaded.

What is not well-formed, as much of the web's XML, is read on behind the fault. The usual fault is an ampersand that is none:
`?a=1&b=2`, or `&nbsp;`, which XML does not know. libxml2 drops those, and from then on `&amp;` in every text, too: a link would
become one that nobody wrote. So every reference is written as a number before libxml2 sees it, and an ampersand that begins
none as one of its own. Entities of a document's own stay inside it: nothing is loaded for them, and they cannot grow beyond a
few times the document (libxml2's limit on amplification). Standard: https://www.w3.org/TR/xml/ sections 2.4, 4.1 and 4.4.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html.entities import name2codepoint
from typing import Protocol

_NUMBERS = {name.encode(): b"&#%d;" % number for name, number in (name2codepoint | {"apos": 0x27}).items()}
_REFERENCE = re.compile(rb"&(?:([A-Za-z_][\w.-]{0,31});|(#(?:[0-9]{1,9}|x[0-9A-Fa-f]{1,8});))?", re.ASCII)
_LONGEST = 40  # bytes of a reference, or of what opens a section
_ENDS = {b"<![CDATA[": b"]]>", b"<!--": b"-->", b"<!ENTITY": b">"}  # sections in which an ampersand is left alone
_SECTION = re.compile(b"|".join(map(re.escape, _ENDS)))
_ASCII_IS_OTHER = re.compile(rb"[\0\x1b]")  # in UTF-16 and ISO-2022, where the byte of an ampersand may be half a letter


class EventTarget(Protocol):
    """The receiver of parser events."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take the beginning of an element; its name has its namespace in braces before it."""

    def data(self, text: str) -> None:
        """Take a piece of text."""

    def end(self, tag: str) -> None:
        """Take the end of an element."""

    def close(self) -> None:
        """Take the end of the document."""


def tell(pieces: Iterable[bytes], target: EventTarget, is_enough: Callable[[], bool]) -> None:
    """Tell a target all that is found; what comes behind a fault that libxml2 cannot get over is lost."""
    from lxml import etree  # with the first document: it takes 25 ms to import

    parser = etree.XMLParser(
        target=target, recover=True, resolve_entities="internal", no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        for piece in spelled_out(pieces):
            parser.feed(piece)
            if is_enough():
                return
        parser.close()
    except etree.XMLSyntaxError:
        pass


def spelled_out(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Walk over a document with its references as numbers, and without what is blank before its beginning."""
    rest, end = b"", b""  # what may go on in the next piece, and what the section ends with that we are in
    begun = ascii_only = False
    for piece in pieces:
        if not begun:
            piece = piece.lstrip()  # an XML declaration must come first, and often does not
            begun = bool(piece)
            ascii_only = _ASCII_IS_OTHER.search(piece) is None
        if not ascii_only:
            yield piece
            continue
        told, rest, end = _spell(rest + piece, end, is_last=False)
        yield told
    yield _spell(rest, end, is_last=True)[0]


def _spell(text: bytes, end: bytes, is_last: bool) -> tuple[bytes, bytes, bytes]:
    """Return a text with its references as numbers, what of it is not said yet, and the end of the section it is in."""
    told: list[bytes] = []
    position = 0
    while True:
        if end:
            found = text.find(end, position)
            if found < 0:
                stop = len(text) if is_last else max(position, len(text) - len(end) + 1)
                return b"".join((*told, text[position:stop])), text[stop:], end
            told.append(text[position : found + len(end)])
            position, end = found + len(end), b""
        section = _SECTION.search(text, position)
        if section is None:
            stop = len(text) if is_last else _undecided(text, position)
            return b"".join((*told, _REFERENCE.sub(_numbered, text[position:stop]))), text[stop:], b""
        told += _REFERENCE.sub(_numbered, text[position : section.start()]), section[0]
        position, end = section.end(), _ENDS[section[0]]


def _undecided(text: bytes, position: int) -> int:
    """Return where the reference or the section begins that may go on behind the text; its end: there is none."""
    mark = max(text.rfind(b"&", position), text.rfind(b"<", position))
    return mark if mark >= max(position, len(text) - _LONGEST) else len(text)


def _numbered(found: re.Match[bytes]) -> bytes:
    name, number = found.groups()
    if name is not None:
        return _NUMBERS.get(name, found[0])
    return found[0] if number is not None else b"&#38;"
