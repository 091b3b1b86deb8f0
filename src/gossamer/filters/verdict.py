"""What a filter is asked about, and how several answers become one.

The answer itself is `records.Verdict`: it names the rule that gave it, so that every refusal can be explained.
"""

from collections.abc import Iterable

from msgspec import Struct

from gossamer.records.entry import LinkKind, Verdict
from gossamer.url.parse import Url


class Candidate(Struct, frozen=True):
    """A URL that wants to be part of the crawl, with what is known of how it was found."""

    url: Url
    depth: int = 0
    kind: LinkKind = LinkKind.SEED
    redirects: int = 0
    off_site: int = 0  # of the page it was found on: hops since the crawl left the seeds' sites
    nofollow: bool = False


def first_refusal(verdicts: Iterable[Verdict]) -> Verdict | None:
    """Return the first verdict that refuses, or None when all allow."""
    return next((verdict for verdict in verdicts if not verdict.allowed), None)
