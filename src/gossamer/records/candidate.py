"""A URL that wants to be part of the crawl: what filters and scorers are asked about."""

from msgspec import Struct

from gossamer.records.entry import LinkKind
from gossamer.url.parse import Url


class Candidate(Struct, frozen=True):
    """A URL that wants to be part of the crawl, with what is known of how it was found."""

    url: Url
    depth: int = 0
    kind: LinkKind = LinkKind.SEED
    redirects: int = 0
    off_site: int = 0  # of the page it was found on: hops since the crawl left the seeds' sites
    nofollow: bool = False
