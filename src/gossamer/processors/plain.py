"""Plain text: no links, but for a sitemap in its simplest form, a URL a line, told by the name of its file."""

import re
from itertools import islice

from gossamer.document.charset import guessed_charset, to_text
from gossamer.processors.collect import Links
from gossamer.processors.sitemap import MOST_URLS
from gossamer.records.entry import LinkKind
from gossamer.records.page import Document, Extract
from gossamer.url.parse import Base, split

_SITEMAP = re.compile(r"/[^/]*sitemap[^/]*\.txt(?:\.gz)?\Z", re.IGNORECASE)
_ABSOLUTE = re.compile(r"(?:^|(?<=\r))[^\S\r\n]*+(https?://\S++)[^\S\r\n]*+(?=[\r\n]|\Z)", re.IGNORECASE | re.MULTILINE)


class PlainProcessor:
    """Implements `joints.documents.Processor`. A text has no limit of links and asks nothing of robots."""

    is_linear = False

    def __init__(self, max_links: int, agent: str = "gossamer", meta: bool = True) -> None: ...

    def process(self, document: Document) -> Extract:
        """Tell charset and text; read the lines of a sitemap, which has no text."""
        charset = _charset(document)
        if not _SITEMAP.search(split(document.url).path):
            return Extract(charset=charset, text=to_text(document.content, charset))
        links = Links()
        urls = (found[1] for found in _ABSOLUTE.finditer(to_text(document.content, charset)))  # there may be millions
        for url in islice(urls, MOST_URLS):
            links.add(url, LinkKind.SITEMAP)
        found_links, cut = links.joined(Base(document.url), MOST_URLS)
        return Extract(links=found_links, links_cut=cut + sum(1 for _ in urls), charset=charset)

    def skim(self, document: Document) -> Extract:
        """Return nothing: a text is read in no quicker way."""
        return Extract()

    def text(self, document: Document) -> str:
        """Return the text itself."""
        return to_text(document.content, _charset(document))


def _charset(document: Document) -> str:
    return document.charset or guessed_charset(document.content)
