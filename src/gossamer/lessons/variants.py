"""Which of the visits of one commit are other views of a page, and what that takes from the evidence against templates.

The words in URLs are counted here too, because they tell what a view is (`policy/vocabulary.py`). Of a page that has views a
row is kept, by the fingerprint of its name: when it comes after them, it has no phrase that they did not show.
"""

from collections.abc import Mapping
from typing import Any

from gossamer.joints.keyvalue import Pairs
from gossamer.lessons.shelf import WORDS, HostLessons, Name, Record
from gossamer.policy import vocabulary
from gossamer.records.evidence import Words, Yield
from gossamer.records.page import Page
from gossamer.url.fingerprint import hashed
from gossamer.url.parse import Url, split

Shapes = tuple[str, ...]  # templates of a URL, the narrowest first

MOST_PLACES = 64  # of a host's URLs whose words are counted
_VIEW = b"view/"
_NO_WORDS = Words()


class Variants:
    """The views among the visits of one commit; adds to the changes of its study."""

    def __init__(self, kv: Pairs, changes: dict[Name, Record]) -> None:
        self._kv = kv
        self._changes = changes
        self._viewed: set[int] = set()  # pages, by the fingerprints of their names, of which another view was fetched

    @property
    def rows(self) -> list[tuple[bytes, bytes]]:
        """The rows to store beside the changes."""
        return [(_VIEW + page.to_bytes(8, "big"), b"1") for page in self._viewed]

    def observe(self, host: HostLessons, page: Page, path: str, query: str | None) -> None:
        """Count the words in the URL of a page, and note what it is a view of."""
        changes: Mapping[Name, Any] = self._changes
        for place, word in vocabulary.words_of(path, query):
            known = changes.get((page.host, WORDS, place)) or host.words.get(place) or _NO_WORDS
            words = vocabulary.met(known, word)
            if words is not None and (known.counts or len(host.words) < MOST_PLACES):
                self._changes[page.host, WORDS, place] = words
        if query or host.verbs:
            self._viewed.update(map(hashed, vocabulary.bases_of(split(page.url), host.verbs)))

    async def blame(self, host: HostLessons, page: Page, via: str, brought: Yield, shapes: Shapes) -> Shapes | None:
        """Return the templates against which it counts that a page, found on `via`, is no news; None: it says nothing at all.

        Nothing is held against a template that the page has too of which this one is another view. And whoever comes after
        another view of itself has nothing to say that was not said there, and is not to blame for it. Where views differ in a
        word of their path, that found on another of them is the view: the page itself is found elsewhere too. Trees of the
        same bytes beside each other are as many as there are words, and have their end.
        """
        url = split(page.url)
        if brought is Yield.STALE:
            if await self._is_viewed(vocabulary.base(url)):
                return None
            is_beside = any([await self._is_viewed(name) for name in vocabulary.unspoken(url, host.verbs)])
            return (shapes[:1] if self._is_found_beside(host, url, via) else None) if is_beside else shapes
        other = split(page.duplicate_of) if page.duplicate_of else url
        if vocabulary.is_plainer(url, other):
            return None
        is_beside = vocabulary.is_parallel(url, other, host.verbs)
        if is_beside and (brought is Yield.COPY or not self._is_found_beside(host, url, via)):
            return None
        if not is_beside and not vocabulary.is_plainer(other, url):
            return shapes
        theirs = host.shapes_of(other.path, other.query)
        return tuple([title for title in shapes if title not in theirs])

    def _is_found_beside(self, host: HostLessons, url: Url, via: str) -> bool:
        return bool(via) and vocabulary.is_parallel(url, split(via), host.verbs)

    async def _is_viewed(self, name: str) -> bool:
        """Tell whether another view of a page was fetched."""
        page = hashed(name)
        return page in self._viewed or await self._kv.get(_VIEW + page.to_bytes(8, "big")) is not None
