"""Which rule kept a crawl from most of what it found: a scope too narrow and a nofollow on the front page look like success.

What is counted are URLs that were found, not the seeds. URLs are known in the order of their fingerprints, so that the first of
them are as good a sample as any: of a large crawl no more are looked at.
"""

from collections import Counter

from msgspec import Struct

from gossamer.joints.frontier import Frontier
from gossamer.joints.walks import first
from gossamer.records.entry import LinkKind
from gossamer.records.lease import KnownUrl
from gossamer.records.outcome import State

SAMPLE = 1_000  # URLs looked at


class Refusals(Struct, frozen=True, kw_only=True):
    """The URLs that one rule refused."""

    rule: str
    count: int
    found: int  # of so many URLs that were looked at
    sampled: bool  # there are more
    url: str  # an example
    reason: str


async def most_refused(frontier: Frontier) -> Refusals | None:
    """Return the rule that refused more than half of what was found, if one did."""
    sample = await first(frontier.known(), SAMPLE + 1)
    found = [known for known in sample[:SAMPLE] if known.entry.kind is not LinkKind.SEED]
    refused = [known for known in found if known.state is State.DEAD and _rule_of(known)]
    counts = Counter(map(_rule_of, refused))
    if not counts:
        return None
    rule, count = counts.most_common(1)[0]
    if 2 * count <= len(found):
        return None
    example = next(known for known in refused if _rule_of(known) == rule)
    return Refusals(
        rule=rule,
        count=count,
        found=len(found),
        sampled=len(sample) > SAMPLE,
        url=example.entry.url,
        reason=example.reason.text if example.reason is not None else "",
    )


def _rule_of(known: KnownUrl) -> str:
    """Return the rule that refused a URL; an empty text: none that somebody can steer."""
    return known.reason.rule if known.reason is not None and known.reason.is_by_knob else ""
