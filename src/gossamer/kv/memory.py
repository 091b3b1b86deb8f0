"""The key-value store in memory: the reference, and good enough where nothing has to outlive the process."""

from collections.abc import AsyncIterator, Mapping, Sequence

import msgspec

from gossamer.joints.shelving import Shelving
from gossamer.kv.places import PrefixPlace, merged, walked
from gossamer.records.location import Location


class MemoryKeyValue:
    """A dict that is walked in order; its methods of `Pairs` are about all places together."""

    def __init__(self) -> None:
        self._pairs: dict[bytes, bytes] = {}

    @classmethod
    async def open(cls, location: Location, durable: bool) -> "MemoryKeyValue":
        """Make an empty store: nothing of the last one is left."""
        return cls()

    @classmethod
    async def exists(cls, location: Location) -> bool:
        """Tell that there is one, as there always is."""
        return True

    def at(self, place: str) -> PrefixPlace:
        """Return the pairs at a place."""
        return PrefixPlace(self, place)

    async def put_places(self, places: Mapping[str, Sequence[tuple[bytes, bytes]]]) -> None:
        """Store pairs at several places, in one step for all."""
        await self.put_all(merged(places))

    def walk(self, prefix: str) -> AsyncIterator[tuple[str, bytes, bytes]]:
        """Walk over the pairs at all places whose name has the prefix, in the order of their names."""
        return walked(self, prefix)

    async def get(self, key: bytes) -> bytes | None:
        return self._pairs.get(key)

    async def get_all(self, keys: Sequence[bytes]) -> list[bytes | None]:
        return [self._pairs.get(key) for key in keys]

    async def put(self, key: bytes, value: bytes) -> None:
        self._pairs[key] = value

    async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        self._pairs.update(pairs)

    async def delete(self, key: bytes) -> None:
        self._pairs.pop(key, None)

    async def scan(self, prefix: bytes) -> AsyncIterator[tuple[bytes, bytes]]:
        """Walk over the pairs with that prefix as they were when the walk began."""
        for pair in sorted(pair for pair in self._pairs.items() if pair[0].startswith(prefix)):
            yield pair

    async def checkpoint(self, target: Shelving) -> None:
        """Write the pairs into a file."""
        await target.put("pairs.msgpack", [msgspec.msgpack.encode(self._pairs)])

    async def aclose(self) -> None:
        """Keep what is there: whoever holds the store may go on reading."""
