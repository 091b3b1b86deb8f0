"""What a crawl keeps, opened to be read beside it, on a thread of its own: whoever asks waits, and no event loop does.

Catalog and archive answer in milliseconds, but on the thread that asks them. A door has other things to do meanwhile, so it
hands its reads over here, one thread for a crawl. After a while without a read the stores are closed again, so that a crawl
that ends, is pruned or is moved finds nobody in its files.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TypeVar

from msgspec import Struct

from gossamer.assemble import has_catalog, make_processors, open_archive, open_catalog, open_chronicle
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.errors import TookTooLong
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.kept import KeptPages
from gossamer.joints.archive import Archive
from gossamer.joints.catalog import Catalog
from gossamer.joints.chronicle import Chronicle
from gossamer.joints.documents import Processor

_Read = TypeVar("_Read")
LONGEST = 5.0  # seconds that a read may take
IDLE = 20.0  # seconds without a read after which the stores are closed


class OpenShelves(Struct, frozen=True):
    """The stores of a crawl that may be read beside it."""

    settings: Settings
    catalog: Catalog
    archive: Archive
    chronicle: Chronicle | None  # None: the crawl keeps none
    kept: KeptPages
    processors: dict[str, Processor]


class Shelves:
    """Reads what one crawl keeps."""

    def __init__(self, directory: CrawlDirectory, idle: float = IDLE) -> None:
        self._directory = directory
        self._idle = idle
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stack: AsyncExitStack | None = None
        self._opened: asyncio.Task[OpenShelves] | None = None
        self._reading = 0
        self._closing: asyncio.TimerHandle | None = None
        self._left: asyncio.Task[None] | None = None  # held until it is done

    async def read(self, work: Callable[[OpenShelves], Awaitable[_Read]], nothing: _Read) -> _Read:
        """Return what some work reads; `nothing` of a crawl that has not begun. Raises `TookTooLong` after five seconds."""
        asked = asyncio.run_coroutine_threadsafe(self._carry_out(work, nothing), self._running())
        try:
            async with asyncio.timeout(LONGEST):
                return await asyncio.wrap_future(asked)
        except TimeoutError:
            raise TookTooLong(f"reading {self._directory.path.name} took longer than {LONGEST:g} s; ask again") from None

    async def aclose(self) -> None:
        """Close the stores, and end the thread."""
        if self._loop is None or self._thread is None:
            return
        loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._close(), loop))
        loop.call_soon_threadsafe(loop.stop)
        await asyncio.to_thread(thread.join)
        loop.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=self._loop.run_forever, name=f"shelves {self._directory.path.name}", daemon=True
            )
            self._thread.start()
        return self._loop

    async def _carry_out(self, work: Callable[[OpenShelves], Awaitable[_Read]], nothing: _Read) -> _Read:
        """Read; runs on the thread, like everything below."""
        settings = self._directory.settings() if self._opened is None else None
        if settings is not None and not await has_catalog(self._directory.path, settings):
            return nothing  # to open a catalog is to make it
        self._reading += 1
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        try:
            return await work(await self._open())
        finally:
            self._reading -= 1
            if not self._reading:
                self._closing = asyncio.get_running_loop().call_later(self._idle, self._begin_closing)

    async def _open(self) -> OpenShelves:
        """Open the stores, once for all that ask meanwhile; what could not be opened is tried again."""
        if self._opened is None:
            self._opened = asyncio.ensure_future(self._make())
        try:
            return await asyncio.shield(self._opened)
        except Exception:
            self._opened = None
            raise

    async def _make(self) -> OpenShelves:
        path, settings = self._directory.path, self._directory.settings()
        async with AsyncExitStack() as stack:
            catalog = await stack.enter_async_context(open_catalog(path, settings))
            archive = await stack.enter_async_context(open_archive(path, settings, SystemClock()))
            told = settings.chronicle.level != "off"
            chronicle = await stack.enter_async_context(open_chronicle(path, settings)) if told else None
            kept = KeptPages(self._directory, settings, catalog, archive)
            self._stack = stack.pop_all()
            return OpenShelves(settings, catalog, archive, chronicle, kept, make_processors(settings))
        raise AssertionError  # for mypy: the block above swallows nothing

    def _begin_closing(self) -> None:
        self._closing = None
        if not self._reading:
            stack, self._stack, self._opened = self._stack, None, None
            if stack is not None:
                self._left = asyncio.ensure_future(stack.aclose())

    async def _close(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
        stack, self._stack, self._opened = self._stack, None, None
        if stack is not None:
            await stack.aclose()
