"""One rolling WARC file: `.open` in its name while it grows, renamed when it is closed.

Every write goes straight to the operating system, so a kill -9 keeps what `append` returned; what `sync` returned for, a power
loss keeps, too. An append that fails half-way is taken back: the file always ends with a whole record, or with a torn one that
`repair` cuts off when the crawl opens again. A file gets its final name only when all of it is on the disk. The open file is
locked while its process lives, so nobody repairs a file that is still written.
"""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from gossamer import faults
from gossamer.errors import CrawlReadOnly, DiskFull, GossamerError, StoreError
from gossamer.storage.archive.walk import Record, Torn, walk

OPEN = ".open"
_LOOK = 0.01  # seconds between two looks at a lock


class Segment:
    """A file that grows by whole records."""

    def __init__(self, path: Path, opened_at: float) -> None:
        """Create the file; `path` is its final name. It must not exist under either name."""
        self.path = path
        self.name = path.name
        self.opened_at = opened_at
        self.size = 0
        self._synced = 0
        self._unsyncable: OSError | None = None
        self._syncing = Lock()  # the file is not let go of while a sync is under way
        self._pwrite = faults.writing("archive.write", os.pwrite)
        self._fdatasync = faults.syncing("archive.sync", os.fdatasync)
        try:
            self._file = os.open(open_path(path), os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise failure(error, path) from error
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def append(self, pieces: Iterable[bytes]) -> int:
        """Write the pieces at the end, all or nothing; return the offset of the first byte."""
        start = self.size
        position = start
        try:
            for piece in pieces:
                written = self._pwrite(self._file, piece, position)
                while written < len(piece):  # a full disk takes a part, then refuses the rest
                    written += self._pwrite(self._file, piece[written:], position + written)
                position += written
        except OSError as error:
            self._cut(start)
            raise failure(error, self.path) from error
        self.size = position
        return start

    def sync(self) -> None:
        """Return when a power loss keeps every record appended before the call; for a thread, it waits for the disk."""
        with self._syncing:
            size = self.size
            if size == self._synced:
                return
            if self._unsyncable is None:
                try:
                    self._fdatasync(self._file)
                except OSError as error:
                    self._unsyncable = error  # to try again would prove nothing: see durability.py
            if self._unsyncable is not None:
                why = self._unsyncable.strerror
                raise StoreError(f"{self.path.name} cannot be synced to disk ({why}); look at the disk, then resume")
            self._synced = size

    def _cut(self, end: int) -> None:
        try:
            os.ftruncate(self._file, end)
        except OSError as error:
            raise failure(error, self.path) from error

    def close(self) -> None:
        """Give a file that is synced its final name and let it go."""
        try:
            os.rename(open_path(self.path), self.path)
        except OSError as error:
            raise failure(error, self.path) from error
        finally:
            with self._syncing:
                os.close(self._file)

    def discard(self) -> None:
        """Remove the file: nothing worth keeping was written."""
        os.unlink(open_path(self.path))
        os.close(self._file)


def open_path(path: Path) -> Path:
    """Return the name a file has while it is written."""
    return path.with_name(path.name + OPEN)


def repair(path: Path, seen: Callable[[Record], None], patience: float = 0.0) -> bool:
    """Cut a left-over open file after its last whole record and close it; False: it is still written by someone.

    Whoever writes it is given so many seconds to end.
    `seen` is called with every whole record. A file without anything but its warcinfo is removed.
    """
    with path.open("r+b") as file:
        until = time.monotonic() + patience
        while not _is_locked(file):
            if time.monotonic() >= until:
                return False
            time.sleep(_LOOK)
        end, kept = 0, 0
        try:
            for record in walk(path):
                seen(record)
                kept += record.kind != "warcinfo"
                end = record.offset + record.length
                record.content.close()
        except Torn:
            file.truncate(end)
        os.fsync(file)
        faults.reach("during-recovery")
        if kept:
            os.rename(path, path.with_name(path.name.removesuffix(OPEN)))
        else:
            path.unlink()
    return True


def _is_locked(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def failure(error: OSError, path: Path) -> GossamerError:
    """Return what we say when the operating system refuses to write a file."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return DiskFull(f"no space is left for {path.name}; free some and resume")
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return CrawlReadOnly(f"{path.parent} cannot be written; check its permissions")
    return StoreError(f"{path.name} cannot be written ({error.strerror})")
