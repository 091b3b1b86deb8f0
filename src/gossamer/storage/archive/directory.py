"""The archive in a directory: rolling WARC files `gossamer-<time>-<sequence>-<worker>.warc.gz`, each with its CDXJ index.

A file is closed when it is long or old enough, and when the archive is closed. `repair` mends what a crash left behind: torn
tails are cut, missing indexes are made. A name in a `Place` is the final one, also while the file is open.

`flush` syncs every file with new records, and the directory when there is a new file in it (`durability.py` says when). Syncs
and indexes are made on threads; only the loop's thread creates and renames WARC files, so a checkpoint sees whole states. A
very long record is written on a thread, too, and while it is, others wait: a file grows by whole records, one at a time.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TypeVar

from gossamer import faults
from gossamer.config.sections import Storage
from gossamer.document.body import Body
from gossamer.durability import Syncing, make_directory, sync_directory
from gossamer.errors import GossamerError, StoreError
from gossamer.joints.shelving import Shelving
from gossamer.joints.walks import on_a_thread
from gossamer.records.export import PackedRecord
from gossamer.records.fetch import Fetched
from gossamer.records.location import Location
from gossamer.records.page import Original, Place
from gossamer.records.upkeep import Reference, Rewritten
from gossamer.storage.archive import cdxj, member, pair, replay, upkeep, warc
from gossamer.storage.archive.lines import SortedLines
from gossamer.storage.archive.prune import Pruner
from gossamer.storage.archive.segment import OPEN, Segment, failure, open_path

_Read = TypeVar("_Read")

AT_ONCE = 4 * 1024 * 1024  # bytes; to write a longer record may take longer than the loop should wait
LONG = 128 * 1024  # bytes; to digest and compress a longer body takes a millisecond or more, on a thread

_FORMAT = {
    "format": "WARC File Format 1.1",
    "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
}
_NAME = re.compile(r"gossamer-\d{14}-(\d{6})-[\w.]+\.warc\.gz")

_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_.]+")


class DirectoryArchive:
    """Writes request and response of each visit, reads them back by place."""

    def __init__(
        self,
        directory: Path,
        settings: Storage,
        about: Mapping[str, str],
        now: Callable[[], float],
        worker: str,
    ) -> None:
        self._directory = directory
        self._settings = settings
        self._fields = {**about, **_FORMAT}
        self._now = now
        self._worker = _NOT_IN_NAME.sub("_", worker) or "_"
        self._sequence: int | None = None  # of the last file; None: nothing was written yet
        self._pruner = Pruner(directory)
        self._ids = pair.Ids()
        self._level = settings.compression
        self._segment: Segment | None = None
        self._lines = SortedLines(directory)  # of the index of the open file
        self._unsynced: dict[Segment, None] = {}  # in order of creation; the open file, and closing ones
        self._names = 0  # files created
        self._names_synced = 0
        self._appended = 0  # records
        self._flushed = 0
        self._syncing = Syncing(self._sync, settings.durability == "durable")
        self._closing: set[asyncio.Task[None]] = set()
        self._growing = asyncio.Lock()  # who holds it appends

    @classmethod
    async def open(
        cls, location: Location, settings: Storage, about: Mapping[str, str], now: Callable[[], float], worker: str
    ) -> "DirectoryArchive":
        """Open the archive of a crawl; `about` goes into every warcinfo."""
        return cls(location.on_disk, settings, about, now, worker)

    async def append(self, fetched: Fetched, digest: str, original: Original | None) -> Place:
        """Write an answer (a revisit when there is an `original`) and its request; return the place of the former."""
        if original is None and fetched.body.size > LONG:
            return await self._append_long(fetched, digest)
        async with self._growing:
            segment = self._current()
            file, offset = segment.name, segment.size
            packed, length, line = pair.pack(fetched, digest, original, self._ids, file, offset, self._level)
            segment.append((packed,))
            self._note(line)
        return Place(file, offset, length)

    async def _append_long(self, fetched: Fetched, digest: str) -> Place:
        number = self._ids.draw()
        kept = await asyncio.to_thread(self._pack_long, fetched, digest, self._ids.of(number))
        growth = self._grow(fetched, digest, kept, pair.pack_request(fetched, self._ids, number, self._level))
        return await (growth if kept.size <= AT_ONCE else asyncio.shield(growth))  # a thread cannot be called back

    async def _grow(self, fetched: Fetched, digest: str, kept: Body, request: bytes) -> Place:
        """Write a packed record and its request."""
        try:
            async with self._growing:
                segment = self._current()
                pieces = chain(kept.pieces(), (request,))
                is_quick = kept.size <= AT_ONCE
                offset = segment.append(pieces) if is_quick else await asyncio.to_thread(segment.append, pieces)
                place = Place(segment.name, offset, kept.size)
                self._note(cdxj.line(fetched, digest, place, False))
                return place
        finally:
            kept.close()

    def _note(self, line: bytes) -> None:
        """Take it that a record was appended."""
        self._appended += 1
        faults.reach("after-append")
        self._lines.append(line)

    async def flush(self) -> None:
        """Every append has reached the operating system already; return when a power loss keeps them, too, if asked to."""
        self._lines.tell()
        if self._flushed != self._appended:
            await self._syncing.acknowledge()
        faults.reach("after-sync")

    def _sync(self) -> None:
        """Sync what was appended; runs on a thread."""
        appended, names = self._appended, self._names
        for segment in tuple(self._unsynced):
            segment.sync()
        if names != self._names_synced:
            try:
                sync_directory(self._directory)
            except OSError as error:
                raise failure(error, self._directory) from error
        self._flushed, self._names_synced = appended, names

    async def read(self, place: Place) -> Fetched:
        """Read a record back; a revisit says so by its outcome, and names its original in `detail`."""
        return await asyncio.to_thread(_read_file, self._directory, place, replay.read)

    async def packed(self, place: Place) -> PackedRecord:
        """Return a record and its request as they are on disk."""
        return await asyncio.to_thread(_read_file, self._directory, place, replay.read_packed)

    # --- upkeep ------------------------------------------------------------------------------------------------------

    async def repair(self, worker: str = "") -> None:
        """Repair what workers that are gone, or about to be, left behind: all of them, or one of that name."""
        which = f"*-{_NOT_IN_NAME.sub('_', worker)}" if worker else "*"
        await asyncio.to_thread(upkeep.repair, self._directory, which)

    async def merge(self) -> None:
        """Merge the indexes of all files, open ones too, into `index.cdxj`, for tools that want one."""
        await asyncio.to_thread(upkeep.merge, self._directory)

    def problems(self) -> AsyncIterator[tuple[str, str]]:
        """Check every file: its name with each problem, or once with an empty text when it is sound.

        A file that was left open may have a torn tail, which is cut when the crawl is opened again.
        """
        return on_a_thread(upkeep.problems(self._directory))

    def captures(self) -> AsyncIterator[tuple[Fetched, str]]:
        """Walk over all that is kept, as it was fetched, with its WARC-Payload-Digest; closes each body.

        A damaged file is walked over up to where it is damaged.
        """
        return on_a_thread(upkeep.captures(self._directory))

    async def checkpoint(self, target: Shelving) -> None:
        """Copy the archive: closed files never change and are linked, an open one is copied as it is.

        Workers may go on writing. A file that gets its final name meanwhile is found under that in the next look.
        """
        async with target.path(self._directory) as copy:
            upkeep.checkpoint(self._directory, copy)

    # --- taking records out (`storage/archive/prune.py`) ---------------------------------------------------------------

    async def files(self) -> AsyncIterator[tuple[str, int]]:
        """Walk over the closed files: name and size."""
        for file in self._pruner.files():
            yield file

    async def identity(self, place: Place) -> tuple[str, str]:
        """Return URL and date of the capture at a place."""
        return self._pruner.identity(place)

    def references(self, file: str, wanted: Collection[tuple[str, str]]) -> AsyncIterator[Reference]:
        """Walk over the revisits in a file that refer to one of these captures."""
        return on_a_thread(self._pruner.references(file, wanted))

    async def weigh(self, file: str, without: Collection[int]) -> Rewritten:
        """Say what `rewrite` would come to."""
        return await asyncio.to_thread(self._pruner.weigh, file, without)

    async def rewrite(self, file: str, without: Collection[int], now: float) -> Rewritten:
        """Write a file anew without the records at these offsets and their requests."""
        return await asyncio.to_thread(self._pruner.rewrite, file, without, now)

    async def drop(self, file: str) -> None:
        """Remove a file and its index."""
        self._pruner.drop(file)

    async def finish(self, uses: Callable[[str], Awaitable[bool]]) -> None:
        """Clear away what an interrupted prune left."""
        await self._pruner.finish(uses)

    async def aclose(self) -> None:
        """Close the open file and write its index."""
        async with self._growing:
            self._retire()
        try:
            await asyncio.gather(*self._closing)
        finally:
            await self._syncing.aclose()

    def _pack(self, draft: warc.Draft) -> Iterable[bytes]:
        return warc.pack(draft, self._level)

    def _pack_long(self, fetched: Fetched, digest: str, record_id: str) -> Body:
        packed = Body(member.LARGE)
        try:
            for piece in self._pack(warc.kept(fetched, digest, None, record_id)):
                packed.write(piece)
        except OSError as error:
            raise failure(error, Path("a temporary file")) from error
        return packed

    def _current(self) -> Segment:
        now = self._now()
        if self._segment is not None and self._is_full(self._segment, now):
            self._retire()
        if self._segment is None:
            self._segment = self._start(now)
        return self._segment

    def _is_full(self, segment: Segment, now: float) -> bool:
        age = now - segment.opened_at
        return segment.size >= self._settings.segment_bytes or age >= self._settings.segment_seconds

    def _start(self, now: float) -> Segment:
        if self._sequence is None:
            self._sequence = _last_sequence(self._directory)
        name = f"gossamer-{warc.timestamp(now)}-{self._sequence + 1:06}-{self._worker}.warc.gz"
        segment = Segment(self._directory / name, now)
        self._sequence += 1
        self._names += 1
        try:
            segment.append(self._pack(warc.warcinfo(self._ids.of(self._ids.draw()), now, name, self._fields)))
        except GossamerError:
            segment.discard()
            raise
        self._unsynced[segment] = None
        self._lines = SortedLines(self._directory, cdxj.journal_path(segment.path))
        return segment

    def _retire(self) -> None:
        """Begin with a new file next time; the old one is closed and indexed beside the crawl."""
        segment, lines = self._segment, self._lines
        if segment is None:
            return
        lines.tell()
        self._segment, self._lines = None, SortedLines(self._directory)
        task = asyncio.get_running_loop().create_task(self._close(segment, lines))
        self._closing.add(task)
        task.add_done_callback(self._forget)

    async def _close(self, segment: Segment, lines: SortedLines) -> None:
        await asyncio.to_thread(segment.sync)
        faults.reach("during-roll")
        segment.close()
        del self._unsynced[segment]
        faults.reach("during-roll")
        await asyncio.to_thread(_write_index, segment.path, lines)

    def _forget(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and task.exception() is None:  # one that failed stays, for aclose to tell
            self._closing.discard(task)


def _last_sequence(directory: Path) -> int:
    """Return the number of the newest file; makes the directory if there is none."""
    try:
        make_directory(directory)
    except OSError as error:
        raise failure(error, directory) from error
    names = (_NAME.fullmatch(file.name.removesuffix(OPEN)) for file in directory.iterdir())
    return max((int(name[1]) for name in names if name), default=0)


def _read_file(directory: Path, place: Place, read: Callable[[Path, Place], _Read]) -> _Read:
    """Read a record from its file, which a crawl may be writing."""
    if not _NAME.fullmatch(place.file):
        raise StoreError(f"{place.file!r} is no file of this archive")
    closed = directory / place.file
    for file in (closed, open_path(closed), closed):  # it may get its final name between two looks
        try:
            return read(file, place)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StoreError(f"{place.file} cannot be read ({error.strerror})") from error
    raise StoreError(f"{place.file} is missing; is the archive complete?")


def _write_index(path: Path, lines: SortedLines) -> None:
    try:
        cdxj.write(path, lines)
    except OSError as error:
        raise failure(error, cdxj.index_path(path)) from error
    lines.forget()
