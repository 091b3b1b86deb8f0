"""The joint of ordered key-value stores.

A store is made of places, and every pair is at one. What is at one place is ordered, and changes in one atomic step; nothing is
promised across places, so that a store far away may keep each wherever it likes. The name of a place says whose it is and,
behind a slash, what it is divided by: `lesson/a.example`, `digest/K7`; all that is not divided is at `RUN`. A name has no zero
byte.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol, Self, runtime_checkable

from gossamer.joints.shelving import Shelving
from gossamer.records.location import Location

RUN = "run"  # the place of what is not divided


@runtime_checkable
class Pairs(Protocol):
    """The pairs at one place of a store, in the order of their keys. Keys and values are bytes."""

    async def get(self, key: bytes) -> bytes | None: ...

    async def get_all(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of some keys, in their order, as they were at one moment."""

    async def put(self, key: bytes, value: bytes) -> None:
        """Store; returned means that a kill -9 keeps it."""

    async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        """Store all of them in one atomic step."""

    async def delete(self, key: bytes) -> None: ...

    def scan(self, prefix: bytes) -> AsyncIterator[tuple[bytes, bytes]]:
        """Walk over the pairs whose key has the prefix, in the order of the keys."""


@runtime_checkable
class KeyValue(Protocol):
    """A key-value store under robots, lessons and dedupe."""

    @classmethod
    async def open(cls, location: Location, durable: bool) -> Self:
        """Open the store of a crawl, or make it; `durable`: what was written outlives a power loss."""

    @classmethod
    async def exists(cls, location: Location) -> bool:
        """Tell whether there is a store at a location, without making one."""

    def at(self, place: str) -> Pairs:
        """Return the pairs at a place; there may be none yet."""

    async def put_places(self, places: Mapping[str, Sequence[tuple[bytes, bytes]]]) -> None:
        """Store pairs at several places, in one step each, in whatever order; returned means that a kill -9 keeps them all."""

    def walk(self, prefix: str) -> AsyncIterator[tuple[str, bytes, bytes]]:
        """Walk over the pairs at all places whose name has the prefix: place, key, value. Those of a place come in order."""

    async def checkpoint(self, target: Shelving) -> None:
        """Write a consistent copy."""

    async def aclose(self) -> None: ...
