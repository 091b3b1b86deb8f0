"""What a report holds. Long lists are cut, and each says how long it was."""

from typing import Generic, TypeVar

from msgspec import Struct

from gossamer.records.findings import Hop

Row = TypeVar("Row")


class Listing(Struct, Generic[Row], frozen=True):
    """The first rows of a list, and how many it has in all."""

    total: int
    rows: tuple[Row, ...] = ()

    @property
    def left_out(self) -> int:
        """How many rows are not here."""
        return self.total - len(self.rows)


class SourceFact(Struct, frozen=True):
    """A page that links to a URL, or redirects there, and how; the words of its links are for an export."""

    url: str
    kind: str  # an empty text: it was found there, in whatever way
    nofollow: bool


class DeadLink(Struct, frozen=True, kw_only=True):
    """A URL where nothing is."""

    url: str
    outcome: str
    status: int  # 0: there was no answer
    reason: str
    is_external: bool  # of another site, asked for because it is linked
    sources: Listing[SourceFact]


class RedirectFact(Struct, frozen=True, kw_only=True):
    """A URL that redirects, and where that leads."""

    hops: tuple[Hop, ...]
    redirects: int
    is_circle: bool
    sources: Listing[SourceFact]


class PageFact(Struct, frozen=True, kw_only=True):
    """A page that was kept."""

    url: str
    mime: str
    bytes: int  # on the wire
    seconds: float  # from the request to the end of the answer
    title: str = ""


class CopyGroup(Struct, frozen=True):
    """A page, and those that say the same, or nearly."""

    url: str
    copies: Listing[str]


class TitleGroup(Struct, frozen=True):
    """Pages of one host that share a title."""

    host: str
    title: str
    pages: Listing[str]


class BlockedUrl(Struct, frozen=True):
    """A URL that robots.txt forbids, and the line that does."""

    url: str
    reason: str


class ListedUrl(Struct, frozen=True):
    """A URL that a sitemap lists."""

    url: str
    sitemap: str
    outcome: str = ""  # an empty text: it was not asked for
    status: int = 0


class SitemapFacts(Struct, frozen=True, kw_only=True):
    """Sitemaps held against the pages and their links."""

    files: int
    listed: int  # URLs, each once
    orphans: Listing[ListedUrl]  # listed, and linked by no other page
    no_pages: Listing[ListedUrl]  # listed, and no page of their own: broken, redirected, forbidden, copies
    unlisted: Listing[str]  # pages of hosts that have a sitemap, which does not list them


class Share(Struct, frozen=True):
    """A part of the pages: of one depth, type, size or answering time."""

    name: str
    pages: int
    bytes: int = 0


class HostFact(Struct, frozen=True, kw_only=True):
    """One host in numbers."""

    host: str
    pages: int
    bytes: int
    seconds: float  # an answer takes, on average
    broken: int


class SiteReport(Struct, frozen=True, kw_only=True):
    """All of it."""

    directory: str
    made_at: float
    state: str  # running, stopped, finished
    waiting: int  # URLs that nobody has asked for yet
    has_graph: bool  # else no page is known to link to another
    checks_external: bool
    seeds: Listing[str]
    first: float  # visit
    last: float
    pages: int
    bytes: int
    outcomes: dict[str, int]
    external: int  # URLs of other sites that were asked for
    broken: Listing[DeadLink]
    broken_links: int  # that lead to these
    redirects: Listing[RedirectFact]
    longest_redirect: int  # hops
    redirect_circles: int
    slow_from: float  # seconds
    slow: Listing[PageFact]
    large_from: int  # bytes
    large: Listing[PageFact]
    duplicates: Listing[CopyGroup]
    near_duplicates: Listing[CopyGroup]
    untitled: Listing[str]
    doubled_titles: Listing[TitleGroup]
    robots: Listing[BlockedUrl]
    sitemaps: SitemapFacts
    depths: tuple[Share, ...]
    types: Listing[Share]
    times: tuple[Share, ...]
    sizes: tuple[Share, ...]
    hosts: Listing[HostFact]
