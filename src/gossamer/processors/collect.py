"""Links as they are found, in the order of the document, each URL once, up to a limit.

Raw texts are told apart before they are joined with the base, since most repetitions are literal and joining is the price of a
link; a text counts without its fragment, so that a page with thousands of links into few others has few. What is limited is the
number of URLs; of a page with very many texts the rest is only counted. Of two places that name the same URL the first says its
kind; it is nofollow only when all are. Images have a limit of their own and give way to any other link to the same URL, so that
they never push out what is followed.
"""

from itertools import islice

from gossamer.records.entry import Link, LinkKind
from gossamer.url.parse import Base

MOST_TEXTS = 100_000  # that differ, of one document: so many are joined at most


class Links:
    """Collects the links of one document."""

    __slots__ = ("images", "pages")

    def __init__(self) -> None:
        self.pages: dict[str, tuple[LinkKind, bool]] = {}  # as it is written: kind, nofollow
        self.images: dict[str, None] = {}

    def add(self, href: str, kind: LinkKind, nofollow: bool = False) -> None:
        """Take a link as it is written."""
        if "#" in href:
            href = without_fragment(href)
        known = self.pages.get(href)
        if known is None:
            self.pages[href] = (kind, nofollow)
        elif known[1] and not nofollow:
            self.pages[href] = (known[0], False)

    def add_image(self, href: str) -> None:
        """Take an image; one that is part of the page itself (`data:`) has no URL."""
        if not href.startswith("data:"):
            self.images[href] = None

    def joined(self, base: Base, limit: int) -> tuple[tuple[Link, ...], int]:
        """Return absolute links, at most `limit` and as many images, and how many more there were that are no images."""
        enough = max(limit, MOST_TEXTS)
        found = base.gather(self.pages, enough, Link)
        links = tuple(found.values())
        cut = max(len(links) - limit, 0) + max(len(self.pages) - enough, 0)
        if not self.images:
            return links[:limit], cut
        pictures = dict.fromkeys(base.join_all(list(islice(self.images, enough))))
        images = [Link(url, LinkKind.IMAGE) for url in pictures if url is not None and url not in found]
        return (*links[:limit], *images[:limit]), cut


def without_fragment(href: str) -> str:
    """Return a link up to its fragment, unless a space before that would then be at its end, where it does not count."""
    rest = href[: href.index("#")]
    return href if rest and rest[-1] <= " " else rest
