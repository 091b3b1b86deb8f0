"""What a browser would load with a page: pictures, styles, scripts, fonts by `link`, frames, media. Read from a kept page.

What style sheets and scripts load themselves is not known from the page.
"""

from itertools import islice

from gossamer.processors.markup import charset_of, markup_of
from gossamer.processors.page import MOST_ELEMENTS, srcset_urls
from gossamer.processors.tree import parse
from gossamer.processors.words import PAGES
from gossamer.records.page import Document
from gossamer.url.parse import Base

_LOADED = frozenset({"stylesheet", "icon", "preload", "modulepreload", "manifest", "apple-touch-icon"})  # relations of `link`
_SOURCES = {  # elements, and the attributes that name what they show
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "script": ("src",),
    "iframe": ("src",),
    "frame": ("src",),
    "embed": ("src",),
    "audio": ("src",),
    "video": ("src", "poster"),
    "track": ("src",),
    "object": ("data",),
    "input": ("src",),
    "link": ("href",),
}


def requisites(document: Document) -> dict[str, str]:
    """Return the URLs that a page shows or runs, each with the element that names it; nothing of other documents."""
    tree = parse(markup_of(document, charset := charset_of(document))) if document.mime in PAGES else None
    if tree is None:
        return {}
    base = Base(document.url, charset)
    named = tree.css_first("base[href]")
    if named is not None:
        base = Base(base.join(named.attributes["href"] or "") or document.url, charset)
    found: dict[str, str] = {}
    for node in islice(tree.css(", ".join(_SOURCES)), MOST_ELEMENTS):
        element, attributes = node.tag or "", node.attributes
        if element == "link" and _LOADED.isdisjoint((attributes.get("rel") or "").lower().split()):
            continue
        for name in _SOURCES[element]:
            text = attributes.get(name) or ""
            for href in srcset_urls(text) if name == "srcset" else [text]:
                if href and not href.startswith("data:") and (url := base.join(href)):
                    found.setdefault(url, element)
    return found
