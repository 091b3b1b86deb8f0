"""Does the richest page first find the important ones? OPIC against exact PageRank on a generated graph.

The graph grows like the web: every page links some earlier pages, popular ones likelier, and a few later ones, mostly near it.
PageRank is computed by the power method with the share that OPIC's tax leaves (0.9).
"""

from heapq import heapify, heappop, heappush
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.table import Column, Row, Table
from gossamer.policy.opic import TAX, Bank, credit_of, enter, importance, pay, spread

LINKS = 10  # of a page, on average

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Graph(NamedTuple):
    """Pages and their links."""

    pages: int
    source: Numbers
    target: Numbers

    def links(self) -> list[list[int]]:
        """Return the links of every page."""
        lists: list[list[int]] = [[] for _ in range(self.pages)]
        for source, target in zip(self.source.tolist(), self.target.tolist(), strict=True):
            lists[source].append(target)
        return lists


def tables(scale: str) -> list[Table]:
    """Measure, for a graph of a size that suits the scale."""
    pages = {"quick": 10_000, "usual": 100_000, "full": 300_000}[scale]
    graph = generated(pages, seed=1)
    exact = pagerank(graph)
    columns = (
        Column("fetches", "fetches a page", ".0f"),
        Column("spearman", "Spearman", ".3f", headline=True),
        Column("top", "of the top 10 %", ".1f", " %"),
        Column("microseconds", "us a fetch", ",.1f"),
    )
    rows = [_measured(graph, exact, rounds) for rounds in (1, 2, 4, 8)]
    notes = [f"{len(graph.source):,} links; top 10 %: pages that are in the first tenth by PageRank and by OPIC"]
    return [Table(f"OPIC against PageRank, {pages:,} pages", columns, rows, notes)]


def _measured(graph: Graph, exact: Floats, rounds: int) -> Row:
    began = process_time()
    found = crawled(graph, rounds)
    spent = process_time() - began
    tenth = graph.pages // 10
    both = np.intersect1d(np.argsort(-found)[:tenth], np.argsort(-exact)[:tenth])
    return {
        "fetches": rounds,
        "spearman": spearman(found, exact),
        "top": 100 * len(both) / tenth,
        "microseconds": spent / (rounds * graph.pages) * 1e6,
    }


def generated(pages: int, seed: int) -> Graph:
    """Grow a graph: of a page's links two thirds go to the targets of earlier links, the others to pages near it."""
    chance = np.random.default_rng(seed)
    count = np.minimum(chance.geometric(1 / LINKS, pages), 200)
    source = np.repeat(np.arange(pages), count)
    near = source + np.rint(chance.laplace(0, 50, len(source))).astype(np.int64)
    target = np.where((near >= 0) & (near < pages), near, source // 2)
    copies = np.flatnonzero(chance.random(len(source)) < 2 / 3)
    copied = (chance.random(len(copies)) * copies).astype(np.int64)
    values = target.tolist()
    for link, earlier in zip(copies.tolist(), copied.tolist(), strict=True):
        values[link] = values[earlier]  # popular pages are likelier to be linked once more
    return Graph(pages, source, np.array(values, dtype=np.int64))


def pagerank(graph: Graph) -> Floats:
    """Return the share of every page, by the power method."""
    keep = 1 - 1 / TAX
    out = np.bincount(graph.source, minlength=graph.pages)
    rank = np.full(graph.pages, 1 / graph.pages)
    for _ in range(100):
        flow = np.bincount(graph.target, weights=(rank / np.maximum(out, 1))[graph.source], minlength=graph.pages) * keep
        after = flow + (1 - flow.sum()) / graph.pages
        if np.abs(after - rank).sum() < 1e-10:
            break
        rank = after
    return rank


def crawled(graph: Graph, rounds: int) -> Floats:
    """Return the importance that OPIC gives every page after so many fetches a page, the richest first."""
    links = graph.links()
    bank, balances, paid = Bank(), [0] * graph.pages, [0] * graph.pages
    for page in range(graph.pages):
        balances[page], bank = enter(bank)
    bank = spread(bank)
    waiting = [(0, page) for page in range(graph.pages)]
    heapify(waiting)
    for _ in range(rounds * graph.pages):
        key, page = heappop(waiting)
        while -key != balances[page]:  # it was paid since: it stands further ahead as well
            key, page = heappop(waiting)
        paid[page] += credit_of(balances[page], bank)
        balances[page], share, bank = pay(balances[page], len(links[page]), bank)
        for link in links[page]:
            balances[link] += share
            heappush(waiting, (-balances[link], link))
        heappush(waiting, (-balances[page], page))
        bank = spread(bank)
    return np.array([importance(paid[page], balances[page], bank) for page in range(graph.pages)])


def spearman(one: Floats, two: Floats) -> float:
    """Return how well two rankings agree, from -1 to 1."""
    return float(np.corrcoef(_ranks(one), _ranks(two))[0, 1])


def _ranks(values: Floats) -> Floats:
    """Return the place of every value; equal values share theirs."""
    _, inverse, count = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(count)
    places: Floats = (ends - (count - 1) / 2)[inverse]
    return places
