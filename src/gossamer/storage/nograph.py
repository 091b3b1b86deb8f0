"""No link graph: what a crawl has that keeps none. Looks like a `joints.graph.LinkGraph` and holds nothing."""

from collections.abc import AsyncIterator, Sequence

from gossamer.joints.shelving import Shelving
from gossamer.records.location import Location
from gossamer.storage.ranks import PageRanks


class NoGraph:
    """Takes edges and forgets them."""

    is_full = True  # nothing is ever ranked

    @classmethod
    async def open(cls, location: Location, durable: bool, writing: bool) -> "NoGraph":
        """Open nothing."""
        return cls()

    async def put(self, pages: Sequence[tuple[int, bytes]], hosts: Sequence[int] = ()) -> None:
        """Forget the edges of pages."""

    async def pages(self) -> AsyncIterator[tuple[int, bytes]]:
        """Walk over nothing."""
        nothing: tuple[tuple[int, bytes], ...] = ()
        for page in nothing:
            yield page

    async def links_from(self, page: int, seconds: float) -> bytes | None:
        """Return that nothing was read."""
        return None

    async def links_to(self, page: int, seconds: float) -> list[tuple[int, int]]:
        """Return nothing."""
        return []

    async def compact(self) -> None:
        """Leave nothing as it is."""

    async def ranks(self) -> PageRanks:
        """Return no ranks."""
        return PageRanks((), ())

    async def keep_ranks(self, pages: Sequence[int], ranks: Sequence[float]) -> None:
        """Forget ranks."""

    def ranking(self, most_bytes: int) -> "NoGraph":
        """Return what ranks nothing."""
        return self

    async def renew(self, limit: int, least: float) -> list[tuple[int, float, int]]:
        """Rank nothing."""
        return []

    async def checkpoint(self, target: Shelving) -> None:
        """Copy nothing."""

    async def aclose(self) -> None:
        """Close nothing."""
