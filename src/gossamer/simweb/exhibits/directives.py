"""Exhibits about what pages ask of robots: nofollow and noindex in every place they can stand.

A page that says nofollow carries one link to a page that is found nowhere else: it must never be fetched. Its other links lead
to pages that are found elsewhere too: those must be. Words for another robot bind nobody else; noindex does not stop links.
"""

from gossamer.simweb.builder import Builder
from gossamer.simweb.sites import SimHost


def nofollow_pages(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Say nofollow for a whole page, in the page and in the header."""
    for name, meta in (
        ("meta", ("robots", "nofollow")),
        ("none", ("ROBOTS", "None")),
        ("both", ("robots", "NOINDEX, NOFOLLOW")),
    ):
        page = builder.add(builder.perch(host), f"/advice/{name}.html", meta=meta, stops=True)
        builder.add(page, f"/unfollowed/{name}.html")
    for name, value in (("header", "nofollow"), ("header-none", "noarchive, none")):
        headers = (("X-Robots-Tag", value),)
        page = builder.add(builder.perch(host), f"/advice/{name}.html", headers=headers, stops=True)
        builder.add(page, f"/unfollowed/{name}.html")


def followed_pages(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Say noindex, or nofollow to somebody else: links are followed."""
    for name, meta in (("noindex", ("robots", "noindex")), ("otherbot", ("otherbot", "nofollow"))):
        page = builder.add(builder.perch(host), f"/notice/{name}.html", meta=meta)
        builder.add(page, f"/followed/{name}.html")
    for name, value in (("header-noindex", "noindex"), ("header-otherbot", "otherbot: noindex, nofollow")):
        page = builder.add(builder.perch(host), f"/notice/{name}.html", headers=(("X-Robots-Tag", value),))
        builder.add(page, f"/followed/{name}.html")


def nofollow_links(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Say nofollow for single links; a page that is also linked plainly is fetched."""
    perch = builder.perch(host)
    builder.add(perch, "/comment/only.html", nofollow=True)
    builder.add(perch, "/comment/abroad.html", host=other, nofollow=True)
    both = builder.add(perch, "/comment/both.html", nofollow=True)
    builder.link(host.root, both)
