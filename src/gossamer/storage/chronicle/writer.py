"""Write the blocks of a chronicle: each one write behind the last, in the segment that grows.

A full segment is compressed on a thread. A write that fails is taken back. The seal of a chronicle is broken by the first
block, not by opening: most commands only look.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

from gossamer import faults
from gossamer.durability import make_directory, sync_directory
from gossamer.errors import StoreError
from gossamer.records.line import ChronicleLine
from gossamer.seal import Seal
from gossamer.storage.chronicle.block import BlockHead, encoded, sealed
from gossamer.storage.chronicle.marks import Watermark
from gossamer.storage.chronicle.recovery import Tail
from gossamer.storage.chronicle.retention import remove_old
from gossamer.storage.chronicle.segment import compress, files_in, plain_path

ROLL = 4 * 1024 * 1024  # bytes of a segment after which a new one is begun
SEAL = "seal"


class BlockWriter:
    """Appends blocks."""

    def __init__(self, directory: Path, tail: Tail, keep: float | None = None) -> None:
        self._directory = directory
        self._keep = keep
        self._pwrite = faults.writing("chronicle.write", os.pwrite)
        self._fdatasync = faults.syncing("chronicle.sync", os.fdatasync)
        self._files: list[int] = []  # descriptors; the one that grows is the last
        self._handing = Lock()  # between the loop and the thread that syncs
        self._is_new = False  # the last file's name is not on the disk yet
        self._tail = tail
        self._compressing: list[asyncio.Task[None]] = []
        self.last_at = tail.at

    def append(self, lines: Sequence[ChronicleLine], now: float, mark: Watermark, refused: Mapping[str, int]) -> int:
        """Write a block and return its number."""
        body = encoded(lines) if lines else b""
        tail = self._tail
        if not self._files or tail.size >= ROLL:
            self._begin(now, mark.block)
        is_first = not tail.size
        head = BlockHead(
            block=tail.number + 1,
            at=now,
            lines=len(lines),
            bytes=len(body),
            mark=mark.block,
            told=mark.told,
            struck=mark.struck,
            refused=dict(refused),
            node=tail.node if is_first else "",
            previous=tail.hash.hex() if is_first else "",
        )
        block, digest = sealed(head, body, tail.hash)
        self._write(block, tail.size)
        tail.number, tail.hash, tail.size, self.last_at = head.block, digest, tail.size + len(block), now
        return head.block

    def _begin(self, now: float, mark: int) -> None:
        """Open the segment that grows: the last one, or a new one when that is full; remove what nobody needs any more."""
        tail = self._tail
        if not self._files:
            make_directory(self._directory)
            Seal(self._directory / SEAL).mark_open()
        if not tail.first or tail.size >= ROLL:
            if self._files:
                self._fdatasync(self._files[-1])  # nothing of the next segment is there without all of this one
            if tail.first:
                self._compressing.append(asyncio.get_running_loop().create_task(self._compress(tail.first)))
            tail.first, tail.size = tail.number + 1, 0
        descriptor = os.open(plain_path(self._directory, tail.first), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o644)
        with self._handing:
            self._files.append(descriptor)
            self._is_new = True
        if self._keep is not None:
            remove_old(self._directory, self._keep, now, mark)

    def _write(self, block: bytes, position: int) -> None:
        descriptor = self._files[-1]
        try:
            written = self._pwrite(descriptor, block, position)
            while written < len(block):  # a full disk takes a part, then refuses the rest
                written += self._pwrite(descriptor, block[written:], position + written)
        except OSError:
            os.ftruncate(descriptor, position)
            raise

    async def _compress(self, first: int) -> None:
        """Compress a segment that is full; one that cannot be stays as it is."""
        try:
            await asyncio.to_thread(compress, self._directory, first)
        except OSError:
            pass  # no room: the next opening tries again

    def sync(self) -> None:
        """Sync every open file and let go of those that no longer grow; runs on a thread."""
        with self._handing:
            descriptors, is_new, self._is_new = list(self._files), self._is_new, False
        try:
            for descriptor in descriptors:
                self._fdatasync(descriptor)
            if is_new:
                sync_directory(self._directory)
        except OSError as error:
            told = f"the chronicle in {self._directory} cannot be synced to disk ({error.strerror}); look at the disk"
            raise StoreError(told) from error
        with self._handing:
            for descriptor in descriptors[:-1]:
                self._files.remove(descriptor)
                os.close(descriptor)

    async def finish(self) -> None:
        """Wait for what is being compressed."""
        await asyncio.gather(*self._compressing)
        self._compressing.clear()

    async def aclose(self) -> None:
        """Close and seal; a second time does nothing."""
        await self.finish()
        with self._handing:
            files, self._files = self._files, []
            for descriptor in files:
                os.close(descriptor)
        if files:
            Seal(self._directory / SEAL).close(files_in(self._directory), lambda path: True)
