"""The joint of ordered key-value stores."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol, Self, runtime_checkable

from gossamer.joints.shelving import Shelving
from gossamer.records.location import Location


@runtime_checkable
class KeyValue(Protocol):
    """An ordered key-value store under robots, DNS and dedupe. Keys and values are bytes."""

    @classmethod
    async def open(cls, location: Location, durable: bool) -> Self:
        """Open the store of a crawl, or make it; `durable`: what was written outlives a power loss."""

    @classmethod
    async def exists(cls, location: Location) -> bool:
        """Tell whether there is a store at a location, without making one."""

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

    async def checkpoint(self, target: Shelving) -> None:
        """Write a consistent copy."""

    async def aclose(self) -> None: ...
