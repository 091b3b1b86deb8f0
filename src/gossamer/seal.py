"""Seals: the names, sizes and checksums of a store's files, written when the store is closed and compared when it is opened.

A store is *sealed* after a clean end: not one byte of it may have changed since. While it is open, and after a crash, its seal
says that there is a store, and how the files began that only ever grow; a store that is gone is then no new one. What a seal
cannot tell after a crash is left to the checksums inside the files. Files that carry checksums of their own are sealed by their
size alone, so that closing and opening never read all of a large store.

A seal is whole or not there, and carries a checksum itself: the first line has the checksum and the size of what follows.
Whoever changed a file on purpose removes the seal.
"""

import logging
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from xxhash import xxh3_64, xxh3_64_hexdigest

from gossamer.durability import sync_directory
from gossamer.errors import StoreError

RESTORE = "restore it from a checkpoint"
_AT_ONCE = 1 << 20
_log = logging.getLogger(__name__)


class Part(Struct, frozen=True, array_like=True):
    """A file as it was: its size, and the checksum of that many bytes; an empty one: the file has checksums of its own."""

    size: int
    checksum: str = ""


class Content(Struct, frozen=True):
    """The content of a seal."""

    sealed: bool  # False: the store was open; its files have at least these parts
    files: dict[str, Part]


class Seal:
    """The seal of the files in a directory, or of one file beside it."""

    def __init__(self, path: Path, remedy: str = RESTORE) -> None:
        self.path = path
        self._remedy = remedy
        self._content = self._read()

    @property
    def exists(self) -> bool:
        """Tell whether there is, or was, a store."""
        return self._content is not None

    @property
    def is_closed(self) -> bool:
        """Tell whether the store was closed cleanly, and nobody has opened it since."""
        return self._content is not None and self._content.sealed

    def is_as(self, other: "Seal") -> bool:
        """Tell whether two readings of a seal say the same."""
        return self._content == other._content

    def check(self, most: int | None = None) -> None:
        """Refuse files that are not as the seal says; of those larger than `most` bytes only the size is looked at."""
        for name, problem in self.problems(most):
            raise StoreError(f"{self.path.parent / name} {problem}; {self._remedy}")

    def problems(self, most: int | None = None) -> Iterable[tuple[str, str]]:
        """Give the name of each file that is not as the seal says, and what is wrong with it."""
        content = self._content or Content(False, {})
        for name, part in content.files.items():
            path = self.path.parent / name
            try:
                size = path.stat().st_size
                if size < part.size or (content.sealed and size > part.size):
                    yield name, f"is damaged: it has {size:,} bytes, not {part.size:,}"
                elif part.checksum and (most is None or part.size <= most) and checksum_of(path, part.size) != part.checksum:
                    yield name, "is damaged: its checksum is wrong"
            except FileNotFoundError:
                if content.sealed:
                    yield name, "is missing"
            except OSError as error:
                yield name, f"cannot be read: {error.strerror}"

    def mark_open(self, growing: Iterable[Path] = (), *, synced: bool = True) -> None:
        """Say that the store is open; `growing`: files that will keep their first bytes, as many as they have now."""
        self._write(Content(False, {path.name: part_of(path) for path in growing}), synced)

    def close(self, files: Iterable[Path], checks_itself: Callable[[Path], bool] = lambda path: False) -> None:
        """Seal the store: it has these files, of which some check themselves, and nobody changes them any more.

        On a full disk it stays unsealed, as after a kill: nothing is lost by that.
        """
        with suppress(OSError):
            parts = {path.name: part_of(path, checks_itself(path)) for path in sorted(files)}
            self._write(Content(True, parts))

    def remove(self) -> None:
        """Take the seal away before the store is changed; what makes it again is `mark_open` or `close`."""
        if self._content is not None:
            with suppress(FileNotFoundError):
                self.path.unlink()
            sync_directory(self.path.parent)
            self._content = None

    def _read(self) -> Content | None:
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{self.path} cannot be read: {error.strerror}; check its permissions") from error
        head, _, body = raw.partition(b"\n")
        if head != _head(body):
            raise StoreError(f"{self.path} is damaged; check the files beside it, then remove it to go on with them")
        return msgspec.json.decode(body, type=Content)

    def _write(self, content: Content, synced: bool = True) -> None:
        body = msgspec.json.encode(content) + b"\n"
        write_whole(self.path, _head(body) + b"\n" + body, synced=synced)
        self._content = content


def part_of(path: Path, checks_itself: bool = False) -> Part:
    """Return a file as it is."""
    size = path.stat().st_size
    return Part(size, "" if checks_itself else checksum_of(path, size))


def checksum_of(path: Path, size: int) -> str:
    """Return the checksum of the first bytes of a file."""
    hasher = xxh3_64()
    with path.open("rb", buffering=0) as file:
        while size > 0 and (some := file.read(min(size, _AT_ONCE))):
            hasher.update(some)
            size -= len(some)
    return hasher.hexdigest()


def write_whole(path: Path, content: bytes, *, synced: bool = True, mode: int = 0o666) -> None:
    """Write a file so that it is whole or not there; `synced`: also after a power loss, and then it is there.

    `mode`: who may read and write it, less what the process's umask takes away.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with open(draft, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            if synced:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
        if synced:
            sync_directory(path.parent)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def tell_rebuilt(path: Path, problem: str, source: str) -> None:
    """Say in one line that a damaged file is made again from what it was made from."""
    _log.warning("%s %s; it is made again from %s", path, problem, source)


def _head(body: bytes) -> bytes:
    return f"{xxh3_64_hexdigest(body)} {len(body)}".encode()
