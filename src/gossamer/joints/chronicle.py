"""The joint of chronicles: the one record of what a crawl did, written by its node, read by everybody else."""

from typing import Protocol, runtime_checkable

from gossamer.records.event import Event


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
