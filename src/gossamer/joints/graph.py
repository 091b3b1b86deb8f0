"""The joint of link graphs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable


@runtime_checkable
class LinkGraph(Protocol):
    """Which page links to which. Pages are fingerprints of their keys, edges are packed (`edges.py`)."""

    async def put(self, pages: Sequence[tuple[int, bytes]], hosts: Sequence[int] = ()) -> None:
        """Replace all edges of pages, of hosts by fingerprint; a kill -9 keeps them then. Of a page the last count."""

    def pages(self) -> Iterator[tuple[int, bytes]]:
        """Walk over every page with its latest edges."""

    async def checkpoint(self, target: Path) -> None:
        """Write a consistent copy into a new directory."""

    async def aclose(self) -> None: ...
