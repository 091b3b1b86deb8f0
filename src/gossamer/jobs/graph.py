"""The link graph of a crawl: numbers, ranks, edges by name, who links to a URL. Works beside a running crawl.

The graph is read from its files; names of fingerprints are asked of the frontier. What no known URL is called by (a link of a
page that is being settled just now, or one whose key was learned to be another) is shown as its fingerprint.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from gossamer.assemble import make_admission, open_catalog, open_stores
from gossamer.clock import SystemClock
from gossamer.edges import KINDS, NOFOLLOW
from gossamer.errors import CrawlInUse, CrawlReadOnly, UsageError
from gossamer.graphs import graph_at
from gossamer.jobs.control import ask
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.look import held_to_look
from gossamer.policy.pagerank import pagerank, passing
from gossamer.records.outcome import Outcome
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import parse

AT_ONCE = 2_000  # names asked of a running crawl in one question: a line of 64 KB, and ten milliseconds of its time
IN_A_ROW = 100_000  # edges named together

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


class Edge(Struct, frozen=True):
    """A link from one page to another."""

    source: str
    target: str
    kind: str
    nofollow: bool


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


def survey_graph(directory: CrawlDirectory, top: int) -> Survey:
    """Rank all pages, keep the ranks beside the graph if it can be written, and return the graph in numbers."""
    chosen, path = _graph_of(directory)
    graph = chosen.read_at(path)
    nodes, ranks, inlinks = _ranked(graph)
    with suppress(CrawlReadOnly):
        chosen.keep_ranks_at(path, nodes, ranks)
    best = np.argsort(-ranks, kind="stable")[:top]
    names = _names(directory, nodes[best])
    is_broken = np.isin(graph.targets, _broken(directory))
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


def named_edges(directory: CrawlDirectory) -> Iterator[Edge]:
    """Walk over every edge by name."""
    chosen, path = _graph_of(directory)
    graph = chosen.read_at(path)
    sources = graph.sources
    for start in range(0, len(sources), IN_A_ROW):
        some = slice(start, start + IN_A_ROW)
        yield from _edges(directory, sources[some], graph.targets[some], graph.ways[some])


def inlinks(directory: CrawlDirectory, url: str, limit: int | None = None) -> list[Edge]:
    """Return the edges that lead to a URL, however it is spelled."""
    chosen, path = _graph_of(directory)
    graph = chosen.read_at(path)
    target = fingerprint(make_admission(directory.settings(), ()).key(parse(url)))
    at = np.flatnonzero(graph.targets == np.uint64(target))[:limit]
    sources = graph.pages[np.searchsorted(np.cumsum(graph.counts), at, "right")]
    return _edges(directory, sources, graph.targets[at], graph.ways[at])


def compact_graph(directory: CrawlDirectory) -> None:
    """Drop edges that were replaced; no crawl may run."""
    chosen, path = _graph_of(directory)
    with directory.lock():
        chosen.compact_at(path)


def _graph_of(directory: CrawlDirectory) -> tuple[Any, Path]:
    settings = directory.settings()
    if not settings.storage.graph:
        raise UsageError(f"{directory.path} keeps no link graph; crawl with storage.graph set to keep one")
    return graph_at(directory.path, settings)


def _ranked(graph: Any) -> tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.int64]]:
    """Return what is ranked, its ranks with 1 as the average, and its inlinks; images and nofollow links pass nothing on."""
    says = passing(graph.ways)
    nodes, numbers = np.unique(np.concatenate([graph.pages, graph.targets[says]]), return_inverse=True)
    sources = np.repeat(numbers[: len(graph.pages)], graph.counts)[says]
    targets = numbers[len(graph.pages) :]
    ranks = pagerank(sources, targets, len(nodes)) * len(nodes)
    return nodes, ranks, np.bincount(targets, minlength=len(nodes))


def _broken(directory: CrawlDirectory) -> NDArray[np.uint64]:
    catalog = open_catalog(directory.path, directory.settings())
    keys = [page.key for outcome in sorted(BROKEN) for page in catalog.pages(outcome=outcome)]
    return np.array([fingerprint(key) for key in keys], np.uint64)


def _edges(directory: CrawlDirectory, sources: Any, targets: Any, ways: Any) -> list[Edge]:
    names = _names(directory, np.unique(np.concatenate([sources, targets])))
    columns = zip(sources.tolist(), targets.tolist(), ways.tolist(), strict=True)
    return [
        Edge(names[source], names[target], KINDS[way & ~NOFOLLOW].value, way >= NOFOLLOW) for source, target, way in columns
    ]


def _names(directory: CrawlDirectory, fingerprints: NDArray[np.uint64]) -> dict[int, str]:
    """Return the URLs behind fingerprints: from the crawl that runs, or from its frontier."""
    wanted: list[int] = fingerprints.tolist()
    try:
        with held_to_look(directory) as copies:
            found = asyncio.run(_names_of_stopped(directory, copies, wanted)) if wanted else []
    except CrawlInUse:
        some = (wanted[start : start + AT_ONCE] for start in range(0, len(wanted), AT_ONCE))
        found = [name for each in some for name in ask(directory, "names", fingerprints=each)]
    return {each: name or f"#{each:016x}" for each, name in zip(wanted, found, strict=True)}


async def _names_of_stopped(directory: CrawlDirectory, copies: Path | None, wanted: list[int]) -> list[str]:
    async with open_stores(directory.path, directory.settings(), directory.seeds(), SystemClock(), copies) as stores:
        return await stores.frontier.names(wanted)
