"""Exhibits about what is no page: feeds of every dialect, and a file longer than any page.

The articles of a feed are found nowhere else and differ only behind an ampersand: a crawler that loses it asks for something
that is not there. The file must be kept to its last byte.
"""

from gossamer.simweb.builder import Builder
from gossamer.simweb.sites import ContentKind, SimHost

LONG_FILE = 11 * 1024 * 1024
_LONG_PATH = "/download/film.bin"
_ENTRIES = 3


def _feed(builder: Builder, host: SimHost, path: str, kind: ContentKind) -> None:
    feed = builder.add(builder.perch(host), path, kind=kind, link="alternate")
    for number in range(_ENTRIES):
        builder.add(feed, f"/{kind}/article?section=news&number={number}", link="feed")


def atom_feed(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Offer a feed whose links are attributes."""
    _feed(builder, host, "/feeds/atom.xml", "atom")


def rdf_feed(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Offer a feed of RDF, called RDF."""
    _feed(builder, host, "/feeds/index.rdf", "rdf")


def rss_feed(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Offer a feed that is not well-formed before its first link, as many are."""
    _feed(builder, host, "/feeds/rss.xml", "rss")


def long_file(builder: Builder, host: SimHost, other: SimHost) -> None:
    """Offer a file longer than a page may be: one in a web, however large that is."""
    home = next(host for host in builder.hosts if host.role in ("open", "missing"))
    if _LONG_PATH not in home.table:
        builder.add(home.root, _LONG_PATH, kind="file", size=LONG_FILE)
