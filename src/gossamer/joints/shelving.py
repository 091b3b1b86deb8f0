"""The joint of shelves: where a checkpoint is kept, in a directory or in a bucket under a prefix.

A store that keeps files asks for a path and writes there, with links to files of its own that never change; where the shelf is
a directory that is all. A store without files puts bytes under names.
"""

from collections.abc import AsyncIterable, Iterable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol, runtime_checkable


@runtime_checkable
class Shelving(Protocol):
    """Where one store puts its copy; nothing is there before. It is whole when the checkpoint is."""

    async def put(self, name: str, chunks: Iterable[bytes] | AsyncIterable[bytes]) -> None:
        """Keep bytes under a name; a name may have slashes."""

    def path(self, near: Path) -> AbstractAsyncContextManager[Path]:
        """Give a local path where nothing is yet; the file or directory that is there when the block ends is kept.

        It has the name that the copy will be opened by; files beside it that begin with that name are kept, too. It is on the
        file system of `near`, if it can be chosen, so that files can be linked.
        """


class Checkpointing(Protocol):
    """A store that can be copied while it is open."""

    async def checkpoint(self, target: Shelving) -> None:
        """Write a consistent copy that can be opened like the original."""
