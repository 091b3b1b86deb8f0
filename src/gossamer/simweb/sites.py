"""The nouns of the synthetic web: hosts, the resources they hold, and the links between them.

`rank` is what makes the truth independent of the order of visits: a resource is linked only from resources of a lower rank
(host roots, the seeds, are linked from anywhere). So no order of discovery reaches a resource deeper than its rank.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Literal, NamedTuple, get_args

from gossamer.simweb.robots import RobotsFile

LinkKind = Literal[
    "anchor", "area", "frame", "iframe", "image", "canonical", "alternate", "refresh", "redirect", "sitemap", "feed"
]
ContentKind = Literal[
    "page", "frames", "xhtml", "listing", "text", "image", "file", "sitemap", "sitemap_index", "atom", "rdf", "rss", "robots",
    "note",
]  # fmt: skip
Role = Literal[
    "open", "rules", "groups", "missing", "pace", "deny", "unreachable", "moved", "elsewhere", "oversized", "slow"
]  # fmt: skip

Ailment = Literal["busy", "broken", "no gateway", "overloaded", "no hurry", "slow down", "asked too often", "cut short"]

HIGHEST_RANK = 8  # of an ordinary page
AILMENTS: tuple[Ailment, ...] = get_args(Ailment)


class PageLink(NamedTuple):
    """A link as a page writes it. Without a target it leads out of the synthetic web."""

    href: str
    target: "Resource | None"
    kind: LinkKind = "anchor"
    nofollow: bool = False

    @property
    def url(self) -> str:
        """The URL it leads to, without aliases and fragments."""
        return self.href if self.target is None else self.target.url


@dataclass(slots=True, eq=False)
class Resource:
    """Something a path of a host answers with."""

    host: "SimHost"
    path: str  # with its query
    number: int  # unique in its web; seeds all that is random about its content
    rank: int = 0
    kind: ContentKind = "page"
    size: int = 0  # the content's bytes before any coding
    language: str = "en"
    links: list[PageLink] = field(default_factory=list)  # those that must be there; chance adds more to pages
    aliases: tuple[str, ...] = ()  # other paths that name this resource
    original: "Resource | None" = None  # of an exact copy; links of its own are the relative ones of the original
    group: str = ""  # of exact copies, or of pages that say the same
    is_canonical: bool = False  # of its group: it counts, whenever it comes
    # the answer
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    failures: int = 0  # answers before the first real one
    ailment: Ailment = "busy"  # what these answers are
    cookie: str = ""  # that is set and asked for before the page is shown
    coding: str = "identity"
    framing: Literal["length", "chunked", "close"] = "length"
    # the page
    charset: str = "utf-8"
    declared: Literal["header", "meta", "nowhere"] = "header"
    meta: tuple[str, str] | None = None  # name and content of a directive
    base: str = ""
    stops: bool = False  # its directives ask us not to follow its links

    @property
    def url(self) -> str:
        """Its one canonical URL."""
        return self.host.origin + self.path


@dataclass(slots=True, eq=False)
class SimHost:
    """A host name with everything below it."""

    name: str
    origin: str
    address: str
    role: Role
    robots: RobotsFile
    table: dict[str, Resource] = field(default_factory=dict)  # by path, aliases included
    pages: list[Resource] = field(default_factory=list)  # the ordinary ones, its root first
    pool: "RankedPages" = field(default_factory=lambda: RankedPages(()))
    is_seed: bool = True  # its root is where a crawl begins
    is_apart: bool = False  # no chance link leads there

    @property
    def root(self) -> Resource:
        """The seed of this host."""
        return self.pages[0]

    @property
    def slow(self) -> bool:
        """Whether its answers take a while."""
        return self.role == "slow"


class RankedPages:
    """Pages ordered by rank, picked by a power law: those that stand first are linked from everywhere."""

    def __init__(self, pages: Iterable[Resource]) -> None:
        self._pages = sorted(pages, key=lambda page: page.rank)
        ranks = [page.rank for page in self._pages]
        self._first = [bisect_left(ranks, rank) for rank in range(HIGHEST_RANK + 2)]

    def pick(self, rng: Random, above: int) -> Resource | None:
        """Pick a page of a higher rank than `above`, if there is one."""
        first = self._first[min(above, HIGHEST_RANK) + 1]
        count = len(self._pages) - first
        return self._pages[first + int(count * rng.random() ** 3)] if count else None
