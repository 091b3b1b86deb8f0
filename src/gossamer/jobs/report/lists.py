"""The lists of a report that are made of pages alone: a statement each over the table of pages."""

from gossamer.jobs.graph import BROKEN
from gossamer.jobs.report.facts import (
    BlockedUrl,
    CopyGroup,
    HostFact,
    ListedUrl,
    Listing,
    PageFact,
    Share,
    TitleGroup,
)
from gossamer.jobs.report.pagetable import KEPT, PageTable

_OWN = "outcome IN ('ok', 'not_modified') AND copy_of = ''"  # kept, and no copy of another
_HTML = f"{_OWN} AND mime IN ('text/html', 'application/xhtml+xml')"
_BROKEN = ", ".join([f"'{outcome.value}'" for outcome in sorted(BROKEN)])
_OURS = "host IN (SELECT host FROM ours)"  # what other sites forbid is not for us to mend
_EXACT = (  # a copy that was visited again and had not changed is told from a near one by its bytes
    "copy_of <> '' AND (outcome = 'duplicate' OR outcome = 'not_modified' AND EXISTS "
    "(SELECT 1 FROM pages AS originals WHERE originals.url = pages.copy_of AND originals.digest = pages.digest))"
)
_LISTED = (
    "SELECT listed.url, sitemap, coalesce(outcome, ''), coalesce(status, 0) "
    "FROM listed LEFT JOIN pages ON pages.name = listed.name"
)

TIMES = (0.1, 0.3, 1.0, 3.0, 10.0)  # seconds, where one part of the answers ends and the next begins
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)  # bytes, likewise


def slow(table: PageTable, limit: int | None, least: float) -> Listing[PageFact]:
    """Return pages that took so many seconds or more, the slowest first."""
    return _pages(table, limit, "seconds", least)


def large(table: PageTable, limit: int | None, least: int) -> Listing[PageFact]:
    """Return pages of so many bytes or more, the largest first."""
    return _pages(table, limit, "bytes", least)


def _pages(table: PageTable, limit: int | None, column: str, least: float) -> Listing[PageFact]:
    sql = f"SELECT url, mime, bytes, seconds, title FROM pages WHERE {KEPT} AND {column} >= ? ORDER BY {column} DESC, url"
    return table.listing(_page_fact, limit, sql, least)


def _page_fact(url: str, mime: str, size: int, seconds: float, title: str) -> PageFact:
    return PageFact(url=url, mime=mime, bytes=size, seconds=round(seconds, 3), title=title)


def duplicates(table: PageTable, limit: int | None) -> Listing[CopyGroup]:
    """Return pages with those that have the same bytes, the most copied first."""
    return _copies(table, limit, _EXACT)


def near_duplicates(table: PageTable, limit: int | None) -> Listing[CopyGroup]:
    """Return pages with those that have nearly the same text, the most copied first."""
    return _copies(table, limit, f"copy_of <> '' AND NOT ({_EXACT})")


def _copies(table: PageTable, limit: int | None, which: str) -> Listing[CopyGroup]:
    copies = f"SELECT url FROM pages WHERE copy_of = ? AND copy_of <> '' AND {which} ORDER BY url"
    sql = f"SELECT copy_of, count(*) FROM pages WHERE {which} GROUP BY copy_of ORDER BY 2 DESC, 1"
    groups = table.listing(lambda url, _: str(url), limit, sql)
    return Listing(groups.total, tuple(CopyGroup(url, table.listing(str, limit, copies, url)) for url in groups.rows))


def untitled(table: PageTable, limit: int | None) -> Listing[str]:
    """Return pages without a title."""
    return table.listing(str, limit, f"SELECT url FROM pages WHERE {_HTML} AND title = '' ORDER BY url")


def doubled_titles(table: PageTable, limit: int | None) -> Listing[TitleGroup]:
    """Return titles that several pages of a host share, the most used first."""
    pages = f"SELECT url FROM pages WHERE host = ? AND title = ? AND {_HTML} ORDER BY url"
    sql = (
        f"SELECT host, title, count(*) FROM pages WHERE {_HTML} AND title <> '' GROUP BY host, title "
        "HAVING count(*) > 1 ORDER BY 3 DESC, 1, 2"
    )
    groups = table.listing(lambda host, title, _: (host, title), limit, sql)
    rows = [TitleGroup(host, title, table.listing(str, limit, pages, host, title)) for host, title in groups.rows]
    return Listing(groups.total, tuple(rows))


def blocked(table: PageTable, limit: int | None) -> Listing[BlockedUrl]:
    """Return URLs that robots.txt forbids, by the line that does."""
    sql = f"SELECT url, reason FROM pages WHERE outcome = 'robots_denied' AND {_OURS} ORDER BY reason, url"
    return table.listing(BlockedUrl, limit, sql)


def orphans(table: PageTable, limit: int | None) -> Listing[ListedUrl]:
    """Return what a sitemap lists and no page links to; the tables `listed` and `unlinked` must be there."""
    sql = f"{_LISTED} WHERE listed.name IN (SELECT name FROM unlinked) ORDER BY listed.url"
    return table.listing(ListedUrl, limit, sql)


def listed_amiss(table: PageTable, limit: int | None) -> Listing[ListedUrl]:
    """Return what a sitemap lists and is no page of its own; the table `listed` must be there."""
    return table.listing(ListedUrl, limit, f"{_LISTED} WHERE outcome IS NOT NULL AND NOT ({_OWN}) ORDER BY outcome, listed.url")


def unlisted(table: PageTable, limit: int | None) -> Listing[str]:
    """Return pages that no sitemap lists, of hosts of which one lists some; the table `listed` must be there."""
    sql = (
        f"SELECT url FROM pages WHERE {_HTML} AND NOT noindex AND name NOT IN (SELECT name FROM listed) "
        "AND host IN (SELECT host FROM listed) ORDER BY depth, url"
    )
    return table.listing(str, limit, sql)


def depths(table: PageTable) -> tuple[Share, ...]:
    """Return how many pages are how many links from a seed."""
    return tuple(Share(str(depth), *counts) for depth, *counts in table.ask(f"{_by('depth')} ORDER BY depth"))


def types(table: PageTable, limit: int | None) -> Listing[Share]:
    """Return MIME types, the most frequent first."""
    return table.listing(Share, limit, f"{_by('mime')} ORDER BY 2 DESC, 1")


def _by(column: str) -> str:
    return f"SELECT {column}, count(*), sum(bytes) FROM pages WHERE {KEPT} GROUP BY {column}"


def times(table: PageTable) -> tuple[Share, ...]:
    """Return how many answers took how long; a part is called by its least."""
    return _parts(table, "seconds", TIMES)


def sizes(table: PageTable) -> tuple[Share, ...]:
    """Return how many pages are how large; a part is called by its least."""
    return _parts(table, "bytes", SIZES)


def _parts(table: PageTable, column: str, ends: tuple[float, ...]) -> tuple[Share, ...]:
    sql = f"SELECT count(*), coalesce(sum(bytes), 0) FROM pages WHERE {KEPT} AND {column} >= ? AND {column} < ?"
    bounds = zip((0.0, *ends), (*ends, float("inf")), strict=True)
    return tuple(Share(f"{start:g}", *next(table.ask(sql, start, end))) for start, end in bounds)


def hosts(table: PageTable, limit: int | None) -> Listing[HostFact]:
    """Return the hosts of the crawl in numbers, the largest first."""
    sql = (
        f"SELECT host, sum({KEPT}), sum(bytes * ({KEPT})), coalesce(avg(CASE WHEN {KEPT} THEN seconds END), 0.0), "
        f"sum(outcome IN ({_BROKEN})) FROM pages WHERE {_OURS} GROUP BY host ORDER BY 2 DESC, 1"
    )
    return table.listing(_host, limit, sql)


def _host(host: str, pages: int, size: int, seconds: float, broken: int) -> HostFact:
    return HostFact(host=host, pages=pages, bytes=size, seconds=round(seconds, 3), broken=broken)


def external(table: PageTable) -> int:
    """Return how many URLs of other sites were asked for."""
    return table.count(f"SELECT 1 FROM pages WHERE NOT ({_OURS})")
