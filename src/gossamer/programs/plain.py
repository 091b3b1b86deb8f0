"""A crawl for programs without an event loop: the verbs of `AsyncCrawl`, each called to its end in a loop on a thread."""

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gossamer.programs.waiting import AsyncCrawl

if TYPE_CHECKING:
    from gossamer.jobs.crawled import CrawlItem, KeptPage
    from gossamer.records.event import Event
    from gossamer.records.item import KeptProblem

_Given = TypeVar("_Given")


def open_crawl(directory: str | Path) -> "PlainCrawl":
    """Open a crawl by its directory, running or not; use it in `with`."""
    return PlainCrawl(AsyncCrawl(directory))


def create_crawl(
    directory: str | Path,
    seeds: Iterable[str],
    *,
    scripts: Iterable[str | Path] = (),
    settings: Mapping[str, object] = {},
) -> "PlainCrawl":
    """Make a new crawl, to be run; settings by their names, such as {"politeness.delay": 0.5} (`gossamer config`)."""
    from gossamer.jobs.create import create_crawl as create

    create(Path(directory), list(seeds), [str(path) for path in scripts], settings)
    return open_crawl(directory)


class PlainCrawl(AbstractContextManager["PlainCrawl"]):
    """One crawl; what each verb does says `AsyncCrawl`."""

    def __init__(self, crawl: AsyncCrawl) -> None:
        self._crawl = crawl
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="gossamer", daemon=True)
        self._thread.start()

    @property
    def directory(self) -> Path:
        """Where the crawl is."""
        return self._crawl.directory

    def __exit__(self, *ending: object) -> None:
        if self._thread.is_alive():
            self._wait(self._crawl.__aexit__(*ending))
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def pages(self, words: str = "", **wanted: Any) -> "Iterator[KeptPage]":
        """Walk over pages that match everything given, newest first; of one host by address; by words, best match first."""
        return self._walk(self._crawl.pages(words, **wanted))

    def items(self, **wanted: Any) -> "Iterator[CrawlItem]":
        """Walk over what readers found on pages as they are now."""
        return self._walk(self._crawl.items(**wanted))

    def problems(self, **wanted: Any) -> "Iterator[KeptProblem]":
        """Walk over what went wrong in readers."""
        return self._walk(self._crawl.problems(**wanted))

    def explain(self, url: str) -> dict[str, Any]:
        """Say what became of a URL, and which rule decided."""
        return self._wait(self._crawl.explain(url))

    def status(self) -> dict[str, Any]:
        """Return the crawl in numbers."""
        return self._wait(self._crawl.status())

    def run(self, settings: Mapping[str, object] = {}) -> dict[str, Any]:
        """Run the crawl until it ends; return its summary."""
        return self._wait(self._crawl.run(settings))

    def start(self, settings: Mapping[str, object] = {}) -> None:
        """Start the crawl in a process of its own; it stops when this crawl is closed."""
        self._wait(self._crawl.start(settings))

    def wait(self) -> dict[str, Any]:
        """Return the summary of the run that was started when it has ended; raise the error that ended it."""
        return self._wait(self._crawl.wait())

    def stop(self) -> None:
        """Ask the crawl to stop, whoever runs it, and wait until what is under way is done."""
        self._wait(self._crawl.stop())

    def events(self, after: str = "") -> "Iterator[Event]":
        """Walk over what happens, as long as the crawl runs."""
        return self._walk(self._crawl.events(after))

    @property
    def is_running(self) -> bool:
        """Whether somebody runs the crawl now."""
        return self._crawl.is_running

    def _wait(self, verb: "Coroutine[Any, Any, _Given]") -> _Given:
        return asyncio.run_coroutine_threadsafe(verb, self._loop).result()

    def _walk(self, walk: "AsyncIterator[_Given]") -> "Iterator[_Given]":
        end = object()

        async def step() -> Any:
            return await anext(walk, end)

        async def leave() -> None:
            await walk.aclose()  # type: ignore[attr-defined]  # all walks here are generators

        try:
            while (found := self._wait(step())) is not end:
                yield found
        finally:
            self._wait(leave())
