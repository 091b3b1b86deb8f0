"""The words of a link, by the pages at its ends: the page that has it is read again from the archive.

A page with several links that are asked for is read once, if they are asked for one after the other.
"""

from collections.abc import Awaitable, Callable

from gossamer.errors import UrlError
from gossamer.records.page import Document
from gossamer.url.parse import Url, parse

MOST_PAGES = 200  # whose words are remembered

Read = Callable[[str], Awaitable[Document | None]]  # the document of a URL; None: nothing is kept of it


class LinkWords:
    """Reads and remembers the words of links."""

    def __init__(self, read: Read, words_of: Callable[[Document], dict[str, str]], key_of: Callable[[Url], str]) -> None:
        self._read = read
        self._words_of = words_of
        self._key_of = key_of
        self._known: dict[str, dict[str, str]] = {}  # by the page, then by the link as it is spelled, and by its key

    async def of(self, source: str, target: str) -> str:
        """Return the words of the link from one page to another; an empty text: it has none, or its page is not kept."""
        known = self._known.get(source)
        if known is None:
            document = await self._read(source)
            spelled = self._words_of(document) if document is not None else {}
            known = {**{self._key_of(parse(url)): words for url, words in spelled.items()}, **spelled}
            if len(self._known) >= MOST_PAGES:
                del self._known[next(iter(self._known))]
            self._known[source] = known
        try:
            return known.get(target) or known.get(self._key_of(parse(target)), "")
        except UrlError:
            return ""
