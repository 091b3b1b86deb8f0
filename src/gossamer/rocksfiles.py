"""The files of a RocksDB store, and their seal: a store that lost or changed some of them is refused before RocksDB opens it.

RocksDB checks blocks and log records, but it takes the cut end of a file for its end: with a shorter MANIFEST it opens an older
state, or an empty one, and deletes the tables that this state does not know. Without CURRENT it makes a new store.
Tables have checksums of their own, which are looked at when they are read; everything else is sealed byte for byte.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gossamer.errors import StoreError
from gossamer.seal import RESTORE, Seal

SEAL = "seal"
_PASSING = ("LOCK", "LOG", SEAL)  # nothing in them is missed
_DRAFTS = (".new", ".dbtmp")


class RocksFiles:
    """The files of one store; made before it is opened, told when it is opened and closed."""

    def __init__(self, path: Path) -> None:
        """Refuse files that are damaged, as far as their seal tells."""
        self._path = path
        self._seal = Seal(path / SEAL)
        self._seal.check()
        self.is_new = not self._seal.exists
        if (self._seal.exists or any(_files(path))) and not (path / "CURRENT").is_file():
            raise StoreError(f"{path / 'CURRENT'} is missing, without which the store is empty; {RESTORE}")

    def begin(self) -> None:
        """Take a closing seal away: RocksDB is about to change files."""
        if self._seal.is_closed:
            self._seal.remove()

    def opened(self) -> None:
        """Say that the store is open, and how its list of files begins."""
        current = (self._path / "CURRENT").read_text("ascii").strip()
        self._seal.mark_open([self._path / current])

    def closed(self) -> None:
        """Seal the files, unless somebody of this process still has the store open: an iterator is enough for that."""
        if not self._is_open():
            seal_files(self._path, self._seal)

    def _is_open(self) -> bool:
        held = str((self._path / "LOCK").resolve())
        try:
            descriptors = os.listdir("/proc/self/fd")
        except OSError:
            return True  # nobody knows
        for descriptor in descriptors:
            with suppress(OSError):  # it was closed since
                if os.readlink(f"/proc/self/fd/{descriptor}") == held:
                    return True
        return False


def seal_files(path: Path, seal: Seal | None = None) -> None:
    """Seal the files of a store that nobody has open."""
    (seal or Seal(path / SEAL)).close(_files(path), lambda file: file.suffix == ".sst")


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        for file in path.iterdir():
            if not file.name.startswith(_PASSING) and file.suffix not in _DRAFTS:
                yield file
