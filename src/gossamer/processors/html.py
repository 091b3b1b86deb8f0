"""HTML and XHTML as browsers parse them.

The tree is lexbor's, built by the parsing rules of the HTML standard with scripting off, so that what `noscript` offers is
seen; what a `template` holds is no part of a page. A few pages would take a tree builder quadratic time; those are scanned
instead (see `costly.py`) and have no text; `skim` does so with any page. Charset: byte order mark, header, meta element, then
by looking at the bytes.
Standard: https://html.spec.whatwg.org/ section 13.2.
"""

import re
from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, SelectolaxError

from gossamer.document.charset import guessed_charset, meta_charset, to_text
from gossamer.processors.costly import is_costly, scan
from gossamer.processors.page import Attributes, Page
from gossamer.processors.text import visible_text
from gossamer.records import Document, Extract

MOST_ELEMENTS = 20_000  # read of a page; more are counted as links that were cut
MOST_TITLES = 10  # looked at for one that is no picture's
COSTLY = "a tree of this page would be too costly; it was scanned for links"

_ELEMENTS = "[href],img,source,iframe,frame,meta"
_WITHOUT_EVENTS = int(LexborDocumentOptions.WO_EVENTS)  # mirroring a chosen `option` is quadratic, and nobody looks at it
_ASCII_IS_OTHER = frozenset(("utf-16le", "utf-16be", "iso-2022-jp"))  # charsets in which ASCII bytes mean something else
_SELF_CLOSED = re.compile(rb"<(a|div|iframe|noscript|script|span|style|textarea|title)((?:\s[^<>]*)?)/>")


class HtmlProcessor:
    """Implements `protocols.Processor`; `agent` is the name in meta elements that speaks to us beside `robots`."""

    def __init__(self, max_links: int, agent: str = "gossamer", meta: bool = True) -> None:
        self._max_links = max_links
        self._robots = ("robots", agent.lower())
        self._obey = meta

    def process(self, document: Document) -> Extract:
        """Read links and facts."""
        charset = charset_of(document)
        tree = _parse(document, charset)
        if tree is None:
            return replace(self.skim(document), cut=COSTLY)
        page = Page(self._robots, self._obey)
        nodes = tree.css(_ELEMENTS)
        page.read(_document_facts(tree))
        page.read((node.tag or "", node.attributes) for node in nodes[:MOST_ELEMENTS])
        return page.extract(document.url, charset, self._max_links, max(len(nodes) - MOST_ELEMENTS, 0))

    def skim(self, document: Document) -> Extract:
        """Read links and facts without a tree, in linear time."""
        charset = charset_of(document)
        page = Page(self._robots, self._obey)
        elements = scan(to_text(document.content, charset))
        page.read(islice(elements, MOST_ELEMENTS))
        return page.extract(document.url, charset, self._max_links, sum(1 for _ in islice(elements, MOST_ELEMENTS)))

    def text(self, document: Document) -> str:
        """Return what a reader sees."""
        tree = _parse(document, charset_of(document))
        return visible_text(tree.body) if tree is not None and tree.body is not None else ""


def charset_of(document: Document) -> str:
    """Return the charset of a page."""
    return document.charset or meta_charset(document.content[:1024]) or guessed_charset(document.content)


def _parse(document: Document, charset: str) -> LexborHTMLParser | None:
    """Build the tree of a page; None: it would be too costly."""
    markup = _markup(document, charset)
    if is_costly(markup):
        return None
    try:
        return LexborHTMLParser(markup, options=_WITHOUT_EVENTS)
    except SelectolaxError:  # not enough memory for it
        return None


def _markup(document: Document, charset: str) -> bytes:
    """Return a page in UTF-8."""
    content = document.content
    if document.mime == "application/xhtml+xml":
        content = _SELF_CLOSED.sub(rb"<\1\2></\1>", content)  # HTML has no such thing: it would take the rest for a script
    if charset == "utf-8":
        return content.removeprefix(b"\xef\xbb\xbf")
    if content.isascii() and charset not in _ASCII_IS_OTHER:
        return content
    return to_text(content, charset).encode("utf-8", "replace")


def _document_facts(tree: LexborHTMLParser) -> Iterator[tuple[str, Attributes]]:
    if tree.root is not None:
        yield "html", tree.root.attributes
    yield "title", {"text": _title(tree)}


def _title(tree: LexborHTMLParser) -> str | None:
    """Return the text of the first title that is no picture's."""
    usual = tree.head.css_first("title") if tree.head is not None else None
    if usual is not None:
        return usual.text()
    for node in tree.css("title")[:MOST_TITLES]:
        above = node.parent
        while above is not None and above.tag != "svg":
            above = above.parent
        if above is None:
            return node.text()
    return None
