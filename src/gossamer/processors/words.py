"""The words of links: what a reader of a page sees where a link is. Read again from a kept page; a crawl does not ask.

Of a link without a text its picture's alternative counts, then what it is labelled with. Of several links to one URL the first
that has words does.
"""

from itertools import islice
from typing import TYPE_CHECKING

from gossamer.processors.markup import charset_of, markup_of
from gossamer.processors.page import MOST_ELEMENTS
from gossamer.processors.text import visible_text
from gossamer.processors.tree import parse
from gossamer.records.page import Document
from gossamer.url.parse import Base

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

LONGEST = 200  # characters that are told of the words of a link
PAGES = frozenset({"text/html", "application/xhtml+xml"})


def link_words(document: Document) -> dict[str, str]:
    """Return the words of every link of a page that has some, by its URL; nothing of other documents."""
    if document.mime not in PAGES:
        return {}
    charset = charset_of(document)
    tree = parse(markup_of(document, charset))
    if tree is None:
        return {}
    base = Base(document.url, charset)
    named = tree.css_first("base[href]")
    if named is not None:
        base = Base(base.join(named.attributes["href"] or "") or document.url, charset)
    found: dict[str, str] = {}
    for node in islice(tree.css("a[href], area[href], img[src]"), MOST_ELEMENTS):
        words = _words(node)
        if words and (url := base.join(node.attributes.get("href" if node.tag != "img" else "src") or "")):
            found.setdefault(url, words[:LONGEST])
    return found


def _words(node: "LexborNode") -> str:
    if node.tag == "a":
        seen = " ".join(visible_text(node).split()) if node.first_child is not None else ""
        if not seen and (picture := node.css_first("img[alt]")) is not None:
            seen = picture.attributes["alt"] or ""
    else:
        seen = node.attributes.get("alt") or ""
    return " ".join((seen or node.attributes.get("aria-label") or node.attributes.get("title") or "").split())
