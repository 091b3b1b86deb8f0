"""What a site owner has to mend, from catalog and link graph: links that lead to nothing, and redirects with where they end.

`broken_links` walks over every URL that was asked for and is not there, each with all pages that link to it;
`redirect_chains` over every URL that redirects, each with its hops to the end and the pages that link to its beginning. Both
work beside a running crawl and on one that can only be read. `report` and the exports of these names tell what is found here.

The catalog and the graph are read as streams. In memory are 8 bytes for each broken or redirected URL and 17 for each link to
one; pages and names are taken some at a time. Targets are told by their keys, as in the graph: of several spellings of one key
all links count for each. What no page of the graph links to (a sitemap lists it, or no graph is kept) has as its one source
the page it was found on.
"""

from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from gossamer.assemble import make_admission, open_catalog, open_graph
from gossamer.edges import KINDS, NOFOLLOW, NUMBERS, WIDTH
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.driven import driven
from gossamer.jobs.graph import BROKEN
from gossamer.jobs.names import Naming, naming
from gossamer.joints.catalog import Catalog
from gossamer.joints.walks import batches
from gossamer.records.entry import LinkKind
from gossamer.records.findings import BrokenLink, Hop, LinkSource, RedirectChain
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.pagequery import EVERY_PAGE, PageQuery
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import parse
from gossamer.url.spelling import spelled
from gossamer.visit.admit import LinkJudge

PAGES_AT_ONCE = 1_000
EDGES_AT_ONCE = 1_000_000
MOST_HOPS = 50  # of a chain that are followed; a crawl follows fewer (fetch.max_redirects)
REDIRECT = NUMBERS[LinkKind.REDIRECT]

Fingerprints = NDArray[np.uint64]


class EdgeTable(Struct, frozen=True):
    """Edges in columns."""

    sources: Fingerprints
    targets: Fingerprints
    ways: NDArray[np.uint8]

    def only(self, which: NDArray[Any]) -> "EdgeTable":
        """Return some of them, by a mask or by their order."""
        return EdgeTable(self.sources[which], self.targets[which], self.ways[which])

    def to(self, target: int) -> "EdgeTable":
        """Return the edges to a target; they must be in the order of their targets."""
        start, end = np.searchsorted(self.targets, np.uint64(target)), np.searchsorted(self.targets, np.uint64(target), "right")
        return EdgeTable(self.sources[start:end], self.targets[start:end], self.ways[start:end])


def broken_links(directory: CrawlDirectory) -> Iterator[BrokenLink]:
    """Walk over the URLs where nothing is, by outcome, the newest first, each with the pages that link there."""
    return driven(walk_broken_links(directory))


def redirect_chains(directory: CrawlDirectory) -> Iterator[RedirectChain]:
    """Walk over the URLs that redirect, the newest first, each with its whole chain."""
    return driven(walk_redirect_chains(directory))


async def walk_broken_links(directory: CrawlDirectory, query: PageQuery = EVERY_PAGE) -> AsyncIterator[BrokenLink]:
    """Walk over them in a loop that runs; of those URLs that match a query."""
    outcomes = sorted(BROKEN & {Outcome(query.outcome)} if query.outcome else BROKEN)
    settings = directory.settings()
    admission = make_admission(settings, ())
    async with open_catalog(directory.path, settings) as catalog:
        targets = await _names_of(catalog, admission, outcomes)
        if not len(targets):
            return
        links = await _links_to(directory, targets)
        async with naming(directory) as names:
            for outcome in outcomes:
                async for pages in batches(catalog.pages(replace(query, outcome=outcome)), PAGES_AT_ONCE):
                    for page, sources in await _with_sources(pages, links, admission, names):
                        yield BrokenLink(page, sources)


async def walk_redirect_chains(directory: CrawlDirectory, query: PageQuery = EVERY_PAGE) -> AsyncIterator[RedirectChain]:
    """Walk over them in a loop that runs; of those URLs that match a query."""
    redirected = replace(query, outcome=Outcome.REDIRECTED)
    settings = directory.settings()
    admission = make_admission(settings, ())
    async with open_catalog(directory.path, settings) as catalog:
        targets = await _names_of(catalog, admission, [Outcome.REDIRECTED])
        if not len(targets):
            return
        leads: dict[int, int] = {}
        links = await _links_to(directory, targets, leads)
        async with naming(directory) as names:
            async for pages in batches(catalog.pages(redirected), PAGES_AT_ONCE):
                paths = [_path(fingerprint(page.key), leads) for page in pages]
                urls = await names({each for path in paths for each in path})
                for (page, sources), path in zip(await _with_sources(pages, links, admission, names), paths, strict=True):
                    beginning = Hop(page.url, page.outcome, page.status)
                    rest = [await _hop(catalog, admission, each, urls[each]) for each in path[1:]]
                    yield RedirectChain((beginning, *rest), len(set(path)) < len(path), sources)


async def _names_of(catalog: Catalog, admission: LinkJudge, outcomes: Iterable[str]) -> Fingerprints:
    """Return the fingerprints that links to pages with these outcomes may have, in order."""
    walks = [catalog.pages(PageQuery(outcome=outcome)) for outcome in outcomes]
    found = [name for walk in walks async for page in walk for name in _known_as(page, admission)]
    return np.unique(np.array(found, np.uint64))


def _known_as(page: Page, admission: LinkJudge) -> set[int]:
    """Return the fingerprints that links to a page have: of its key, and of its usual one if it goes by another."""
    return {fingerprint(page.key), fingerprint(admission.key(parse(page.url)))}


async def _links_to(directory: CrawlDirectory, targets: Fingerprints, leads: dict[int, int] | None = None) -> EdgeTable:
    """Return the edges to these targets, in the order of the targets; note where every page that redirects leads to."""
    found = []
    async for edges in edge_tables(directory):
        found.append(edges.only(is_among(edges.targets, targets)))
        if leads is not None:
            some = edges.only(edges.ways & ~np.uint8(NOFOLLOW) == REDIRECT)
            leads.update(zip(some.sources.tolist(), some.targets.tolist(), strict=True))
    table = _joined(found)
    return table.only(np.lexsort((table.sources, table.targets)))


def is_among(names: Fingerprints, wanted: Fingerprints) -> NDArray[np.bool_]:
    """Tell which of many fingerprints are among some, which are in order; to look them up is quicker than to sort them all."""
    at = np.searchsorted(wanted, names)
    at[at == len(wanted)] = 0
    found: NDArray[np.bool_] = wanted[at] == names
    return found


async def edge_tables(directory: CrawlDirectory) -> AsyncIterator[EdgeTable]:
    """Walk over all edges of a crawl, many at a time; one that keeps no graph has none."""
    pages: list[tuple[int, bytes]] = []
    count = 0
    async with open_graph(directory.path, directory.settings()) as graph:
        async for page, edges in graph.pages():
            pages.append((page, edges))
            count += len(edges) // WIDTH
            if count >= EDGES_AT_ONCE:
                yield _table(pages)
                pages, count = [], 0
    yield _table(pages)


def _table(pages: list[tuple[int, bytes]]) -> EdgeTable:
    counts = [len(edges) // WIDTH for _, edges in pages]
    targets = b"".join([edges[: 8 * count] for (_, edges), count in zip(pages, counts, strict=True)])
    ways = b"".join([edges[8 * count :] for (_, edges), count in zip(pages, counts, strict=True)])
    sources = np.repeat(np.array([page for page, _ in pages], np.uint64), counts)
    return EdgeTable(sources, np.frombuffer(targets, "<u8"), np.frombuffer(ways, "u1"))


def _joined(tables: list[EdgeTable]) -> EdgeTable:
    return EdgeTable(
        np.concatenate([table.sources for table in tables]),
        np.concatenate([table.targets for table in tables]),
        np.concatenate([table.ways for table in tables]),
    )


async def _with_sources(
    pages: list[Page], links: EdgeTable, admission: LinkJudge, names: Naming
) -> list[tuple[Page, tuple[LinkSource, ...]]]:
    """Return pages with those that link to them, in the order of their URLs."""
    found = [[links.to(name) for name in sorted(_known_as(page, admission))] for page in pages]
    tables = list(chain.from_iterable(found))
    urls = await names(np.unique(_joined(tables).sources).tolist()) if tables else {}
    return [(page, _sources(of_page, urls) or _found_on(page)) for page, of_page in zip(pages, found, strict=True)]


def _sources(tables: list[EdgeTable], urls: dict[int, str]) -> tuple[LinkSource, ...]:
    edges = {
        LinkSource(urls[source], KINDS[way & ~NOFOLLOW].value, way >= NOFOLLOW)
        for table in tables
        for source, way in zip(table.sources.tolist(), table.ways.tolist(), strict=True)
    }
    return tuple(sorted(edges))


def _found_on(page: Page) -> tuple[LinkSource, ...]:
    return (LinkSource(page.via, "", False),) if page.via else ()


def _path(start: int, leads: dict[int, int]) -> list[int]:
    """Return where redirects lead, the beginning first; a circle ends with what it comes back to."""
    path = [start]
    while (target := leads.get(path[-1])) is not None and len(path) <= MOST_HOPS:
        path.append(target)
        if target in path[:-1]:
            break
    return path


async def _hop(catalog: Catalog, admission: LinkJudge, name: int, url: str) -> Hop:
    """Return how a URL ended that a redirect leads to."""
    for key in () if url.startswith("#") else (admission.key(parse(url)), spelled(url)):
        if fingerprint(key) == name and (page := await catalog.get(key)) is not None:
            return Hop(page.url, page.outcome, page.status)
    return Hop(url, "", 0)
