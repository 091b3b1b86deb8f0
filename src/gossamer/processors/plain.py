"""Plain text: no links, but for a sitemap in its simplest form, a URL a line, told by the name of its file."""

import re

from gossamer.document.charset import guessed_charset, to_text
from gossamer.processors.collect import Links
from gossamer.processors.sitemap import MOST_URLS
from gossamer.records import Document, Extract, LinkKind
from gossamer.url.parse import Base, split

_SITEMAP = re.compile(r"/[^/]*sitemap[^/]*\.txt(?:\.gz)?\Z", re.IGNORECASE)
_ABSOLUTE = re.compile(r"\s*(https?://\S+)\s*", re.IGNORECASE)


class PlainProcessor:
    """Implements `protocols.Processor`. Built like all of them; a text has no limit of links and asks nothing of robots."""

    def __init__(self, max_links: int, agent: str = "gossamer", meta: bool = True) -> None: ...

    def process(self, document: Document) -> Extract:
        """Tell the charset; read the lines of a sitemap."""
        charset = _charset(document)
        if not _SITEMAP.search(split(document.url).path):
            return Extract(charset=charset)
        links = Links()
        for line in to_text(document.content, charset).splitlines():
            found = _ABSOLUTE.fullmatch(line)
            if found:
                links.add(found[1], LinkKind.SITEMAP)
        found_links, cut = links.joined(Base(document.url), MOST_URLS)
        return Extract(links=found_links, links_cut=cut, charset=charset)

    def text(self, document: Document) -> str:
        """Return the text itself."""
        return to_text(document.content, _charset(document))


def _charset(document: Document) -> str:
    return document.charset or guessed_charset(document.content)
