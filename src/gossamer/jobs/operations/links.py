"""The links of one page, out of it and into it, from the graph's files: asked of a crawl, or read beside one that runs.

`page_links` needs an open graph and somebody who knows URLs by their fingerprints: a door that has the graph's files does not
trouble the crawl but for that (`standings`).
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from gossamer.assemble import Stores
from gossamer.config.choice import remedy
from gossamer.edges import KINDS, NOFOLLOW, unpack
from gossamer.errors import UsageError
from gossamer.jobs.explain import keys_of
from gossamer.jobs.operations.cursors import cursor_of, limited, place_in
from gossamer.jobs.operations.urls import standings
from gossamer.joints.graph import LinkGraph
from gossamer.url.fingerprint import fingerprint

SECONDS = 5.0  # that looking through a graph may take
DIRECTIONS = ("out", "in")
Standings = Callable[[list[int]], Awaitable[Sequence[dict[str, Any] | None]]]


async def page_links(
    graph: LinkGraph, names: Standings, page: int, direction: str = "out", limit: int = 50, cursor: str = ""
) -> dict[str, Any]:
    """Return the links of the page with a fingerprint; raises `TookTooLong` where the graph is too large for that."""
    if direction not in DIRECTIONS:
        raise UsageError(f"there is no direction {direction!r}; {remedy(direction, DIRECTIONS)}")
    question = ("links", page, direction)
    place = place_in(cursor, question, int)
    limited(limit)
    if direction == "out":
        edges = await graph.links_from(page, SECONDS)
        found = [(target, kind.value, nofollow) for target, kind, nofollow in unpack(edges or b"")]
    else:
        ways = await graph.links_to(page, SECONDS)
        found = [(source, KINDS[way & ~NOFOLLOW].value, way >= NOFOLLOW) for source, way in ways]
    start = place[0] if place is not None else 0
    some = found[start : start + limit]
    told = await names([each for each, _, _ in some])
    items = [
        {
            "url": known["url"] if known is not None else "",
            "id": f"{each:016x}",
            "kind": kind,
            "nofollow": nofollow,
            "state": known["state"] if known is not None else "unknown",
            "outcome": known["outcome"] if known is not None else None,
        }
        for (each, kind, nofollow), known in zip(some, told, strict=True)
    ]
    more = start + limit < len(found)
    return {"items": items, "next": cursor_of(question, start + limit) if more else None}


async def links(
    stores: Stores, id: str = "", url: str = "", direction: str = "out", limit: int = 50, cursor: str = ""
) -> dict[str, Any]:
    """Return the links of a page, by its id (the fingerprint of its key, 16 hex digits) or its URL."""
    if not stores.settings.storage.graph:
        raise UsageError(f"{stores.directory} keeps no link graph; crawl with storage.graph set to keep one")

    async def names(fingerprints: list[int]) -> Sequence[dict[str, Any] | None]:
        return await standings(stores, fingerprints)

    return await page_links(stores.graph, names, await fingerprint_of(stores, id, url), direction, limit, cursor)


async def fingerprint_of(stores: Stores, id: str, url: str) -> int:
    """Return the fingerprint that an id stands for, or that a URL is known by."""
    if url:
        found = [key for key in await keys_of(stores, url) if await stores.frontier.lookup(key) is not None]
        return fingerprint(found[0] if found else (await keys_of(stores, url))[0])
    try:
        return int(id, 16) if len(id) == 16 else int("no")
    except ValueError:
        raise UsageError(f"{id!r} is no id; one has 16 hexadecimal digits") from None
