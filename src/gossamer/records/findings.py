"""What a site owner has to mend: a link that leads to nothing, a chain of redirects; and the pages that link there."""

from msgspec import Struct

from gossamer.records.entry import LinkKind
from gossamer.records.page import Page


class LinkSource(Struct, frozen=True, order=True):
    """A page that links to a URL, or redirects there, and how."""

    url: str
    kind: str  # an empty text: it was found there, in whatever way
    nofollow: bool
    words: str = ""  # of the link, where somebody has read the page again


class BrokenLink(Struct, frozen=True):
    """A URL where nothing is, and every page that links to it."""

    target: Page
    sources: tuple[LinkSource, ...]


class Hop(Struct, frozen=True):
    """One step of a chain of redirects: a URL, how it ended and with which status; nothing of one that was not asked for."""

    url: str
    outcome: str
    status: int


class RedirectChain(Struct, frozen=True):
    """A URL that redirects, where that leads step by step, and every page that links to it."""

    hops: tuple[Hop, ...]  # the URL itself first, last where the chain ends
    is_circle: bool  # it leads back to one of its own URLs, which stands last once more
    sources: tuple[LinkSource, ...]

    @property
    def redirects(self) -> int:
        """How many redirects it takes to the end."""
        return len(self.hops) - 1

    @property
    def is_part(self) -> bool:
        """Whether nothing leads here but another redirect, whose chain has this one in it."""
        return bool(self.sources) and all(source.kind == LinkKind.REDIRECT for source in self.sources)
