"""One rolling WARC file: `.open` in its name while it grows, renamed when it is closed.

Every write goes straight to the operating system, so a kill -9 keeps what `append` returned. An append that fails half-way
is taken back: the file always ends with a whole record, or with a torn one that `repair` cuts off when the crawl opens again.
The open file is locked while its process lives, so nobody repairs a file that is still written.
"""

import errno
import fcntl
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from gossamer.errors import CrawlReadOnly, DiskFull, GossamerError, StoreError
from gossamer.storage.archive.walk import Record, Torn, walk

OPEN = ".open"


class Segment:
    """A file that grows by whole records."""

    def __init__(self, path: Path, opened_at: float) -> None:
        """Create the file; `path` is its final name. It must not exist under either name."""
        self.path = path
        self.opened_at = opened_at
        self.size = 0
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
                written = os.pwrite(self._file, piece, position)
                while written < len(piece):  # a full disk takes a part, then refuses the rest
                    written += os.pwrite(self._file, piece[written:], position + written)
                position += written
        except OSError as error:
            self._cut(start)
            raise failure(error, self.path) from error
        self.size = position
        return start

    def _cut(self, end: int) -> None:
        try:
            os.ftruncate(self._file, end)
        except OSError as error:
            raise failure(error, self.path) from error

    def close(self) -> None:
        """Give the file its final name and let it go."""
        try:
            os.rename(open_path(self.path), self.path)
        except OSError as error:
            raise failure(error, self.path) from error
        finally:
            os.close(self._file)

    def discard(self) -> None:
        """Remove the file: nothing worth keeping was written."""
        os.unlink(open_path(self.path))
        os.close(self._file)


def open_path(path: Path) -> Path:
    """Return the name a file has while it is written."""
    return path.with_name(path.name + OPEN)


def repair(path: Path, seen: Callable[[Record], None]) -> bool:
    """Cut a left-over open file after its last whole record and close it; False: it is still written by someone.

    `seen` is called with every whole record. A file without anything but its warcinfo is removed.
    """
    with path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        end, kept = 0, 0
        try:
            for record in walk(path):
                seen(record)
                kept += record.kind != "warcinfo"
                end = record.offset + record.length
                record.content.close()
        except Torn:
            file.truncate(end)
        if kept:
            os.rename(path, path.with_name(path.name.removesuffix(OPEN)))
        else:
            path.unlink()
    return True


def failure(error: OSError, path: Path) -> GossamerError:
    """Return what we say when the operating system refuses to write a file."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return DiskFull(f"no space is left for {path.name}; free some and resume")
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return CrawlReadOnly(f"{path.parent} cannot be written; check its permissions")
    return StoreError(f"{path.name} cannot be written ({error.strerror})")
