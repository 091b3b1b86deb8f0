"""Broken links as CSV: a row for each URL where nothing is and each page that links there, with the words of the link."""

from collections.abc import AsyncIterator, Iterator

from gossamer.joints.export import ExportTarget, Holdings
from gossamer.joints.walks import batches
from gossamer.records.export import ExportOptions
from gossamer.records.findings import BrokenLink, LinkSource
from gossamer.storage.export.csv import Sheet

AT_ONCE = 100
HEADING = ("target", "outcome", "status", "reason", "source", "kind", "nofollow", "words")
NOBODY = LinkSource("", "", False)


class BrokenExport:
    """Writes broken links."""

    is_folder = False
    tables = ("pages",)
    extras: frozenset[str] = frozenset()

    def __init__(self, options: ExportOptions) -> None: ...

    async def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Write a row for every page that has such a link; what is linked by no page that is known has one, too."""
        sheet = Sheet(target.stream, HEADING)
        async for links in batches(holdings.broken_links(), AT_ONCE):
            rows = [row for link in links for row in _rows(link)]
            sheet.write(rows)
            yield len(rows)


def _rows(link: BrokenLink) -> Iterator[tuple[object, ...]]:
    page = link.target
    about = (page.url, page.outcome.value, page.status or None, str(page.reason or ""))
    for source in link.sources or (NOBODY,):
        yield (*about, source.url, source.kind, source.nofollow, source.words)
