"""Redirects as CSV: a row for each chain, from the URL that pages link to, to where it ends.

A chain that only another redirect leads to is part of that one's, and has no row of its own; one that goes in a circle has.
"""

from collections.abc import AsyncIterator

from gossamer.joints.export import ExportTarget, Holdings
from gossamer.joints.walks import batches
from gossamer.records.export import ExportOptions
from gossamer.records.findings import RedirectChain
from gossamer.storage.export.csv import Sheet

AT_ONCE = 1_000
HEADING = ("url", "status", "redirects", "end", "end_outcome", "end_status", "circle", "linked_by", "chain")


class RedirectsExport:
    """Writes chains of redirects."""

    is_folder = False
    tables = ("pages",)
    extras: frozenset[str] = frozenset()

    def __init__(self, options: ExportOptions) -> None: ...

    async def write(self, holdings: Holdings, target: ExportTarget) -> AsyncIterator[int]:
        """Write a row for every chain."""
        sheet = Sheet(target.stream, HEADING)
        async for chains in batches(holdings.redirect_chains(), AT_ONCE):
            rows = [_row(chain) for chain in chains if chain.is_circle or not chain.is_part]
            sheet.write(rows)
            yield len(rows)


def _row(chain: RedirectChain) -> tuple[object, ...]:
    first, last = chain.hops[0], chain.hops[-1]
    urls = " ".join(hop.url for hop in chain.hops)
    end = (last.url, last.outcome, last.status or None, chain.is_circle)
    return (first.url, first.status, chain.redirects, *end, len(chain.sources), urls)
