"""Hosts and the links between them, from the pages that were visited last: enough for a picture, cheap at any size."""

import asyncio
from collections import Counter
from typing import Annotated

from litestar import get
from litestar.params import Parameter

from gossamer.api.reach import CrawlReach
from gossamer.api.types import HostLink, HostLinks
from gossamer.assemble import open_graph
from gossamer.edges import unpack
from gossamer.errors import TookTooLong, UrlError, UsageError
from gossamer.jobs.shelves import LONGEST, OpenShelves
from gossamer.records.pagequery import PageQuery
from gossamer.url.fingerprint import fingerprint
from gossamer.url.parse import parse

SAMPLE = 400  # pages whose links are looked at
PART = 200
NAMED = 6_000  # targets whose names are asked for
AT_ONCE = 2_000


@get("/graph/hosts", summary="Links between hosts", opt={"scope": "read"})
async def host_links(
    reach: CrawlReach, limit: Annotated[int, Parameter(description="The most hosts.", ge=1, le=50)] = 30
) -> HostLinks:
    """Count links from host to host over the pages that were visited last; only the busiest hosts are told."""
    nothing: list[tuple[int, str]] = []
    sample = await reach.shelves.read(_last_pages, nothing)
    targets = await _targets(reach, [number for number, _ in sample])
    wanted = list(dict.fromkeys(target for found in targets for target in found))[:NAMED]
    hosts = await _hosts(reach, wanted)
    counted: Counter[tuple[str, str]] = Counter()
    for (_, source), found in zip(sample, targets, strict=True):
        counted.update((source, hosts[target]) for target in found if target in hosts)
    weight: Counter[str] = Counter()
    for (source, target), number in counted.items():
        weight[source] += number
        weight[target] += number
    shown = sorted(host for host, _ in weight.most_common(limit))
    links = [
        HostLink(source=source, target=target, links=number)
        for (source, target), number in counted.most_common()
        if source in shown and target in shown
    ]
    return HostLinks(hosts=shown, links=links, pages=len(sample), is_whole=len(sample) < SAMPLE and len(wanted) < NAMED)


async def _last_pages(shelves: OpenShelves) -> list[tuple[int, str]]:
    """Return the ids and hosts of the pages that were visited last."""
    found: list[tuple[int, str]] = []
    cursor = ""
    while len(found) < SAMPLE:
        part = await shelves.catalog.page_list(PageQuery(outcome="ok"), PART, cursor)
        found += [(fingerprint(page.key), page.host) for page in part.items]
        if not part.next:
            break
        cursor = part.next
    return found


async def _targets(reach: CrawlReach, pages: list[int]) -> list[list[int]]:
    """Return where each page links, read on a thread of its own."""
    settings = await asyncio.to_thread(reach.directory.settings)
    if not settings.storage.graph:
        raise UsageError(f"{reach.job} keeps no link graph; crawl with storage.graph set to keep one")

    async def read() -> list[list[int]]:
        async with open_graph(reach.directory.path, settings) as graph:
            return [[target for target, _, _ in unpack(await graph.links_from(page, LONGEST) or b"")] for page in pages]

    try:
        async with asyncio.timeout(LONGEST + 1):
            return await asyncio.to_thread(asyncio.run, read())
    except TimeoutError:
        raise TookTooLong(f"looking for links took longer than {LONGEST:g} s; ask again, or use `gossamer graph`") from None


async def _hosts(reach: CrawlReach, targets: list[int]) -> dict[int, str]:
    """Return the hosts of URLs by their ids; one that nobody knows is left out."""
    hosts: dict[int, str] = {}
    for start in range(0, len(targets), AT_ONCE):
        some = targets[start : start + AT_ONCE]
        for target, url in zip(some, await reach.ask("names", fingerprints=some), strict=True):
            host = _host(url)
            if host:
                hosts[target] = host
    return hosts


def _host(url: str) -> str:
    try:
        return parse(url).host if url else ""
    except UrlError:
        return ""
