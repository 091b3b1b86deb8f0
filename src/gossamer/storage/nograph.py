"""No link graph: what a crawl has that keeps none. Looks like a `joints.graph.LinkGraph` and holds nothing."""

from collections.abc import Iterator, Sequence
from pathlib import Path


class NoGraph:
    """Takes edges and forgets them."""

    @classmethod
    def open(cls, directory: Path, durable: bool = True) -> "NoGraph":
        """Open nothing."""
        return cls()

    async def put(self, pages: Sequence[tuple[int, bytes]], hosts: Sequence[int] = ()) -> None:
        """Forget the edges of pages."""

    def pages(self) -> Iterator[tuple[int, bytes]]:
        """Walk over nothing."""
        return iter(())

    async def checkpoint(self, target: Path) -> None:
        """Copy nothing."""

    async def aclose(self) -> None:
        """Close nothing."""
