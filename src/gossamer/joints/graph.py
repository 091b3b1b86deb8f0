"""The joint of link graphs: which page links to which, the ranks that follow from it, and the upkeep of both.

Pages are fingerprints of their keys, edges are packed (`edges.py`). A rank of 1 is the average.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol, Self, runtime_checkable

from gossamer.joints.shelving import Shelving
from gossamer.records.location import Location


class RankTable(Protocol):
    """The ranks of a graph as they were last computed."""

    @property
    def pages(self) -> int:
        """Pages that had been read when a crawl computed them; 0: no crawl did."""

    def of(self, fingerprints: Sequence[int]) -> list[float]:
        """Return the rank of each; 0 for what was not linked."""

    def __len__(self) -> int:
        """Return how many have a rank."""


class GraphRanking(Protocol):
    """Ranks a graph again and again while it grows."""

    @property
    def is_full(self) -> bool:
        """Tell whether no more links fit into its memory."""

    async def renew(self, limit: int, least: float) -> list[tuple[int, float, int]]:
        """Take up what the graph has grown by, rank, and keep the ranks as `keep_ranks` does.

        Return the best that are no pages of the graph yet: fingerprint, rank, how many hosts link it; only those from `least`
        on that have risen since they were last told of.
        """


@runtime_checkable
class LinkGraph(Protocol):
    """Which page links to which."""

    @classmethod
    async def open(cls, location: Location, durable: bool, writing: bool) -> Self:
        """Open the graph of a crawl, or make it; only one may be `writing`, others may read meanwhile."""

    async def put(self, pages: Sequence[tuple[int, bytes]], hosts: Sequence[int] = ()) -> None:
        """Replace all edges of pages, of hosts by fingerprint; a kill -9 keeps them then. Of a page the last count."""

    def pages(self) -> AsyncIterator[tuple[int, bytes]]:
        """Walk over every page with its latest edges, as far as they were put when the walk began."""

    async def links_from(self, page: int, seconds: float) -> bytes | None:
        """Return the latest edges of a page; None: it was never read. Raises `TookTooLong` when the time is over."""

    async def links_to(self, page: int, seconds: float) -> list[tuple[int, int]]:
        """Return the pages whose latest edges lead to one, in their order, and the way of each. May raise `TookTooLong`."""

    async def compact(self) -> None:
        """Forget edges that were replaced; nobody may be writing."""

    async def ranks(self) -> RankTable:
        """Return the ranks as they were last kept; an empty table when there are none."""

    async def keep_ranks(self, pages: Sequence[int], ranks: Sequence[float]) -> None:
        """Replace the ranks, whole or not at all; the pages are in order, each once."""

    def ranking(self, most_bytes: int) -> GraphRanking:
        """Return what ranks this graph while it grows, in so many bytes of memory."""

    async def checkpoint(self, target: Shelving) -> None:
        """Write a consistent copy, ranks included, while nothing is put."""

    async def aclose(self) -> None:
        """Close; a second time does nothing."""
