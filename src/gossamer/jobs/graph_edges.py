"""Every link of a crawl by the URLs of its ends, some at a time. Works beside a running crawl."""

from collections.abc import AsyncIterator

import numpy as np
from numpy.typing import NDArray

from gossamer.edges import KINDS, NOFOLLOW
from gossamer.errors import UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.findings import EdgeTable, edge_tables
from gossamer.jobs.names import naming
from gossamer.records.export import Edge

IN_A_ROW = 100_000  # edges named together


async def named_edges(directory: CrawlDirectory, sources: NDArray[np.uint64] | None = None) -> AsyncIterator[Edge]:
    """Walk over every edge by name, or over those of some pages, by their fingerprints."""
    if not directory.settings().storage.graph:
        raise UsageError(f"{directory.path} keeps no link graph; crawl with storage.graph set to keep one")
    async with naming(directory) as names:
        async for table in edge_tables(directory):
            wanted = table if sources is None else table.only(np.isin(table.sources, sources))
            for start in range(0, len(wanted.targets), IN_A_ROW):
                some = _slice(wanted, start)
                urls = await names(np.unique(np.concatenate([some.sources, some.targets])).tolist())
                for source, target, way in zip(some.sources.tolist(), some.targets.tolist(), some.ways.tolist(), strict=True):
                    yield Edge(urls[source], urls[target], KINDS[way & ~NOFOLLOW].value, way >= NOFOLLOW)


def _slice(table: EdgeTable, start: int) -> EdgeTable:
    end = start + IN_A_ROW
    return EdgeTable(table.sources[start:end], table.targets[start:end], table.ways[start:end])
