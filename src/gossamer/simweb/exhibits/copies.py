"""Exhibits about copies: pages with the same bytes under several URLs, on one host and on many.

Which copy a crawler meets first is chance, so all of them carry the same absolute links and none is the only way to a page.
But for variants of a page, which are the only way to it: print views, old versions, short links. There the page counts.
"""

from collections.abc import Sequence

from gossamer.simweb.builder import PERCH_RANK, Builder
from gossamer.simweb.sites import HIGHEST_RANK, Resource, SimHost

_PAGES_PER_GROUP = 250
_VARIANTS = ("?version=1", "?do=export&as=html", "/for-the-printer.html")


def copies(builder: Builder, hosts: Sequence[SimHost]) -> None:
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


def variants_first(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Let a page be found only by its variants: the same, with something behind its URL."""
    for number, variant in enumerate(_VARIANTS):
        path = f"/reading/{number}"
        _page_behind(builder, builder.perch(host), path, path + variant)


def short_links(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Let a page with a long URL be found only by a short one, which says that the long one is canonical."""
    path = "/readings/by-subject/a-page-with-a-long-name.html?edition=last&part=1"
    page, variant = _page_behind(builder, builder.perch(host), path, "/r/1")
    builder.link(variant, page, kind="canonical", href=page.url)


def _page_behind(builder: Builder, parent: Resource, path: str, variant: str) -> tuple[Resource, Resource]:
    """Add a page, and before it a variant with the same bytes that alone leads to it."""
    group = f"{path} of {parent.host.name}"
    first = builder.add(parent, variant, group=group, rank=HIGHEST_RANK)  # so that chance adds no link that both would carry
    href = parent.host.origin + path
    page = builder.add(first, path, href=href, group=group, original=first, size=first.size, is_canonical=True)
    return page, first
