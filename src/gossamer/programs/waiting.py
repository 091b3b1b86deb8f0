"""A crawl for programs that have an event loop: its pages, items and numbers; to run it, watch it and stop it.

Reading works beside a running crawl. A crawl that is run from here runs in a process of its own, as `gossamer resume` would run
it: this program's loop is not its loop, and what this program does cannot harm it.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.programs.running import CrawlProcess

if TYPE_CHECKING:
    from gossamer.jobs.crawled import CrawlItem, KeptPage
    from gossamer.records.event import Event
    from gossamer.records.item import KeptProblem


LOOK = 0.1  # seconds between two looks at a crawl that somebody else runs


class AsyncCrawl(AbstractAsyncContextManager["AsyncCrawl"]):
    """One crawl, by its directory: `async with AsyncCrawl("shop.crawl") as crawl`, then `async for page in crawl.pages()`."""

    def __init__(self, directory: str | Path) -> None:
        from gossamer.jobs.directory import CrawlDirectory

        self.directory = Path(directory)
        self._crawl = CrawlDirectory.open(self.directory)
        self._process: CrawlProcess | None = None  # the last run that was started here

    @classmethod
    async def create(
        cls,
        directory: str | Path,
        seeds: Iterable[str],
        *,
        scripts: Iterable[str | Path] = (),
        settings: Mapping[str, object] = {},
    ) -> "AsyncCrawl":
        """Make a new crawl, to be run; settings by their names, such as {"politeness.delay": 0.5} (`gossamer config`)."""
        from gossamer.jobs.create import create_crawl

        await asyncio.to_thread(create_crawl, Path(directory), list(seeds), [str(path) for path in scripts], settings)
        return cls(directory)

    async def __aexit__(self, *ending: object) -> None:
        if self._process is not None:
            await self._process.stop()

    async def run(self, settings: Mapping[str, object] = {}) -> dict[str, Any]:
        """Run the crawl until it ends; return its summary. Settings count for this run."""
        await self.start(settings)
        return await self.wait()

    async def start(self, settings: Mapping[str, object] = {}) -> None:
        """Start the crawl in a process of its own; it stops when this crawl is closed."""
        from gossamer.errors import CrawlInUse

        if self._process is not None and not self._process.is_over:
            raise CrawlInUse(f"{self.directory} is running already; wait for it or stop it first")
        self._process = await CrawlProcess.start(self.directory, settings)

    async def wait(self) -> dict[str, Any]:
        """Return the summary of the run that was started when it has ended; raise the error that ended it."""
        from gossamer.errors import UsageError

        if self._process is None:
            raise UsageError(f"no run of {self.directory} was started here; call start first")
        return await self._process.summary()

    async def stop(self) -> None:
        """Ask the crawl to stop, whoever runs it, and wait until what is under way is done; `run` goes on with it later."""
        if self._process is not None and not self._process.is_over:
            await self._process.stop()
            return
        if (holder := self._crawl.runner()) is not None:
            with suppress(ProcessLookupError):
                os.kill(holder, signal.SIGTERM)
            while self._crawl.runner() == holder:  # noqa: ASYNC110 - a lock tells nobody when it is free
                await asyncio.sleep(LOOK)

    def events(self, after: str = "") -> "AsyncIterator[Event]":
        """Walk over what happens: each visit that is settled, runs that begin and end; as long as the crawl runs.

        From the beginning, or after the event of an id.
        """
        from gossamer.jobs.chronicle import told_to_programs

        return told_to_programs(self._crawl, after, lambda: self.is_running)

    @property
    def is_running(self) -> bool:
        """Whether somebody runs the crawl now."""
        is_ours = self._process is not None and not self._process.is_over
        return is_ours or self._crawl.runner() is not None

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
        """Walk over pages that match everything given, newest first; of one host by address; by words, best match first.

        Without `content` nothing is read from the archive: quicker, and `text`, `html` and `links` are empty.
        """
        from gossamer.jobs.crawled import walk_pages
        from gossamer.records.pagequery import PageQuery

        query = PageQuery(
            words=words, host=host, status=status, outcome=outcome, mime=mime, rule=rule, since=since, until=until
        )
        return walk_pages(self._crawl, query, limit, content)

    def items(
        self, *, reader: str = "", key: str = "", after: int = 0, limit: int | None = None, **wanted: Any
    ) -> "AsyncIterator[CrawlItem]":
        """Walk over what readers found on pages as they are now; `after`: what was found after the item of that number.

        Of one page by its `key`, or of pages by what `pages` takes: host, status, outcome, mime, rule, since, until.
        """
        from gossamer.jobs.crawled import walk_items
        from gossamer.records.pagequery import PageQuery

        return walk_items(self._crawl, PageQuery(**wanted), key=key, reader=reader, after=after, limit=limit)

    def problems(self, *, after: int = 0, limit: int | None = None) -> "AsyncIterator[KeptProblem]":
        """Walk over what went wrong in readers."""
        from gossamer.jobs.crawled import walk_problems

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
