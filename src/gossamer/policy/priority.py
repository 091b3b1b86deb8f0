"""Priority: which of a host's URLs is next, and which class of the front queue it waits in.

A score is in 0..1 and a higher one is sooner. In `priority` order seeds and what a sitemap names come first, then pages by
how few hops they are from a seed; images come last. `breadth-first` and `depth-first` look at the depth alone and put
everything in one class, because classes are picked by shares and would mix the order. So does `opic`, where the frontier goes
by the credit of pages (`opic.py`) and not by scores.

A redirect's target stands for the URL that led to it and is as deep as that URL, so it keeps its place: behind a seed it is
a seed.
"""

from typing import Literal

from gossamer.records import LinkKind, Priority

Order = Literal["priority", "breadth-first", "depth-first", "opic"]

SITEMAP_SCORE = 0.9
PAGE_SCORE = 0.8  # of a page next to a seed; halved at twice the depth
IMAGE_SCORE = 0.1
HIGH_DEPTH = 1
MEDIUM_DEPTH = 4

# Asked for every link, and looking a member up in its enum costs more than the rule.
SEED, SITEMAP, IMAGE = LinkKind.SEED, LinkKind.SITEMAP, LinkKind.IMAGE
HIGH, MEDIUM, LOW = Priority.HIGH, Priority.MEDIUM, Priority.LOW


def rank(kind: LinkKind, depth: int, redirects: int, order: Order) -> tuple[float, Priority]:
    """Return the score and the class of a URL found that way."""
    if order in ("breadth-first", "opic"):
        return 1 / (1 + depth), MEDIUM
    if order == "depth-first":
        return 1 - 1 / (2 + depth), MEDIUM
    if kind is SEED or (redirects and depth == 0):
        return 1.0, HIGH
    if kind is SITEMAP:
        return SITEMAP_SCORE, HIGH
    if kind is IMAGE:
        return IMAGE_SCORE / max(depth, 1), LOW
    return PAGE_SCORE / max(depth, 1), _class_of(depth)


def _class_of(depth: int) -> Priority:
    if depth <= HIGH_DEPTH:
        return HIGH
    return MEDIUM if depth <= MEDIUM_DEPTH else LOW
