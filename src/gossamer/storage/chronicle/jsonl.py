"""The chronicle of a crawl in JSON lines: a writer for its node, and a reader for everybody."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import ParamSpec, TypeVar

from gossamer import faults
from gossamer.durability import Syncing, make_directory
from gossamer.errors import GossamerError
from gossamer.joints.shelving import Shelving
from gossamer.joints.walks import on_a_thread
from gossamer.records.event import Event
from gossamer.records.line import AuditedBlock, ChainHead, ChronicleLine, Unsettled
from gossamer.records.location import Location
from gossamer.seal import Seal
from gossamer.storage.archive.segment import failure
from gossamer.storage.chronicle.marks import Watermark, Watermarks
from gossamer.storage.chronicle.reader import ChronicleReader
from gossamer.storage.chronicle.recovery import Tail, take_up
from gossamer.storage.chronicle.segment import PLAIN, files_in, segments_in
from gossamer.storage.chronicle.writer import SEAL, BlockWriter
from gossamer.storage.shelving import link_or_copy

AGAIN = 5  # times a reader looks for a segment that was removed meanwhile
MARK_AFTER = 1.0  # seconds without a block after which a mark is written by itself

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class JsonlChronicle:
    """Writes and reads the chronicle of a crawl (`joints.chronicle.Chronicle`)."""

    def __init__(self, directory: Path, durable: bool, tail: Tail | None, keep: float | None = None) -> None:
        """`tail`: the end of the chain, for whoever writes."""
        self._directory = directory
        self._reader = ChronicleReader(directory)
        self._reading = Lock()  # readers share what they remember
        self._writer = BlockWriter(directory, tail, keep) if tail is not None else None
        self._marks = Watermarks(tail.mark if tail is not None else Watermark())
        self._left = list(tail.left) if tail is not None else []
        for block in self._left:
            self._marks.add(block.block, block.lines)
        self._syncing = Syncing(self._sync, durable)
        self._added = 0.0  # when the last block was, by the loop
        self._timer: asyncio.TimerHandle | None = None

    @classmethod
    async def open(cls, location: Location, durable: bool, writing: bool, keep: float | None) -> "JsonlChronicle":
        """Open the chronicle of a crawl, or make it; whoever only reads repairs nothing."""
        directory = location.on_disk
        with _in_our_words(directory):
            return cls(directory, durable, take_up(directory, Seal(directory / SEAL)) if writing else None, keep)

    @classmethod
    async def exists(cls, location: Location) -> bool:
        """Tell whether there is a chronicle at a location."""
        return bool(segments_in(location.on_disk))

    # --- writing -----------------------------------------------------------------------------------------------------

    async def add(self, lines: Sequence[ChronicleLine], now: float, refused: Mapping[str, int]) -> int:
        """Write a block and return its number."""
        number = self._append(lines, now, refused)
        await self._syncing.acknowledge()
        return number

    def settle(self, block: int, struck: Sequence[int] = ()) -> None:
        """Say that what a block tells is settled."""
        self._marks.settle(block, struck)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(MARK_AFTER, self._mark_alone)

    async def unsettled(self) -> list[Unsettled]:
        """Return the blocks above the mark that a writer before this one left behind."""
        return [block for block in self._left if block.lines]

    def _append(self, lines: Sequence[ChronicleLine], now: float, refused: Mapping[str, int]) -> int:
        assert self._writer is not None, "opened to read"
        mark, before = self._marks.next, self._marks.written
        if lines:
            faults.reach("before-chronicle")
        if mark.block > before.block:
            faults.reach("before-mark")
        with _in_our_words(self._directory):
            number = self._writer.append(lines, now, mark, refused)
        self._marks.advance(mark)
        self._marks.add(number, len(lines))
        self._added = asyncio.get_running_loop().time()
        if lines:
            faults.reach("after-chronicle")
        if mark.block > before.block:
            faults.reach("after-mark")
        return number

    def _mark_alone(self) -> None:
        """Write a mark that no block has taken along for a while."""
        loop, self._timer = asyncio.get_running_loop(), None
        if not self._marks.is_due or self._writer is None:
            return
        if loop.time() < self._added + MARK_AFTER:
            self._timer = loop.call_at(self._added + MARK_AFTER, self._mark_alone)
            return
        with suppress(GossamerError):  # a full disk: the next block takes it along
            self._append((), self._writer.last_at, {})

    def _sync(self) -> None:
        if self._writer is not None:
            self._writer.sync()

    # --- reading -----------------------------------------------------------------------------------------------------

    async def after(self, position: str, limit: int) -> list[Event]:
        """Return the next events after an id."""
        return await self._read(self._reader.after, position, limit)

    async def head(self) -> str:
        """Return the id of the last event that may be seen."""
        return await self._read(self._reader.head)

    async def lag(self, position: str) -> int:
        """Return how many events come after an id."""
        return await self._read(self._reader.lag, position)

    async def keep_from(self, reader: str, position: str) -> None:
        """Note how far a reader is."""
        await self._read(self._reader.keep_from, reader, position)

    async def _read(self, step: Callable[_Given, _Result], *given: _Given.args, **named: _Given.kwargs) -> _Result:
        def patiently() -> _Result:
            with self._reading, _in_our_words(self._directory):
                for _ in range(AGAIN):
                    with suppress(FileNotFoundError):  # a segment was removed since its name was read
                        return step(*given, **named)
                return step(*given, **named)

        return await asyncio.to_thread(patiently)

    # --- upkeep ------------------------------------------------------------------------------------------------------

    async def audit(self) -> AsyncIterator[AuditedBlock]:
        """Recompute the chain."""
        from gossamer.storage.chronicle.audit import audited  # a crawl has no use for it

        async for block in on_a_thread(audited(self._directory)):
            yield block

    async def chain_head(self) -> ChainHead | None:
        """Return the last block."""
        return await self._read(self._reader.chain_head)

    async def checkpoint(self, target: Shelving) -> None:
        """Copy the chronicle while nothing is added; files that no longer change are linked."""
        if self._writer is not None:
            await self._writer.finish()
        async with target.path(self._directory) as copy:
            with _in_our_words(copy):
                make_directory(copy)
                for path in files_in(self._directory):
                    if path.name.endswith(PLAIN):
                        shutil.copy2(path, copy / path.name)
                    else:
                        link_or_copy(path, copy / path.name)
                Seal(copy / SEAL).close(files_in(copy), lambda path: True)

    async def aclose(self) -> None:
        """Write the last mark and close; a second time does nothing."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._writer is None:
            return
        if self._marks.is_due:
            with suppress(GossamerError):
                self._append((), self._writer.last_at, {})
        try:
            await self._syncing.aclose()
        finally:
            with _in_our_words(self._directory):
                await self._writer.aclose()


@contextmanager
def _in_our_words(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise failure(error, path) from error
