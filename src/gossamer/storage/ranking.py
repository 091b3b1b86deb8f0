"""PageRank while a crawl runs: the graph in memory as far as it was read, ranked again whenever it has grown.

`Ranking` is the compiled one (`_ranking.c` says why) or, without a compiler, the pure one over numpy: the same, twenty times as
slowly. Pages are ranked and all they link to; most of that still waits to be fetched. A rank of 1 is the average.

`GrowingRanks` feeds it from the files of the graph, each block once, and keeps the table of ranks up to date beside them. That
happens on a thread: reading, unpacking and ranking leave the interpreter's lock alone.
"""

import asyncio
from pathlib import Path
from typing import Any

import zstandard

from gossamer.compiled import optional
from gossamer.errors import GossamerError, StoreError
from gossamer.storage.archive.segment import failure
from gossamer.storage.edgeblocks import HEAD, blocks, longest
from gossamer.storage.ranks import replace_table

DAMPING = 0.85  # as in `policy/pagerank.py`, which cannot be had without numpy
STEPS = 20
TOLERANCE = 0.01  # by which a rank moves on average in the last step: an order of importance needs no more
GROWTH = 1.5  # of a rank that is worth telling again


class PureRanking:
    """The same with numpy: everything is kept as it came and ranked from the beginning."""

    def __init__(self, most_bytes: int, /) -> None:
        self._most_bytes = most_bytes
        self._size = 0
        self._blocks: list[Any] = []
        self._nodes: Any = ()
        self._told: dict[int, float] = {}
        self.pages = 0

    def __len__(self) -> int:
        return len(self._nodes)

    def add(self, columns: bytes, pages: int, edges: int, /) -> bool:
        """Take the columns of a block; False: it does not fit into the memory that may be taken."""
        from gossamer.storage.edgetable import columns_of

        if len(columns) not in (longest(pages, edges), longest(pages, edges) - 4 * pages):
            raise ValueError(f"this is no block of {pages} pages and {edges} edges")
        self._size += 10 * len(columns)  # with all that ranking them takes
        if self._size > self._most_bytes:
            return False
        found = columns_of(columns, pages, edges)
        if int(found[1].sum()) != edges:
            raise ValueError(f"this is no block of {pages} pages and {edges} edges")
        self._blocks.append(found)
        return True

    def rank(self, damping: float, tolerance: float, steps: int, /) -> None:
        """Rank all nodes anew."""
        import numpy as np

        from gossamer.policy.pagerank import pagerank, passing
        from gossamer.storage.edgetable import latest

        graph = latest(self._blocks)
        says = passing(graph.ways)
        nodes, numbers = np.unique(np.concatenate([graph.pages, graph.targets[says]]), return_inverse=True)
        sources = np.repeat(np.arange(len(graph.pages)), graph.counts)[says]
        targets = numbers[len(graph.pages) :]
        self._nodes, self._read, self.pages = nodes, graph.pages, len(graph.pages)
        self._ranks = pagerank(numbers[sources], targets, len(nodes), damping) * len(nodes)
        knows = graph.hosts[sources] > 0
        pairs = np.unique(targets[knows].astype(np.int64) << 6 | (graph.hosts[sources][knows] & 63).astype(np.int64))
        self._hosts = np.bincount(pairs >> 6, minlength=len(nodes))

    def best(self, limit: int, least: float, growth: float, /) -> list[tuple[int, float, int]]:
        """Return what is no page yet, the highest rank first: fingerprint, rank, how many hosts link it (64: so many or more).

        Ranks are in averages of what is no page yet. Only those from `least` on that have grown by a factor since last time.
        """
        import numpy as np

        if not len(self):
            return []
        is_open = ~np.isin(self._nodes, self._read)
        names, ranks, hosts = (column[is_open] for column in (self._nodes, self._ranks, self._hosts))
        ranks = ranks / ranks.mean() if len(ranks) else ranks
        order = np.lexsort((names, -ranks))
        found = zip(names[order].tolist(), ranks[order].tolist(), hosts[order].tolist(), strict=True)
        rising = [each for each in found if each[1] >= max(least, self._told.get(each[0], 0.0) * growth)][:limit]
        self._told |= {name: rank for name, rank, _ in rising}
        return rising

    def table(self) -> bytes:
        """Return all ranks as `ranks.py` keeps them."""
        return bytes(self._nodes.astype("<u8").tobytes() + self._ranks.astype("<f4").tobytes()) if len(self) else b""


_quick = optional("gossamer.storage._ranking")
Ranking: type[PureRanking] = _quick.Ranking if _quick else PureRanking


class GrowingRanks:
    """The ranks of a graph that a crawl writes meanwhile. Not to be renewed twice at once."""

    def __init__(self, directory: Path, most_bytes: int) -> None:
        self._directory = directory
        self._ranking = Ranking(most_bytes)
        self._unpack = zstandard.ZstdDecompressor().decompress
        self._file, self._offset = "", 0  # read so far
        self.is_full = False

    async def renew(self, limit: int, least: float) -> list[tuple[int, float, int]]:
        """Read what the graph has grown by, rank, keep the table; return the best that were not read: name, rank, hosts."""
        return await asyncio.to_thread(self._renew, limit, least)

    def _renew(self, limit: int, least: float) -> list[tuple[int, float, int]]:
        try:
            self._read()
        except OSError as error:
            raise failure(error, self._directory) from error
        except ImportError as error:
            raise GossamerError(
                f"{error}, which ranks links where storage._ranking is not compiled: pip install numpy"
            ) from error
        except (zstandard.ZstdError, ValueError) as error:
            raise StoreError(f"the graph in {self._directory} is damaged: {error}; restore it from a copy") from error
        self._ranking.rank(DAMPING, TOLERANCE, STEPS)
        replace_table(self._directory, len(self._ranking), self._ranking.table(), self._ranking.pages)
        return self._ranking.best(limit, least, GROWTH)

    def _read(self) -> None:
        for path in sorted(self._directory.glob("*.edges")):
            if path.name < self._file or self.is_full:
                continue
            start = self._offset if path.name == self._file else 0
            self._file, self._offset = path.name, start
            for offset, payload, pages, edges in blocks(path, start):
                content = self._unpack(payload, max_output_size=longest(pages, edges))
                if not self._ranking.add(content, pages, edges):
                    self.is_full = True
                    return
                self._offset = offset + HEAD + len(payload)
