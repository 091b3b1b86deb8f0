"""HTML and XHTML as browsers read them: links, facts and text.

A page is read by the compiled scanner (`scan.py`), or by a tree where nothing was compiled (`tree.py`); both take UTF-8 and
fill a `PageFacts`. Charset: byte order mark, header, meta element, then by looking at the bytes.
Standard: https://html.spec.whatwg.org/ section 13.2.
"""

from typing import Protocol

from gossamer.compiled import optional
from gossamer.processors.markup import charset_of, markup_of
from gossamer.processors.page import PageFacts
from gossamer.records.page import Document, Extract
from gossamer.records.reason import Reason, because
from gossamer.records.rules import Rule

COSTLY = because(Rule.DOCUMENTS_COSTLY)


class Way(Protocol):
    """How a page in UTF-8 is read. Where it takes linear time anyway, to read is to skim."""

    def read(self, markup: bytes, page: PageFacts) -> int | None:
        """Fill `page`, its text too; return how many elements were not read, None: reading would take too long."""
        ...

    def skim(self, markup: bytes, page: PageFacts) -> int:
        """Do the same in linear time, whatever is missed: it may be the text."""
        ...

    def text(self, markup: bytes) -> str:
        """Return what a reader sees."""
        ...


def usual_way() -> Way:
    """Return the compiled scanner, or what there is without it."""
    if optional("gossamer.processors._scan"):
        from gossamer.processors import scan

        return scan
    from gossamer.processors import tree

    return tree


class HtmlProcessor:
    """Implements `joints.documents.Processor`; `agent` is the name in meta elements that speaks to us beside `robots`."""

    def __init__(self, max_links: int, agent: str = "gossamer", meta: bool = True, way: Way | None = None) -> None:
        self._max_links = max_links
        self._robots = ("robots", agent.lower())
        self._obey = meta
        self._way = way or usual_way()

    @property
    def is_linear(self) -> bool:
        """Tell whether no page takes long: a tree takes longer the more tags there are."""
        return self._way.read is self._way.skim

    def process(self, document: Document) -> Extract:
        """Read links and facts."""
        charset = charset_of(document)
        markup = markup_of(document, charset)
        page = PageFacts(self._robots, self._obey)
        unread = self._way.read(markup, page)
        if unread is None:
            return self._skim(document.url, markup, charset, COSTLY)
        return page.extract(document.url, charset, self._max_links, unread)

    def skim(self, document: Document) -> Extract:
        """Read links and facts in linear time, whatever the page holds."""
        charset = charset_of(document)
        return self._skim(document.url, markup_of(document, charset), charset)

    def text(self, document: Document) -> str:
        """Return what a reader sees."""
        return self._way.text(markup_of(document, charset_of(document)))

    def _skim(self, url: str, markup: bytes, charset: str, cut: Reason | None = None) -> Extract:
        page = PageFacts(self._robots, self._obey)
        unread = self._way.skim(markup, page)
        return page.extract(url, charset, self._max_links, unread, cut)
