"""The link graph as a log: what pages link to, block after block, in files that only ever grow.

A page's edges are written whole each time it is read, and the last ones count: a visit that is repeated after a crash, or a
page that is crawled again, replaces what was there. A sorted store would rewrite nine hundred bytes a page several times over
to keep random fingerprints in order; nobody looks up a single page while crawling, and a rank needs all of them, so they are
kept in the order they come and sorted when they are asked for. Reading needs no lock: it works beside a crawl that writes.

A block (`edgeblocks.py`) is what became durable together. A torn block at the end is cut off when the crawl opens; a damaged
one elsewhere is an error, and so is any after a clean end, when a seal has the sizes of all files (`seal.py`). A write that
fails is taken back.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import zstandard

from gossamer import faults
from gossamer.durability import Syncing, make_directory, sync_directory
from gossamer.edges import WIDTH
from gossamer.errors import StoreError
from gossamer.joints.shelving import Shelving
from gossamer.records.location import Location
from gossamer.seal import RESTORE, Seal
from gossamer.storage.archive.segment import failure
from gossamer.storage.edgeblocks import HEAD, block, blocks, columns, has_block
from gossamer.storage.ranks import PageRanks, write_ranks
from gossamer.storage.shelving import link_or_copy

if TYPE_CHECKING:
    from gossamer.storage.edgetable import Edges
    from gossamer.storage.ranking import GrowingRanks

ROLL = 64 * 1024 * 1024  # bytes of a file after which a new one is begun

_SUFFIX = ".edges"
SEAL = "seal"


class EdgeLog:
    """Writes the graph of a crawl (`joints.graph.LinkGraph`)."""

    def __init__(self, directory: Path, number: int, durable: bool) -> None:
        self._directory = directory
        self._number = number
        self._pwrite = faults.writing("graph.write", os.pwrite)
        self._fdatasync = faults.syncing("graph.sync", os.fdatasync)
        self._compress = zstandard.ZstdCompressor(level=1).compress
        self._open_files: list[int] = []  # the one that grows is the last
        self._handing = Lock()  # between the loop and the thread that syncs
        self._is_new = False  # the last file's name is not on the disk yet
        self._size = 0
        self._syncing = Syncing(self._sync, durable)

    @classmethod
    async def open(cls, location: Location, durable: bool, writing: bool) -> "EdgeLog":
        """Open the graph of a crawl, or make it; whoever only reads repairs nothing, so that somebody else may write."""
        return cls.open_at(location.on_disk, durable) if writing else cls(location.on_disk, 0, durable)

    @classmethod
    def open_at(cls, directory: Path, durable: bool = True) -> "EdgeLog":
        """Open or create the graph in a directory; the caller is the only one who writes it."""
        with _in_our_words(directory):
            make_directory(directory)
            files, seal = _files(directory), Seal(directory / SEAL)
            seal.check()
            if seal.exists and not files:
                raise StoreError(f"{directory} has no {_SUFFIX} file any more; {RESTORE}")
            for path in files[-2:]:  # what was not synced when the power went is in these
                _repair(path, seal.is_closed)
            log = cls(directory, int(files[-1].stem) if files else 1, durable)
            log._begin()
            seal.mark_open()
        return log

    async def put(self, pages: Sequence[tuple[int, bytes]], hosts: Sequence[int] = ()) -> None:
        """Replace the edges of pages, given by their fingerprints; returned means that a kill -9 keeps them."""
        if not pages:
            return
        payload = self._compress(columns(pages, hosts))
        edges = sum(len(packed) for _, packed in pages) // WIDTH
        with _in_our_words(self._directory):
            if self._size >= ROLL:
                self._number += 1
                self._begin()
            self._append(block(payload, len(pages), edges))
        await self._syncing.acknowledge()

    async def pages(self) -> AsyncIterator[tuple[int, bytes]]:
        """Walk over every page with its latest edges, as far as they were written when the walk began."""
        for page in (await asyncio.to_thread(self.read_at, self._directory)).each():
            yield page

    async def links_from(self, page: int, seconds: float) -> bytes | None:
        """Look for the latest edges of a page, the newest file first, on a thread."""
        return await asyncio.to_thread(self._looked_through, "links_from", page, seconds)

    async def links_to(self, page: int, seconds: float) -> list[tuple[int, int]]:
        """Look through all edges for those to a page, on a thread."""
        return await asyncio.to_thread(self._looked_through, "links_to", page, seconds)

    def _looked_through(self, how: str, page: int, seconds: float) -> Any:
        from gossamer.storage import edgesearch

        with _in_our_words(self._directory):
            return getattr(edgesearch, how)(_files(self._directory), page, seconds)

    async def compact(self) -> None:
        """Write the graph anew without the edges that were replaced; nobody may be writing."""
        await asyncio.to_thread(self.compact_at, self._directory)

    async def ranks(self) -> PageRanks:
        """Return the ranks as they were last kept."""
        return await asyncio.to_thread(PageRanks.read_at, self._directory)

    async def keep_ranks(self, pages: Sequence[int], ranks: Sequence[float]) -> None:
        """Replace the ranks."""
        await asyncio.to_thread(write_ranks, self._directory, pages, ranks)

    def ranking(self, most_bytes: int) -> "GrowingRanks":
        """Return what ranks the graph while it grows, in so many bytes of memory."""
        from gossamer.storage.ranking import GrowingRanks

        return GrowingRanks(self._directory, most_bytes)

    async def checkpoint(self, target: Shelving) -> None:
        """Copy the graph while nothing is put; files that no longer change are linked."""
        async with target.path(self._directory) as copy:
            with _in_our_words(copy):
                make_directory(copy)
                for path in sorted(each for each in self._directory.iterdir() if each.suffix != ".new"):
                    if path == self._path:
                        shutil.copy2(path, copy / path.name)
                    else:
                        link_or_copy(path, copy / path.name)
                _seal(copy)

    async def aclose(self) -> None:
        """Sync what is still due and close; a second time does nothing."""
        try:
            await self._syncing.aclose()
        finally:
            with self._handing:
                was_open = bool(self._open_files)
                for descriptor in self._open_files:
                    os.close(descriptor)
                self._open_files.clear()
        if was_open:
            with _in_our_words(self._directory):
                _seal(self._directory)

    @staticmethod
    def read_at(directory: Path) -> "Edges":
        """Read a whole graph, also while a crawl writes it: then all that was written before the call."""
        from gossamer.storage.edgetable import read_all

        with _in_our_words(directory):
            return read_all(_files(directory), Seal(directory / SEAL).is_closed)

    @staticmethod
    def compact_at(directory: Path) -> None:
        """Write a graph anew without the edges that were replaced; nobody may write it meanwhile.

        The new file takes the name of the last one, and then the others go: a crash between leaves older edges of the same
        pages before the latest, which change nothing.
        """
        from gossamer.storage.edgetable import blocks_of

        paths = _files(directory)
        if not paths:
            return
        draft = paths[-1].with_suffix(".new")
        with _in_our_words(directory):
            graph = EdgeLog.read_at(directory)
            Seal(directory / SEAL).mark_open()
            with draft.open("wb") as file:
                for block in blocks_of(graph):
                    file.write(block)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(paths[-1])
            sync_directory(directory)
            for path in paths[:-1]:
                path.unlink()
            _seal(directory)

    @property
    def _path(self) -> Path:
        return self._directory / f"{self._number:08}{_SUFFIX}"

    def _begin(self) -> None:
        """Open the file that grows."""
        descriptor = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
        self._size = os.fstat(descriptor).st_size
        with self._handing:
            self._open_files.append(descriptor)
            self._is_new = True

    def _append(self, block: bytes) -> None:
        descriptor = self._open_files[-1]
        try:
            written = self._pwrite(descriptor, block, self._size)
            while written < len(block):  # a full disk takes a part, then refuses the rest
                written += self._pwrite(descriptor, block[written:], self._size + written)
        except OSError:
            os.ftruncate(descriptor, self._size)
            raise
        self._size += len(block)

    def _sync(self) -> None:
        """Sync every open file and let go of those that no longer grow; runs on a thread."""
        with self._handing:
            descriptors, is_new, self._is_new = list(self._open_files), self._is_new, False
        try:
            for descriptor in descriptors:
                self._fdatasync(descriptor)
            if is_new:
                sync_directory(self._directory)
        except OSError as error:
            raise StoreError(
                f"the graph in {self._directory} cannot be synced to disk ({error.strerror}); look at the disk"
            ) from error
        with self._handing:
            for descriptor in descriptors[:-1]:
                self._open_files.remove(descriptor)
                os.close(descriptor)


def _files(directory: Path) -> list[Path]:
    return sorted(directory.glob(f"*{_SUFFIX}"))


def _seal(directory: Path) -> None:
    """Seal files that nobody writes."""
    Seal(directory / SEAL).close(_files(directory), lambda path: True)


def _repair(path: Path, is_whole: bool) -> None:
    """Cut a torn block off the end of a file; refuse one that was not torn but damaged."""
    end = sum(HEAD + len(payload) for _, payload, *_ in blocks(path))
    if path.stat().st_size > end:
        if is_whole or has_block(path, end + 1):
            raise StoreError(f"{path} is damaged at byte {end:,}; {RESTORE}")
        os.truncate(path, end)


@contextmanager
def _in_our_words(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise failure(error, path) from error
    except zstandard.ZstdError as error:
        raise StoreError(f"the graph in {path} is damaged: {error}; {RESTORE}") from error
