"""Which order finds the important pages first? The real frontier crawls a generated graph, each page once.

Important is the first tenth of all pages by exact PageRank. Told is how many fetches, of as many as there are pages, it takes
until so much of that tenth was fetched. Pages are spread over hosts, which take turns: an order decides among the pages of a
host. Nothing is known of a page but who links it: no sitemap, no seed but five pages. `priority` is run as a crawl runs it: the
link graph is ranked as it grows, and the best of what waits moves ahead; its time includes that.
"""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

from bench.opic import Graph, generated, pagerank
from bench.table import Column, Row, Table
from gossamer.config.sections import Breaker, FrontierSettings, Politeness, Score
from gossamer.edges import NUMBERS, pack
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.node.ranker import AT_ONCE, GROWTH, share
from gossamer.policy.priority import DEFAULT, LEAST_RANK, Order, linked, rank
from gossamer.records.entry import Entry, LinkKind
from gossamer.records.lease import Answer, Fate, Settlement
from gossamer.records.outcome import Outcome
from gossamer.storage.linkgraph import EdgeLog
from gossamer.url.fingerprint import fingerprint, hashed

ORDERS: tuple[Order, ...] = ("breadth-first", "priority", "opic")
PARTS = (50, 75, 90, 99)  # of the important pages, in percent
SEEDS = 5
START = 1_700_000_000.0
COMMIT = 20  # pages that become durable together


def tables(scale: str) -> list[Table]:
    """Measure, for a graph of a size that suits the scale."""
    pages = {"quick": 3_000, "usual": 20_000, "full": 100_000}[scale]
    graph = generated(pages, seed=1)
    top = important(graph)
    columns = (
        Column("order", "order"),
        Column("hosts", "hosts"),
        *(Column(f"found_{part}", f"for {part} %", ".1f", " %", headline=part == 90) for part in PARTS),
        Column("microseconds", "us a page", ",.0f"),
    )
    rows = [_measured(graph, top, order, hosts) for hosts in (1, 100) for order in ORDERS]
    return [Table(f"Fetches until the first tenth by PageRank was found, {pages:,} pages", columns, rows)]


def _measured(graph: Graph, top: set[int], order: Order, hosts: int) -> Row:
    began = process_time()
    fetched = crawled(graph, order, hosts)
    spent = process_time() - began
    found = {f"found_{part}": 100 * fetches_for(fetched, top, part) / graph.pages for part in PARTS}
    return {"order": order, "hosts": str(hosts), **found, "microseconds": spent / len(fetched) * 1e6}


def important(graph: Graph) -> set[int]:
    """Return the first tenth of the pages by PageRank."""
    return set(np.argsort(-pagerank(graph))[: graph.pages // 10].tolist())


def fetches_for(fetched: list[int], top: set[int], percent: int) -> int:
    """Return after how many fetches so much of the important pages was found; of those that can be found."""
    places = [count for count, page in enumerate(fetched, start=1) if page in top]
    return places[len(places) * percent // 100 - 1]


def crawled(graph: Graph, order: Order, hosts: int, weights: Score = DEFAULT) -> list[int]:
    """Return the pages in the order in which they are fetched."""
    with TemporaryDirectory() as folder:
        return asyncio.run(_crawl(graph, order, hosts, weights, Path(folder)))


class _Ranked:
    """What a crawl does meanwhile: keep the graph, rank it as it grows, move the best ahead."""

    def __init__(self, folder: Path, frontier: EmbeddedFrontier, weights: Score) -> None:
        self._graph = EdgeLog.open_at(folder, durable=False)
        self._ranks = self._graph.ranking(weights.rank_memory)
        self._frontier = frontier
        self._weights = weights
        self._next: float = weights.rank_after
        self._pages = 0
        self._kept: list[tuple[int, bytes]] = []
        self._hosts: list[int] = []

    async def note(self, key: str, host: str, links: tuple[int, ...]) -> None:
        """Take the links of a page."""
        self._kept.append((fingerprint(key), pack(links, [NUMBERS[LinkKind.ANCHOR]] * len(links))))
        self._hosts.append(hashed(host))
        if len(self._kept) == COMMIT:
            self._pages += COMMIT
            await self._graph.put(self._kept, self._hosts)
            self._kept, self._hosts = [], []
            if self._pages >= self._next:
                self._next = self._pages * GROWTH
                await self._rank()

    async def _rank(self) -> None:
        best = await self._ranks.renew(share(self._pages), LEAST_RANK)
        worth = [(name, *linked(found, hosts, self._weights)) for name, found, hosts in best]
        for start in range(0, len(worth), AT_ONCE):
            await self._frontier.promote(worth[start : start + AT_ONCE])

    async def aclose(self) -> None:
        """Close the graph."""
        await self._graph.aclose()


async def _crawl(graph: Graph, order: Order, hosts: int, weights: Score, folder: Path) -> list[int]:
    links = graph.links()
    frontier = EmbeddedFrontier.open_at(
        folder,
        FrontierSettings(max_waiting=graph.pages),
        Politeness(delay=0),
        Breaker(),
        300.0,
        START,
        durable=False,
        opic=order == "opic",
    )

    ranked = _Ranked(folder / "graph", frontier, weights)

    def entry(page: int, kind: LinkKind, depth: int) -> Entry:
        url = f"http://{page % hosts}.example/{page}"
        score, priority = rank(kind, depth, 0, order)
        return Entry(url, url, f"{page % hosts}.example", depth, kind, score=score, priority=priority)

    seeds = np.random.default_rng(3).choice(graph.pages, SEEDS, replace=False).tolist()
    await frontier.discover([entry(page, LinkKind.SEED, 0) for page in seeds], START)
    fetched, now = [], START
    while leases := (await frontier.lease("one", 1, now)).leases:
        (lease,), now = leases, now + 0.01
        page = int(lease.entry.url.rpartition("/")[2])
        fetched.append(page)
        found = tuple(entry(link, LinkKind.ANCHOR, lease.entry.depth + 1) for link in links[page])
        settlement = Settlement(
            lease=lease,
            fate=Fate.DONE,
            outcome=Outcome.OK,
            answer=Answer(at=now),
            discovered=found,
            links=tuple(fingerprint(each.key) for each in found),
        )
        await frontier.settle([settlement], now)
        if order == "priority":
            await ranked.note(lease.entry.key, lease.entry.host, settlement.links or ())
    await ranked.aclose()
    await frontier.aclose()
    return fetched
