"""Outlinks: what the link graph learns from a page that was read, packed for it (`edges.py`).

Every link counts, followed or not, since a graph is about the web and not about this crawl; only what a sitemap lists is no
link from one page to another. A target is the fingerprint of its key by the rules of the crawl, before what was learned about
its host. Keys are worked out for links that were not met lately; most were, or came with an entry that has its key, so a page
of a hundred links costs 0.02 ms.
"""

from collections.abc import Callable, Iterable, Sequence

from gossamer.edges import pack_links
from gossamer.records.entry import Entry, Link, LinkKind
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import Url, split
from gossamer.url.spelling import is_spelled

_SITEMAP = LinkKind.SITEMAP


class _Names(dict[str, int]):
    """Fingerprints by URL, those of about the last `remembered` URLs: a full generation becomes the older one."""

    def __init__(self, key_of: Callable[[Url], str], remembered: int) -> None:
        super().__init__()
        self._key_of = key_of
        self._bound = (remembered + 1) // 2
        self._older: dict[str, int] = {}

    def __missing__(self, wire: str) -> int:
        name = self._older.get(wire)
        if name is None:
            name = fingerprint(self._key_of(split(wire)))
        self[wire] = name
        return name

    def learn(self, entries: Iterable[Entry]) -> None:
        """Take over keys that are known already; now is the time to forget others."""
        if len(self) >= self._bound:
            self._older = dict(self)
            self.clear()
        for entry in entries:
            if not is_spelled(entry.key):  # whoever links there means its usual key
                self[entry.url] = fingerprint(entry.key)


class Outlinks:
    """Packs the links of pages."""

    def __init__(self, key_of: Callable[[Url], str], remembered: int = 100_000) -> None:
        self._names = _Names(key_of, remembered)

    def of(self, links: Sequence[Link], known: list[int | None], entries: Iterable[Entry], nofollow: bool) -> bytes:
        """Pack the links of a page.

        `known` are the names that admission remembers (None: not), `entries` those that it made of the others, `nofollow`
        is the page's own wish.
        """
        if links and links[0].kind is _SITEMAP:
            return b""
        names = self._names
        names.learn(entries)
        targets, hole = list(known), -1
        for _ in range(known.count(None)):  # few of many
            hole = targets.index(None, hole + 1)
            targets[hole] = names[links[hole].url]
        return pack_links(tuple(links), targets, nofollow)
