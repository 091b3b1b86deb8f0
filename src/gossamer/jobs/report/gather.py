"""Gathers a report: pages from the catalog, links and redirects from the findings, sitemaps from the archive.

Beside a running crawl each part is what is known when its turn comes.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from heapq import nsmallest
from typing import Any

import numpy as np
from msgspec import Struct

from gossamer.assemble import make_admission, open_catalog
from gossamer.errors import UrlError
from gossamer.jobs.control import ask
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.driven import driven
from gossamer.jobs.findings import PAGES_AT_ONCE, broken_links, redirect_chains
from gossamer.jobs.report import lists
from gossamer.jobs.report.facts import DeadLink, Listing, RedirectFact, SitemapFacts, SiteReport, SourceFact
from gossamer.jobs.report.pagetable import KEPT, PageTable, signed
from gossamer.jobs.report.sitemaps import listed_urls, unlinked
from gossamer.joints.walks import batches
from gossamer.records.findings import BrokenLink, LinkSource, RedirectChain
from gossamer.records.page import Page, Place
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import parse


class Wishes(Struct, frozen=True, kw_only=True):
    """How a report is wanted."""

    rows: int | None = 100  # of every list; None: all
    slow: float = 1.0  # seconds from which on an answer is slow
    large: int = 1_000_000  # bytes from which on a page is large


def make_report(
    directory: CrawlDirectory, wishes: Wishes, now: float, tick: Callable[[int], None] = lambda count: None
) -> SiteReport:
    """Gather all there is to report of a crawl."""
    status: dict[str, Any] = ask(directory, "status")
    settings, seeds = directory.settings(), [seed.wire for seed in directory.seeds()]
    documents: dict[str, Place] = {}
    with PageTable.opened() as table:
        table.fill(driven(_pages(directory, documents)), tick)
        first, last = next(
            table.ask("SELECT coalesce(min(fetched_at), 0), coalesce(max(fetched_at), 0) FROM pages WHERE status")
        )
        pages, size = next(table.ask(f"SELECT count(*), coalesce(sum(bytes), 0) FROM pages WHERE {KEPT}"))
        rows = wishes.rows
        broken, links = _broken(directory, table, rows, tick)
        redirects, longest, circles = _redirects(directory, rows, tick)
        return SiteReport(
            directory=str(directory.path),
            made_at=now,
            state=status["state"],
            waiting=status["frontier"]["waiting"] + status["frontier"]["leased"],
            has_graph=bool(settings.storage.graph),
            checks_external=settings.scope.check_external,
            seeds=_cut(seeds, rows),
            first=first,
            last=last,
            pages=pages,
            bytes=size,
            outcomes=dict(table.ask("SELECT outcome, count(*) FROM pages GROUP BY outcome ORDER BY 2 DESC, 1")),
            external=lists.external(table),
            broken=broken,
            broken_links=links,
            redirects=redirects,
            longest_redirect=longest,
            redirect_circles=circles,
            slow_from=wishes.slow,
            slow=lists.slow(table, rows, wishes.slow),
            large_from=wishes.large,
            large=lists.large(table, rows, wishes.large),
            duplicates=lists.duplicates(table, rows),
            near_duplicates=lists.near_duplicates(table, rows),
            untitled=lists.untitled(table, rows),
            doubled_titles=lists.doubled_titles(table, rows),
            robots=lists.blocked(table, rows),
            sitemaps=_sitemaps(directory, table, documents, rows),
            depths=lists.depths(table),
            types=lists.types(table, rows),
            times=lists.times(table),
            sizes=lists.sizes(table),
            hosts=lists.hosts(table, rows),
        )


async def _pages(directory: CrawlDirectory, documents: dict[str, Place]) -> AsyncIterator[list[Page]]:
    """Walk over all pages, some at a time, and note where those are that may be sitemaps."""
    async with open_catalog(directory.path, directory.settings()) as catalog:
        async for some in batches(catalog.pages(), PAGES_AT_ONCE):
            for page in some:
                if page.links and page.place is not None and _may_list(page.mime) and not page.duplicate_of:
                    documents[page.url] = page.place
            yield some


def _may_list(mime: str) -> bool:
    return "gzip" in mime or ("xml" in mime and "html" not in mime)


def _cut(rows: list[Any], limit: int | None) -> Listing[Any]:
    return Listing(len(rows), tuple(rows[:limit]))


def _sources(found: tuple[LinkSource, ...], limit: int | None) -> Listing[SourceFact]:
    return Listing(len(found), tuple(SourceFact(source.url, source.kind, source.nofollow) for source in found[:limit]))


def _broken(
    directory: CrawlDirectory, table: PageTable, limit: int | None, tick: Callable[[int], None]
) -> tuple[Listing[DeadLink], int]:
    """Return the URLs where nothing is, the most linked first, and how many links lead to all of them."""
    total, links = 0, 0

    def counted() -> Iterator[BrokenLink]:
        nonlocal total, links
        for one in broken_links(directory):
            total, links = total + 1, links + len(one.sources)
            tick(1)
            yield one

    worst = _first(counted(), limit, lambda one: (-len(one.sources), one.target.url))
    return Listing(total, tuple(_dead(table, one, limit) for one in worst)), links


def _dead(table: PageTable, one: BrokenLink, limit: int | None) -> DeadLink:
    page = one.target
    return DeadLink(
        url=page.url,
        outcome=page.outcome,
        status=page.status,
        reason=page.reason.text if page.reason is not None else "",
        is_external=not table.count("SELECT 1 FROM ours WHERE host = ?", page.host),
        sources=_sources(one.sources, limit),
    )


def _redirects(
    directory: CrawlDirectory, limit: int | None, tick: Callable[[int], None]
) -> tuple[Listing[RedirectFact], int, int]:
    """Return where redirects lead, circles and the longest way first, how long that is, and how many are circles.

    The way from within another one is part of that.
    """
    total, most, circles = 0, 0, 0

    def counted() -> Iterator[RedirectChain]:
        nonlocal total, most, circles
        for one in redirect_chains(directory):
            tick(1)
            if not one.is_part:
                total, most, circles = total + 1, max(most, one.redirects), circles + one.is_circle
                yield one

    first = _first(counted(), limit, lambda one: (not one.is_circle, -one.redirects, -len(one.sources), one.hops[0].url))
    rows = [
        RedirectFact(hops=one.hops, redirects=one.redirects, is_circle=one.is_circle, sources=_sources(one.sources, limit))
        for one in first
    ]
    return Listing(total, tuple(rows)), most, circles


def _first(items: Iterator[Any], limit: int | None, key: Callable[[Any], Any]) -> list[Any]:
    """Return those with the lowest keys, the lowest first; all of them without a limit."""
    return sorted(items, key=key) if limit is None else nsmallest(limit, items, key)


def _sitemaps(directory: CrawlDirectory, table: PageTable, documents: dict[str, Place], limit: int | None) -> SitemapFacts:
    """Hold what sitemaps list against pages and links."""
    files: set[str] = set()
    key_of = make_admission(directory.settings(), ()).key

    def rows() -> Iterator[tuple[int, str, str, str]]:
        for text, sitemap in listed_urls(directory, list(documents.values())):
            files.add(sitemap)
            try:
                url = parse(text)
            except UrlError:
                continue
            if url.wire not in documents:  # a sitemap that another one names
                yield signed(fingerprint(key_of(url))), url.wire, url.host, sitemap

    table.add("listed", "name INTEGER PRIMARY KEY, url TEXT, host TEXT, sitemap TEXT", rows())
    names = np.array([name for (name,) in table.ask("SELECT name FROM listed")], np.int64).view(np.uint64)
    alone = unlinked(directory, np.sort(names)) if directory.settings().storage.graph else ()
    table.add("unlinked", "name INTEGER PRIMARY KEY", ((signed(int(name)),) for name in alone))
    return SitemapFacts(
        files=len(files),
        listed=len(names),
        orphans=lists.orphans(table, limit),
        no_pages=lists.listed_amiss(table, limit),
        unlisted=lists.unlisted(table, limit),
    )
