"""The usual way to read a page: one pass over its bytes by a compiled tokenizer (`_scan.c`), linear on every page.

It follows the tokenizer of https://html.spec.whatwg.org/ section 13.2.5 and finds what a browser would follow. It builds no
tree; `tree.py` does, and is used where nothing was compiled. Both find the same on ordinary pages. They differ where

- a tree builder drops a tag because of where it stands (in a `select`, in or behind a `frameset`, a stray `frame` or table
  cell): here every start tag counts, but a `frame` only after a `frameset`;
- an element of SVG or MathML is named like one of HTML: here only `a` is a link there;
- SVG or MathML is nested more than 64 deep, is closed in the wrong order, or stands in an `annotation-xml` of HTML;
- a second `html` tag brings another language: here the first that is one counts;
- a page has many elements: here links are told apart before they are counted, there every element is read up to a limit;
- text is broken: here every end tag of a block ends a line, also a stray one, an element whose content no reader sees ends
  only with its own end tag, and the text of a `title` is never part of it.

What is in a template is no part of a page, unless they are nested more than 64 deep; what `noscript` offers is.
"""

from gossamer.processors._scan import scan
from gossamer.processors.page import MOST_ELEMENTS, Attributes, PageFacts
from gossamer.processors.references import decode
from gossamer.records.entry import LinkKind

_FRAMES = ((LinkKind.FRAME, False), (LinkKind.IFRAME, False))
_ANCHOR, _AREA = (LinkKind.ANCHOR, False), (LinkKind.AREA, False)
_OBEYING = (_ANCHOR, (LinkKind.ANCHOR, True), _AREA, (LinkKind.AREA, True), *_FRAMES)  # in the order of KIND_... in _scan.c
_REGARDLESS = (_ANCHOR, _ANCHOR, _AREA, _AREA, *_FRAMES)


def read(markup: bytes, page: PageFacts) -> int:
    """Read a page in UTF-8 into `page`; return how many elements were not read."""
    links = page.links
    kinds = _OBEYING if page.obey else _REGARDLESS
    unread, page.text, title = scan(markup, links.pages, links.images, kinds, page.tell, decode, MOST_ELEMENTS, True)
    if title is not None:
        page.entitle(title)
    return unread


skim = read  # linear as it is


def text(markup: bytes) -> str:
    """Return what a reader sees of a page."""
    return scan(markup, {}, {}, _REGARDLESS, _pass_over, decode, 0, True)[1]


def _pass_over(name: str, attributes: Attributes) -> None: ...
