"""PageRank: how likely a reader who follows links at random, and now and then starts anywhere, is on each page.

A page without links sends its reader anywhere. A page that links twice to another, or to itself, says no more by that than by
linking once, or not at all. Edges are columns of numbers and every step is one pass over them: a million edges take about ten
milliseconds a step. Standard: Brin and Page, The Anatomy of a Large-Scale Hypertextual Web Search Engine (1998), section 2.1.
"""

import numpy as np
from numpy.typing import NDArray

from gossamer.edges import NOFOLLOW, NUMBERS
from gossamer.records.entry import LinkKind

DAMPING = 0.85
TOLERANCE = 1e-9  # of the ranks together, whose sum is 1
MOST_STEPS = 200  # the rest is below 0.85 ** 200, which is 1e-14


def pagerank(
    sources: NDArray[np.int64], targets: NDArray[np.int64], count: int, damping: float = DAMPING
) -> NDArray[np.float64]:
    """Return the rank of each of `count` pages; they add up to 1. Edges are numbers of pages, from 0 on."""
    if count == 0:
        return np.zeros(0)
    sources, targets = _once(sources, targets, count)
    links = np.bincount(sources, minlength=count)
    share = 1 / np.maximum(links, 1)
    is_dangling = links == 0
    rank = np.full(count, 1 / count)
    for _ in range(MOST_STEPS):
        given = np.bincount(targets, (rank * share)[sources], count)
        after = (1 - damping + damping * rank[is_dangling].sum()) / count + damping * given
        moved = np.abs(after - rank).sum()
        rank = after
        if moved < TOLERANCE:
            break
    return rank


def passing(ways: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Tell which links pass rank on, from how each is linked (`edges.py`): no image does, and none behind nofollow."""
    found: NDArray[np.bool_] = (ways & NOFOLLOW == 0) & (ways != NUMBERS[LinkKind.IMAGE])
    return found


def _once(sources: NDArray[np.int64], targets: NDArray[np.int64], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each edge once, and none from a page to itself; sorted by target, so that a step writes in order."""
    is_other = sources != targets
    edges = np.unique(targets[is_other] * count + sources[is_other])
    return edges % count, edges // count
