"""The links of one page as the link graph keeps them: nine bytes each, packed where the page was read.

First the targets, 8 bytes each, the fingerprints of their keys (`url/fingerprint.py`), lowest byte first; then as many bytes
that say how each is linked: the number of its kind, and the highest bit for nofollow. It is part of what is on disk: numbers
are only ever added.
"""

import sys
from array import array
from collections.abc import Iterable, Iterator

from gossamer.compiled import optional
from gossamer.records.entry import Link, LinkKind

_quick = optional("gossamer._edges")

WIDTH = 9  # bytes of an edge
NOFOLLOW = 0x80
KINDS = (  # by number
    LinkKind.SEED,
    LinkKind.ANCHOR,
    LinkKind.AREA,
    LinkKind.FRAME,
    LinkKind.IFRAME,
    LinkKind.LINK,
    LinkKind.CANONICAL,
    LinkKind.ALTERNATE,
    LinkKind.REFRESH,
    LinkKind.IMAGE,
    LinkKind.SITEMAP,
    LinkKind.REDIRECT,
    LinkKind.FEED,
    LinkKind.ASCENT,
)
NUMBERS = {kind: number for number, kind in enumerate(KINDS)}


def pack(targets: Iterable[int], ways: Iterable[int]) -> bytes:
    """Pack edges: fingerprints, and for each the number of its kind, with NOFOLLOW or without."""
    fingerprints = array("Q", targets)
    if sys.byteorder == "big":
        fingerprints.byteswap()
    return fingerprints.tobytes() + bytes(ways)


def split_known(links: tuple[Link, ...], names: dict[str, int]) -> tuple[list[int | None], list[Link]]:
    """Return the name of each link, by its URL, None: it has none; and the links that have none."""
    if _quick is not None:
        both: tuple[list[int | None], list[Link]] = _quick.split_known(links, names)
        return both
    found = [names.get(link.url) for link in links]
    return found, [link for link, name in zip(links, found, strict=True) if name is None]


def pack_links(links: tuple[Link, ...], targets: "list[int] | list[int | None]", nofollow: bool) -> bytes:
    """Pack the links of a page with their fingerprints, one for each; `nofollow` is the page's own wish."""
    if _quick is not None:
        packed: bytes = _quick.pack(links, targets, NUMBERS, nofollow)
        return packed
    return pack(filter(None, targets), [NUMBERS[link.kind] | (NOFOLLOW if nofollow or link.nofollow else 0) for link in links])


def names_fingerprint(edges: bytes) -> int:
    """Return the fingerprint of the targets, whatever their order: two pages with the same one are taken to link the same."""
    total: int = sum(_targets(edges)) & 0xFFFF_FFFF_FFFF_FFFF if _quick is None else _quick.total(edges)
    return total


def unpack(edges: bytes) -> Iterator[tuple[int, LinkKind, bool]]:
    """Walk over packed edges: target, kind, nofollow."""
    fingerprints = _targets(edges)
    for target, way in zip(fingerprints, edges[8 * len(fingerprints) :], strict=True):
        yield target, KINDS[way & ~NOFOLLOW], way >= NOFOLLOW


def _targets(edges: bytes) -> "array[int]":
    fingerprints = array("Q", edges[: 8 * (len(edges) // WIDTH)])
    if sys.byteorder == "big":
        fingerprints.byteswap()
    return fingerprints
