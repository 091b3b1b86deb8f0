"""Exhibits about documents: charsets, where links hide in HTML, and types that are not HTML.

The target of each special link is found nowhere else, so a crawler that does not see the link misses a page.
"""

from collections.abc import Callable

from gossamer.simweb.builder import Builder
from gossamer.simweb.sites import LinkKind, SimHost

CHARSETS = {"iso-8859-1": "fr", "windows-1251": "ru", "shift_jis": "ja", "euc-kr": "ko", "gb18030": "zh"}

Exhibit = Callable[[Builder, SimHost, SimHost], None]


def charset_exhibit(charset: str) -> Exhibit:
    """Make the exhibit of one legacy charset: declared in the header, in the page, and not at all."""

    def charset_pages(builder: Builder, host: SimHost, other: SimHost) -> None:
        for declared in ("header", "meta", "nowhere"):
            # In a legacy charset a page shrinks to a third at worst: this keeps it recognisable and within the bounds.
            size = 4 * builder.settings.min_bytes
            path, language = f"/{charset}/{declared}.html", CHARSETS[charset]
            builder.add(builder.perch(host), path, size=size, language=language, charset=charset, declared=declared)

    return charset_pages


def head_links(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Put links into the head of pages: canonical, alternate, refresh."""
    kinds: tuple[LinkKind, ...] = ("canonical", "alternate", "refresh")
    for kind in kinds:
        page = builder.add(builder.perch(host), f"/head/{kind}.html")
        builder.add(page, f"/from-head/{kind}.html", link=kind, href=f"../from-head/{kind}.html")
    itself = builder.add(builder.perch(host), "/head/itself.html")
    builder.link(itself, itself, kind="canonical", href=itself.url)


def body_links(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Put links into frames, inline frames and image maps."""
    frames = builder.add(builder.perch(host), "/frames/index.html", kind="frames")
    builder.add(frames, "/frames/left.html", link="frame", href="left.html")
    builder.add(frames, "/frames/right.html", link="frame", href="./right.html")
    inline = builder.add(builder.perch(host), "/frames/inline.html")
    builder.add(inline, "/frames/inner.html", link="iframe", href="inner.html")
    picture = builder.add(builder.perch(host), "/map/index.html")
    builder.add(picture, "/map/north.html", link="area", href="/map/north.html")
    builder.add(picture, "/map/south.html", link="area", href="south.html")


def based_links(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Resolve links against another place than the page's own."""
    page = builder.add(builder.perch(host), "/based/deep/index.html", base="/elsewhere/shelf/")
    builder.add(page, "/elsewhere/shelf/one.html", href="one.html")
    builder.add(page, "/elsewhere/two.html", href="../two.html")


def images(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Show images, which are not followed, and link one with an anchor, which is."""
    page = builder.add(builder.perch(host), "/gallery/index.html")
    for number in range(4):
        builder.add(page, f"/gallery/{number}.png", kind="image", link="image", href=f"{number}.png")
    builder.add(page, "/gallery/poster.png", kind="image")


def other_types(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Offer plain text without links, and XHTML."""
    builder.add(builder.perch(host), "/notes/readme.txt", kind="text")
    page = builder.add(builder.perch(host), "/strict/page.xhtml", kind="xhtml")
    builder.add(page, "/strict/next.html")
