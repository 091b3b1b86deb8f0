"""Exhibits about copies: pages with the same bytes under several URLs, on one host and on many.

Which copy a crawler meets first is chance, so all of them carry the same absolute links and none is the only way to a page.
"""

from collections.abc import Sequence

from gossamer.simweb.builder import PERCH_RANK, Builder
from gossamer.simweb.sites import Host

_PAGES_PER_GROUP = 250


def copies(builder: Builder, hosts: Sequence[Host]) -> None:
    """Add groups of two to four copies, on one host and across hosts in turn."""
    for number in range(max(2, builder.settings.pages // _PAGES_PER_GROUP)):
        group = f"copies-{number}"
        original = None
        size = builder.size(at_most=20_000)
        for member in range(2 + number % 3):
            host = hosts[(number * 5 + (member if number % 2 else 0)) % len(hosts)]
            page = builder.add(
                builder.perch(host),
                f"/copies/{number}-{member}.html",
                group=group,
                original=original,
                rank=PERCH_RANK + 1,
                size=size,
                framing="chunked" if member == 1 else "length",
            )
            original = original or page
