"""Ranking in a simulated crawl, where the order is `priority`: what waits is ranked by the links of what was read.

The same rule as of a live crawl (`node/ranker.py`): when so many pages were read, and again when there are a quarter more,
the best that wait move ahead. There it happens beside the crawl, on a thread; here in between two requests, so that the same
seed gives the same crawl.
"""

import numpy as np

from gossamer.config.sections import Score
from gossamer.jobs.simulate.web import Numbers, SimulatedWeb
from gossamer.node.ranker import GROWTH, share
from gossamer.policy.pagerank import pagerank
from gossamer.policy.priority import LEAST_RANK, linked
from gossamer.records.entry import Priority


class Ranking:
    """Counts pages that were read for the first time, and ranks when it is time."""

    def __init__(self, web: SimulatedWeb, names: list[int], weights: Score) -> None:
        self._web = web
        self._names = np.array(names, dtype=np.uint64)
        self._weights = weights
        self._is_read = np.zeros(web.plan.pages, dtype=bool)
        self._sources: Numbers = np.repeat(np.arange(web.plan.pages), np.diff(web.link_starts))
        self._count = 0
        self._next = weights.rank_after

    def read(self, page: int) -> bool:
        """Note that a page was read for the first time; tell whether it is time to rank."""
        self._is_read[page] = True
        self._count += 1
        return bool(self._next) and self._count >= self._next

    def best(self, now: float) -> list[tuple[int, float, Priority]]:
        """Rank what is known; return those that move ahead: name, score and class of each."""
        self._next = int(max(self._count, self._next) * GROWTH)
        web, count = self._web, self._web.plan.pages
        is_seen = self._is_read[self._sources] & (web.born[web.links] <= now)
        sources, targets = self._sources[is_seen], web.links[is_seen]
        is_known = self._is_read.copy()
        is_known[targets] = True
        place = np.cumsum(is_known) - 1
        rank = np.zeros(count)
        rank[is_known] = pagerank(place[sources], place[targets], int(is_known.sum())) * is_known.sum()
        rank[self._is_read] = 0.0
        order = np.argsort(-rank, kind="stable")[: share(self._count)]
        chosen = order[rank[order] >= LEAST_RANK]
        hosts = self._linking_hosts(sources, targets)
        return [
            (int(self._names[page]), *linked(float(rank[page]), int(hosts[page]), self._weights)) for page in chosen.tolist()
        ]

    def _linking_hosts(self, sources: Numbers, targets: Numbers) -> Numbers:
        """Return how many hosts link each page."""
        plan = self._web.plan
        pairs = np.unique(targets * plan.hosts + self._web.host[sources])
        return np.bincount(pairs // plan.hosts, minlength=plan.pages)
