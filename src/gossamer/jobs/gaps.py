"""What a replay of some pages would miss: what their markup shows or runs and the archive does not have, each with why; and
pages that are not whole themselves. Beside a running crawl too."""

from collections.abc import AsyncIterator, Iterator

from msgspec import Struct

from gossamer.assemble import make_requisite_reader
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.driven import driven
from gossamer.jobs.holdings import CrawlHoldings, open_holdings
from gossamer.jobs.search import refuse_unknown
from gossamer.records.page import Page
from gossamer.records.pagequery import EVERY_PAGE, PageQuery

REMEMBERED = 20_000  # URLs: most pages of a site load the same
NEVER = "it was never asked for"
NO_ORIGINAL = "the record that it refers to is not kept"


class ReplayGap(Struct, frozen=True):
    """Something that a replay would miss."""

    page: str
    missing: str
    element: str  # that names it; an empty text: it is the page itself
    outcome: str
    reason: str


def replay_gaps(directory: CrawlDirectory, query: PageQuery = EVERY_PAGE, limit: int | None = None) -> Iterator[ReplayGap]:
    """Walk over what a replay of the pages that match would miss."""
    refuse_unknown(query)
    return driven(_gaps(directory, query, limit))


async def _gaps(directory: CrawlDirectory, query: PageQuery, limit: int | None) -> AsyncIterator[ReplayGap]:
    read, known = make_requisite_reader(), dict[str, Page | None]()
    async with open_holdings(directory, query, limit) as holdings:
        async for page in holdings.pages():
            if page.place is None:
                continue
            document = await holdings.document(page)
            if page.truncated or document is None:
                why = NO_ORIGINAL if document is None else f"its body is cut: {page.truncated}"
                yield ReplayGap(page.url, page.url, "", page.outcome.value, why)
            for url, element in read(document).items() if document is not None else ():
                row = await _row(holdings, known, url)
                if row is None or row.place is None:
                    outcome, why = ("", NEVER) if row is None else (row.outcome.value, str(row.reason or NEVER))
                    yield ReplayGap(page.url, url, element, outcome, why)


async def _row(holdings: CrawlHoldings, known: dict[str, Page | None], url: str) -> Page | None:
    """Return the catalog's row of a URL."""
    if url not in known:
        if len(known) >= REMEMBERED:
            known.clear()
        known[url] = await holdings.row_of(url)
    return known[url]
