"""Exhibits about links that are easily lost: very many on one page, and those of pages with the same bytes or the same words.

From another URL, relative links of the same bytes lead elsewhere, so each copy is the only way to what it links. Most of the
very many links lead out of this web or to few pages, so that nobody has to fetch hundreds of pages to find those behind them.
"""

from gossamer.simweb.builder import Builder
from gossamer.simweb.sites import ContentKind, LinkKind, PageLink, SimHost

_MANY = 700  # links, of which usual limits pass over the last
_PARTS = 1_800  # of each chapter that are linked: more than usual limits look at
_FOLDERS = 4
_FILES = tuple(f"record-{number}.txt" for number in range(8))


def many_links(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Link pages of ours behind hundreds of links to others."""
    page = builder.add(builder.perch(host), "/directory/index.html")
    page.links += [PageLink(f"http://outside.example/{host.name}/{number}", None) for number in range(_MANY)]
    for name in ("last", "very-last"):
        builder.add(page, f"/directory/{name}.html", href=f"{name}.html")


def many_fragments(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Link thousands of parts of few pages, and one page more."""
    page = builder.add(builder.perch(host), "/contents/index.html")
    size = page.size
    for number in range(3):
        path = f"{number}.html"
        chapter = builder.add(page, f"/contents/{path}", href=path)
        page.links += [PageLink(f"{path}#part-{part}", chapter) for part in range(_PARTS)]
    builder.add(page, "/contents/appendix.html", href="appendix.html")
    page.size = size


def stubs(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Put the same short page with relative links into several folders."""
    _folders(builder, host, "stub", "page", "anchor")


def framesets(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Put the same set of frames into several folders."""
    _folders(builder, host, "framed", "frames", "frame")


def listings(builder: Builder, host: SimHost, other: SimHost) -> None:
    """List folders with the same names in them: the listings say the same, and have different bytes and files."""
    for number in range(_FOLDERS):
        folder = f"/pool/{number}/"
        listing = builder.add(builder.perch(host), folder, kind="listing", group="listings")
        for name in _FILES:
            builder.add(listing, folder + name, kind="text", href=name)


def _folders(builder: Builder, host: SimHost, name: str, kind: ContentKind, link: LinkKind) -> None:
    original, size = None, builder.settings.min_bytes
    for number in range(_FOLDERS):
        folder = f"/{name}/{number}/"
        group = f"{name} of {host.name}"
        page = builder.add(builder.perch(host), folder, kind=kind, group=group, original=original, size=size, rank=3)
        for child in ("one.html", "two.html"):
            builder.add(page, folder + child, link=link, href=child)
        original = original or page
