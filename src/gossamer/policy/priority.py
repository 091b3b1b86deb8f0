"""Priority: which of a host's URLs is next, and which class of the front queue it waits in.

A score is in 0..1 and a higher one is sooner. In `priority` order seeds and what a sitemap names come first, then pages by
how few hops they are from a seed; images and other things that are no pages come last. `breadth-first` and `depth-first` look
at the depth alone and put everything in one class, because classes are picked by shares and would mix the order.

A redirect's target stands for the URL that led to it and is as deep as that URL, so it keeps its place: behind a seed it is
a seed.
"""

from typing import Literal

from gossamer.records import LinkKind, Priority

Order = Literal["priority", "breadth-first", "depth-first"]

SITEMAP_SCORE = 0.9
PAGE_SCORE = 0.8  # of a page next to a seed; halved at twice the depth
EMBEDDED_SCORE = 0.1
EMBEDDED = frozenset((LinkKind.IMAGE, LinkKind.LINK))
HIGH_DEPTH = 1
MEDIUM_DEPTH = 4


def rank(kind: LinkKind, depth: int, redirects: int, order: Order) -> tuple[float, Priority]:
    """Return the score and the class of a URL found that way."""
    if order == "breadth-first":
        return 1 / (1 + depth), Priority.MEDIUM
    if order == "depth-first":
        return 1 - 1 / (2 + depth), Priority.MEDIUM
    if kind is LinkKind.SEED or (redirects and depth == 0):
        return 1.0, Priority.HIGH
    if kind is LinkKind.SITEMAP:
        return SITEMAP_SCORE, Priority.HIGH
    if kind in EMBEDDED:
        return EMBEDDED_SCORE / max(depth, 1), Priority.LOW
    return PAGE_SCORE / max(depth, 1), _class_of(depth)


def _class_of(depth: int) -> Priority:
    if depth <= HIGH_DEPTH:
        return Priority.HIGH
    return Priority.MEDIUM if depth <= MEDIUM_DEPTH else Priority.LOW
