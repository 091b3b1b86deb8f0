"""The link graph of a crawl: numbers, ranks, who links to a URL. Works beside a running crawl.

The graph is read from its files; names of fingerprints are asked of the frontier. What no known URL is called by (a link of a
page that is being settled just now, or one whose key was learned to be another) is shown as its fingerprint.
"""

import asyncio
from array import array
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any, cast

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gossamer.assemble import make_admission, open_catalog, open_graph
from gossamer.edges import KINDS, NOFOLLOW, WIDTH
from gossamer.errors import CrawlReadOnly, UsageError
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.names import naming
from gossamer.joints.graph import LinkGraph
from gossamer.policy.pagerank import pagerank, passing
from gossamer.records.export import Edge
from gossamer.records.outcome import Outcome
from gossamer.records.pagequery import PageQuery
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import parse

BROKEN = frozenset(
    {
        Outcome.GONE,
        Outcome.CLIENT_ERROR,
        Outcome.SERVER_ERROR,
        Outcome.SOFT_404,
        Outcome.DNS_FAILED,
        Outcome.CONNECT_FAILED,
        Outcome.TLS_FAILED,
        Outcome.TIMED_OUT,
        Outcome.PROTOCOL_ERROR,
    }
)


class Ranked(Struct, frozen=True):
    """A page and its rank; 1 is the average."""

    url: str
    rank: float
    inlinks: int


class Survey(Struct, frozen=True, kw_only=True):
    """A graph in numbers."""

    pages: int  # that were read
    edges: int
    targets: int  # that were linked
    dangling: int  # pages without a link
    broken_targets: int  # linked, and nothing is there
    broken_edges: int  # that lead to these
    ranked: int  # pages, and what they link to
    top: tuple[Ranked, ...]


class GraphTable(Struct, frozen=True):
    """A whole graph in columns."""

    pages: NDArray[np.uint64]  # fingerprints
    counts: NDArray[np.uint32]  # edges of each
    targets: NDArray[np.uint64]
    ways: NDArray[np.uint8]


def survey_graph(directory: CrawlDirectory, top: int) -> Survey:
    """Rank all pages, keep the ranks beside the graph if it can be written, and return the graph in numbers."""
    graph = asyncio.run(_read(directory))
    nodes, ranks, inlinks = _ranked(graph)
    asyncio.run(_keep(directory, nodes, ranks))
    best = np.argsort(-ranks, kind="stable")[:top]
    names = _names(directory, nodes[best])
    is_broken = np.isin(graph.targets, asyncio.run(_broken(directory)))
    return Survey(
        pages=len(graph.pages),
        edges=len(graph.targets),
        targets=len(np.unique(graph.targets)),
        dangling=int((graph.counts == 0).sum()),
        broken_targets=len(np.unique(graph.targets[is_broken])),
        broken_edges=int(is_broken.sum()),
        ranked=len(nodes),
        top=tuple(Ranked(names[int(nodes[at])], round(float(ranks[at]), 6), int(inlinks[at])) for at in best),
    )


def inlinks(directory: CrawlDirectory, url: str, limit: int | None = None) -> list[Edge]:
    """Return the edges that lead to a URL, however it is spelled."""
    graph = asyncio.run(_read(directory))
    target = fingerprint(make_admission(directory.settings(), ()).key(parse(url)))
    at = np.flatnonzero(graph.targets == np.uint64(target))[:limit]
    sources = graph.pages[np.searchsorted(np.cumsum(graph.counts), at, "right")]
    return _edges(directory, sources, graph.targets[at], graph.ways[at])


def compact_graph(directory: CrawlDirectory) -> None:
    """Drop edges that were replaced; no crawl may run."""
    with directory.lock():
        asyncio.run(_compact(directory))


async def _compact(directory: CrawlDirectory) -> None:
    async with _graph_of(directory) as graph:
        await graph.compact()


async def _read(directory: CrawlDirectory) -> GraphTable:
    """Read a whole graph, as far as it was written before."""
    pages, counts, targets, ways = array("Q"), array("I"), [], []
    async with _graph_of(directory) as graph:
        async for page, edges in graph.pages():
            count = len(edges) // WIDTH
            pages.append(page)
            counts.append(count)
            targets.append(edges[: 8 * count])
            ways.append(edges[8 * count :])
    columns = np.frombuffer(b"".join(targets), "<u8"), np.frombuffer(b"".join(ways), "u1")
    return GraphTable(np.array(pages, np.uint64), np.array(counts, np.uint32), *columns)


async def _keep(directory: CrawlDirectory, nodes: NDArray[np.uint64], ranks: NDArray[np.float64]) -> None:
    async with _graph_of(directory) as graph:
        with suppress(CrawlReadOnly):
            await graph.keep_ranks(cast(Sequence[int], nodes), cast(Sequence[float], ranks))


def _graph_of(directory: CrawlDirectory) -> AbstractAsyncContextManager[LinkGraph]:
    settings = directory.settings()
    if not settings.storage.graph:
        raise UsageError(f"{directory.path} keeps no link graph; crawl with storage.graph set to keep one")
    return open_graph(directory.path, settings)


def _ranked(graph: GraphTable) -> tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.int64]]:
    """Return what is ranked, its ranks with 1 as the average, and its inlinks; images and nofollow links pass nothing on."""
    says = passing(graph.ways)
    nodes, numbers = np.unique(np.concatenate([graph.pages, graph.targets[says]]), return_inverse=True)
    sources = np.repeat(numbers[: len(graph.pages)], graph.counts)[says]
    targets = numbers[len(graph.pages) :]
    ranks = pagerank(sources, targets, len(nodes)) * len(nodes)
    return nodes, ranks, np.bincount(targets, minlength=len(nodes))


async def _broken(directory: CrawlDirectory) -> NDArray[np.uint64]:
    async with open_catalog(directory.path, directory.settings()) as catalog:
        walks = [catalog.pages(PageQuery(outcome=outcome)) for outcome in sorted(BROKEN)]
        return np.array([fingerprint(page.key) for walk in walks async for page in walk], np.uint64)


def _edges(directory: CrawlDirectory, sources: Any, targets: Any, ways: Any) -> list[Edge]:
    names = _names(directory, np.unique(np.concatenate([sources, targets])))
    columns = zip(sources.tolist(), targets.tolist(), ways.tolist(), strict=True)
    return [
        Edge(names[source], names[target], KINDS[way & ~NOFOLLOW].value, way >= NOFOLLOW) for source, target, way in columns
    ]


def _names(directory: CrawlDirectory, fingerprints: NDArray[np.uint64]) -> dict[int, str]:
    return asyncio.run(_named(directory, fingerprints.tolist()))


async def _named(directory: CrawlDirectory, fingerprints: list[int]) -> dict[int, str]:
    async with naming(directory) as names:
        return await names(fingerprints)
