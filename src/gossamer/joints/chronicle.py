"""The joint of chronicles: the one record of what a crawl did, written by its node, read by everybody else."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol, Self, runtime_checkable

from gossamer.joints.shelving import Shelving
from gossamer.records.event import Event
from gossamer.records.line import AuditedBlock, ChainHead, ChronicleLine, Unsettled
from gossamer.records.location import Location


@runtime_checkable
class Telling(Protocol):
    """The reader's side: events up to the last mark, so nothing that was never settled."""

    async def after(self, position: str, limit: int) -> list[Event]:
        """Return the next events after an id, oldest first; an empty id: from the beginning.

        What was removed meanwhile is told by an event of kind `gap` that says how much is missing.
        """

    async def head(self) -> str:
        """Return the id of the last event that may be seen; empty: there is none."""

    async def lag(self, position: str) -> int:
        """Return how many events come after an id."""

    async def keep_from(self, reader: str, position: str) -> None:
        """Note how far a reader is: what every reader has had, and is old enough, may be removed."""


@runtime_checkable
class Chronicle(Telling, Protocol):
    """The writer's side: blocks of lines, one a commit, in a chain; a mark says which of them are settled."""

    @classmethod
    async def open(cls, location: Location, durable: bool, writing: bool, keep: float | None) -> Self:
        """Open the chronicle of a crawl, or make it; only one may be `writing`, others may read meanwhile.

        `keep`: seconds after which what every reader has had may be removed; None: it never is.
        """

    @classmethod
    async def exists(cls, location: Location) -> bool:
        """Tell whether there is a chronicle at a location, without making one."""

    async def add(self, lines: Sequence[ChronicleLine], now: float, refused: Mapping[str, int]) -> int:
        """Write a block and return its number; a kill -9 keeps it then, and nobody sees it before it is settled.

        `now` is when its visits are settled, which the frontier keeps to the last bit.
        `refused`: links that were refused at admission, by rule.
        """

    def settle(self, block: int, struck: Sequence[int] = ()) -> None:
        """Say that what a block tells is settled, but for some lines by their numbers, which are never told.

        The mark follows with the next block, or by itself within a second or two.
        """

    async def unsettled(self) -> list[Unsettled]:
        """Return the blocks above the mark that a writer before this one left behind."""

    def audit(self) -> AsyncIterator[AuditedBlock]:
        """Recompute the chain, block by block; every fault is told, with its place."""

    async def chain_head(self) -> ChainHead | None:
        """Return the last block, which stands for all before it; None: there is none."""

    async def checkpoint(self, target: Shelving) -> None:
        """Write a consistent copy while nothing is added."""

    async def aclose(self) -> None:
        """Write the last mark and close; a second time does nothing."""
