"""A crawl for programs that have an event loop: its pages, items and numbers; to run it, watch it and stop it.

Reading works beside a running crawl. A crawl that is run from here runs in a process of its own, as `gossamer resume` would run
it: this program's loop is not its loop, and what this program does cannot harm it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gossamer.jobs.kept import CrawlItem, KeptPage
    from gossamer.records.item import KeptProblem


class AsyncCrawl(AbstractAsyncContextManager["AsyncCrawl"]):
    """One crawl, by its directory.

    async with AsyncCrawl("shop.crawl") as crawl:
        async for page in crawl.pages(status=200):
            ...
    """

    def __init__(self, directory: str | Path) -> None:
        from gossamer.jobs.directory import CrawlDirectory

        self.directory = Path(directory)
        self._crawl = CrawlDirectory.open(self.directory)

    async def __aexit__(self, *ending: object) -> None:
        return None

    def pages(
        self,
        words: str = "",
        *,
        host: str = "",
        status: int | None = None,
        outcome: str = "",
        mime: str = "",
        rule: str = "",
        since: float | None = None,
        until: float | None = None,
        limit: int | None = None,
        content: bool = True,
    ) -> "AsyncIterator[KeptPage]":
        """Walk over pages that match everything given, newest first; by words, best match first.

        Without `content` nothing is read from the archive: quicker, and `text`, `html` and `links` are empty.
        """
        from gossamer.jobs.kept import walk_pages

        wanted = {"words": words, "host": host, "status": status, "outcome": outcome, "mime": mime, "rule": rule}
        return walk_pages(self._crawl, content, **wanted, since=since, until=until, limit=limit)

    def items(
        self, *, reader: str = "", host: str = "", after: int = 0, limit: int | None = None, **wanted: Any
    ) -> "AsyncIterator[CrawlItem]":
        """Walk over what readers found on pages as they are now; `after`: what was found after the item of that number."""
        from gossamer.jobs.kept import walk_items

        return walk_items(self._crawl, reader=reader, host=host, after=after, limit=limit, **wanted)

    def problems(self, *, after: int = 0, limit: int | None = None) -> "AsyncIterator[KeptProblem]":
        """Walk over what went wrong in readers."""
        from gossamer.jobs.kept import walk_problems

        return walk_problems(self._crawl, limit, after)

    async def explain(self, url: str) -> dict[str, Any]:
        """Say what became of a URL, and which rule decided."""
        (explained,) = await self._ask("explain_all", urls=[url])
        return dict(explained)

    async def status(self) -> dict[str, Any]:
        """Return the crawl in numbers."""
        return dict(await self._ask("status"))

    async def _ask(self, operation: str, **arguments: Any) -> Any:
        from gossamer.jobs.control import ask

        return await asyncio.to_thread(ask, self._crawl, operation, **arguments)
