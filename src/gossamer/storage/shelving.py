"""A shelf in a directory: the checkpoint of a store is a file or a directory below it."""

import os
import shutil
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from gossamer.durability import make_directory
from gossamer.storage.archive.segment import failure


class DirectoryShelving:
    """Keeps the copy of a store at a path (`joints.shelving.Shelving`)."""

    def __init__(self, place: Path) -> None:
        self._place = place

    async def put(self, name: str, chunks: Iterable[bytes] | AsyncIterable[bytes]) -> None:
        """Write a file below the path."""
        file = self._place / name
        try:
            make_directory(file.parent)
            with file.open("xb") as copy:
                if isinstance(chunks, AsyncIterable):
                    async for chunk in chunks:
                        copy.write(chunk)
                else:
                    copy.writelines(chunks)
        except OSError as error:
            raise failure(error, file) from error

    @asynccontextmanager
    async def path(self, near: Path) -> AsyncIterator[Path]:
        """Give the path itself: what is written there stays."""
        try:
            make_directory(self._place.parent)
        except OSError as error:
            raise failure(error, self._place) from error
        yield self._place


def link_or_copy(path: Path, target: Path) -> None:
    """Give a file that never changes a second name, or copy it."""
    try:
        os.link(path, target)
    except OSError:  # another file system, or one without links
        shutil.copy2(path, target)
