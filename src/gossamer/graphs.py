"""A crawl's link graph without the rest: where it is, the ranks that belong to it, and ranking while the crawl runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from gossamer.config.sections import Settings
from gossamer.errors import StoreError
from gossamer.joints.frontier import Frontier
from gossamer.node.ranker import Ranker
from gossamer.registry import choose, keys, located
from gossamer.url.fingerprint import fingerprint
from gossamer.watch.events import Events

NO_GRAPH = "none:graph"


def graph_at(directory: Path, settings: Settings) -> tuple[Any, Path]:
    """Return what keeps the link graph and where, to read it without opening it."""
    scheme, path = located(settings.storage.graph or NO_GRAPH, directory, "storage.graph")
    return choose("graph", scheme), path


class LatestRanks:
    """The ranks of keys as they were last computed, by the crawl or by `gossamer graph` before it."""

    def __init__(self, directory: Path, settings: Settings) -> None:
        self._graph, self._path = graph_at(directory, settings)
        self._has_graph = bool(settings.storage.graph)
        self._table: Any = None

    def of(self, key: str) -> float:
        """Return the rank of a key: 1 is the average, 0 is not known."""
        if not self._has_graph:
            return 0.0
        if self._table is None:
            self._table = self._graph.ranks_at(self._path)
        return float(self._table.of([fingerprint(key)])[0])

    @property
    def pages(self) -> int:
        """Pages that had been read when a crawl last ranked them; 0: none has."""
        with suppress(StoreError):  # no table at all is as good as this one
            return int(self._graph.ranks_at(self._path).pages) if self._has_graph else 0
        return 0

    def forget(self) -> None:
        """Read the table again when it is asked for: there is a new one."""
        self._table = None


@asynccontextmanager
async def ranking(
    directory: Path, settings: Settings, frontier: Frontier, pages: int, ranks: LatestRanks, events: Events
) -> AsyncIterator[None]:
    """Rank what waits while a crawl runs, where its order goes by scores and they are ours."""
    score = settings.score
    if (
        not (settings.storage.graph and score.rank_after and (score.importance or score.discovery))
        or settings.crawl.order != "priority"
        or keys("scorer")
    ):
        yield
        return
    chosen, path = graph_at(directory, settings)
    ranker = Ranker(chosen.ranking_at(path, score.rank_memory), frontier, score, pages, ranks.pages, events, ranks.forget)
    try:
        yield
    finally:
        await ranker.aclose()
