"""The way to read a page where nothing could be compiled: a tree, built by the rules of the HTML standard with scripting off.

The tree is lexbor's. A few pages would take a tree builder quadratic time; those are scanned by `costly.py` instead and have no
text. Standard: https://html.spec.whatwg.org/ section 13.2.

lexbor is imported with the first page: a process that reads only other documents does without it.
"""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from gossamer.processors.costly import is_costly, scan
from gossamer.processors.page import MOST_ELEMENTS, Attributes, PageFacts
from gossamer.processors.text import visible_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

MOST_TITLES = 10  # looked at for one that is no picture's

_ELEMENTS = "[href],img,source,iframe,frame,meta"


def read(markup: bytes, page: PageFacts) -> int | None:
    """Read a page in UTF-8 into `page`; return how many elements were not read, None: a tree would be too costly."""
    tree = parse(markup)
    if tree is None:
        return None
    page.text = _text(tree)
    nodes = tree.css(_ELEMENTS)
    page.read(_document_facts(tree))
    page.read((node.tag or "", node.attributes) for node in nodes[:MOST_ELEMENTS])
    return max(len(nodes) - MOST_ELEMENTS, 0)


def skim(markup: bytes, page: PageFacts) -> int:
    """Read a page without a tree, in linear time; return how many elements were not read."""
    elements = scan(markup.decode("utf-8", "replace"))
    page.read(islice(elements, MOST_ELEMENTS))
    return sum(1 for _ in islice(elements, MOST_ELEMENTS))


def text(markup: bytes) -> str:
    """Return what a reader sees of a page."""
    tree = parse(markup)
    return _text(tree) if tree is not None else ""


def _text(tree: "LexborHTMLParser") -> str:
    return visible_text(tree.body) if tree.body is not None else ""


def parse(markup: bytes) -> "LexborHTMLParser | None":
    """Build the tree of a page in UTF-8; None: it would be too costly."""
    from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, SelectolaxError

    if is_costly(markup):
        return None
    without_events = int(LexborDocumentOptions.WO_EVENTS)  # mirroring a chosen `option` is quadratic, and nobody looks at it
    try:
        return LexborHTMLParser(markup, options=without_events)
    except SelectolaxError:  # not enough memory for it
        return None


def _document_facts(tree: "LexborHTMLParser") -> Iterator[tuple[str, Attributes]]:
    if tree.root is not None:
        yield "html", tree.root.attributes
    yield "title", {"text": _title(tree)}


def _title(tree: "LexborHTMLParser") -> str | None:
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
