"""Priority: which of a host's URLs is next, and which class of the front queue it waits in.

In `priority` order a URL is worth

    score = importance x I + freshness x F + discovery x D

with weights from the configuration (`[score]`). Each part is in 0..1, a higher score is sooner, and a score of 1 makes up for
thirty days of waiting (`frontier/order.py`).

- I, importance. What is known when a URL is found is how many hops it is from a seed: 1 / (1 + hops), images least of all. When
  the link graph was ranked (`node/ranker.py`), its PageRank counts if that says more: 0.3 for the average of what waits, 0.2
  more or less for each doubling or halving. A URL never loses by it.
- F, the need to be fresh, of pages that are due again: what the visit is worth, in thresholds (`recrawl.py`). Importance is a
  factor of it already, and nothing is left to discover: the other two parts are none then.
- D, discovery. A seed is worth all of it, what a feed lists 0.7, what a sitemap lists its own `<priority>` there (0.5 if it has
  none), any other page something when several hosts link it: 1 from 64 hosts on.

The class goes by the hops too, until a rank says more: what is above the average of all that waits is high. `breadth-first` and
`depth-first` look at the hops alone and put everything in one class, because classes are picked by shares and would mix the
order. So does `opic`, where the frontier goes by the credit of pages (`opic.py`) and not by scores.

The links of a page that is no news (a copy, or nearly one) wait in the lowest class, as do those of any page beyond its first
(`documents.top_links`). When pages of that make are in doubt, one of their links is tried at once: what it brings tells whether
they are worth a visit.

A redirect's target stands for the URL that led to it and is as deep as that URL, so it keeps its place: behind a seed it is
a seed.
"""

from collections.abc import Sequence
from math import log2
from typing import Literal

from msgspec.structs import replace

from gossamer.config.sections import Score
from gossamer.policy.templates import templates_of
from gossamer.records.entry import Entry, LinkKind, Priority
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import split

Order = Literal["priority", "breadth-first", "depth-first", "opic"]

AVERAGE = 0.3  # importance of a URL of average rank
DOUBLING = 0.2  # of one of twice that rank, on top of it
HIGH_RANK = 1.0
LEAST_RANK = 1.0  # lower ones are worth little more than what was just found
MANY_HOSTS = 6.0  # doublings: 64
SAID_NOTHING = 0.5  # the `<priority>` of a URL that a sitemap says nothing about
FEED = 0.7
IMAGE_IMPORTANCE = 0.1
HIGH_DEPTH = 1
MEDIUM_DEPTH = 4
VIEW = 0.0  # the score of another way to see a page
AT_ONCE = 1.0  # the score of a link that is tried, which no other URL has that was found on a page
FILES = (
    *(".zip", ".gz", ".tgz", ".bz2", ".tbz", ".xz", ".txz", ".zst", ".lz", ".z", ".7z", ".rar", ".tar", ".cab"),
    *(".deb", ".rpm", ".apk", ".msi", ".exe", ".dmg", ".pkg", ".jar", ".war", ".whl", ".iso", ".img", ".bin"),
    *(".diff", ".patch"),
)
DEFAULT = Score()

# Asked for every link, and looking a member up in its enum costs more than the rule.
SEED, SITEMAP, FEEDS, IMAGE = LinkKind.SEED, LinkKind.SITEMAP, LinkKind.FEED, LinkKind.IMAGE
HIGH, MEDIUM, LOW, LAST = Priority.HIGH, Priority.MEDIUM, Priority.LOW, Priority.LAST


def rank(
    kind: LinkKind, depth: int, redirects: int, order: Order, weights: Score = DEFAULT, said: float | None = None
) -> tuple[float, Priority]:
    """Return the score and the class of a URL found that way; `said` is the priority that a sitemap gives it."""
    if order in ("breadth-first", "opic"):
        return 1 / (1 + depth), MEDIUM
    if order == "depth-first":
        return 1 - 1 / (2 + depth), MEDIUM
    is_seed = kind is SEED or (redirects > 0 and depth == 0)
    score = weights.importance * by_depth(kind, depth) + weights.discovery * by_finding(SEED if is_seed else kind, said)
    if is_seed or (kind is SITEMAP and (said is None or said >= SAID_NOTHING)):
        return score, HIGH
    return score, LOW if kind is IMAGE else _class_of(depth)


def by_depth(kind: LinkKind, depth: int) -> float:
    """Return the importance of a URL of which nothing is known but how it was found."""
    return IMAGE_IMPORTANCE / max(depth, 1) if kind is IMAGE else 1 / (1 + depth)


def by_rank(page_rank: float) -> float:
    """Return the importance of a URL by its PageRank, where 1 is the average of what waits."""
    return min(max(AVERAGE + DOUBLING * log2(page_rank), 0.0), 1.0) if page_rank > 0 else 0.0


def by_finding(kind: LinkKind, said: float | None = None) -> float:
    """Return what it means that a URL was found in such a place."""
    if kind is SEED:
        return 1.0
    if kind is SITEMAP:
        return SAID_NOTHING if said is None else said
    return FEED if kind is FEEDS else 0.0


def by_hosts(hosts: int) -> float:
    """Return what it means that so many hosts link a URL."""
    return min(log2(hosts) / MANY_HOSTS, 1.0) if hosts > 1 else 0.0


def linked(page_rank: float, hosts: int, weights: Score) -> tuple[float, Priority]:
    """Return the score and the class that links alone give a URL which was never fetched."""
    score = weights.importance * by_rank(page_rank) + weights.discovery * by_hosts(hosts)
    return score, HIGH if page_rank >= HIGH_RANK else MEDIUM


def due_again(worth: float, weights: Score) -> float:
    """Return the score of a page that is due again, when the visit is worth so many thresholds."""
    return weights.freshness * min(worth, 1.0)


def put_last(entry: Entry, order: Order, is_tried: bool) -> Entry:
    """Return a URL as one that has time, or as one that is tried at once."""
    level = entry.priority if order != "priority" else HIGH if is_tried else LOW
    return replace(entry, score=AT_ONCE if is_tried else entry.score, priority=level)


def as_view(entry: Entry) -> Entry:
    """Return a URL as another way to see a page that is found elsewhere: it waits in the last class, behind all there."""
    return replace(entry, score=VIEW, priority=LAST)


def is_file(path: str) -> bool:
    """Tell whether a URL is a file that is no page, by the end of its path: an archive, a package, an image of a disk."""
    return path[-8:].lower().endswith(FILES)


def as_file(entry: Entry) -> Entry:
    """Return a URL as a file that is no page by its name, or by what its link says: it waits in the last class."""
    return replace(entry, priority=LAST)


def to_try(entries: Sequence[Entry], page: Entry) -> Entry | None:
    """Choose what is tried of a page that is no news: any URL of its host that is of another make and no other view of it.

    What is of its own make tells nothing that others of this make do not. Of a page that was tried itself nothing is: a maze
    would have us try without end.
    """
    if page.score == AT_ONCE and page.kind is not SEED:
        return None
    own = templates_of(split(page.url))[0]
    plain = [entry for entry in entries if entry.refused is None and entry.host == page.host and "?" not in entry.url]
    others = [entry for entry in plain if templates_of(split(entry.url))[0] != own]
    return others[fingerprint(page.url) % len(others)] if others else None


def parts(entry: Entry, score: float, again: bool, weights: Score) -> dict[str, float]:
    """Say what a score is made of: what was known when the URL was found, what links add to that, or how fresh it has to be."""
    if again:
        return {"freshness": score}
    importance = weights.importance * by_depth(entry.kind, entry.depth)
    return {"importance": importance, "discovery": entry.score - importance, "links": score - entry.score}


def _class_of(depth: int) -> Priority:
    if depth <= HIGH_DEPTH:
        return HIGH
    return MEDIUM if depth <= MEDIUM_DEPTH else LOW
