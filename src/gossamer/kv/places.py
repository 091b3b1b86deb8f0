"""Places in a store that is one ordered map: a place is a prefix of its keys, its name and a zero byte.

So the places whose names begin alike lie beside each other, and what is put at several of them is one write.
"""

from collections.abc import AsyncIterator, Mapping, Sequence

from gossamer.joints.keyvalue import Pairs

END = b"\0"  # of a place's name


class PrefixPlace:
    """Implements `joints.keyvalue.Pairs` over a part of a map."""

    def __init__(self, whole: Pairs, name: str) -> None:
        self._whole = whole
        self._name = name.encode() + END

    async def get(self, key: bytes) -> bytes | None:
        return await self._whole.get(self._name + key)

    async def get_all(self, keys: Sequence[bytes]) -> list[bytes | None]:
        name = self._name
        return await self._whole.get_all([name + key for key in keys])

    async def put(self, key: bytes, value: bytes) -> None:
        await self._whole.put(self._name + key, value)

    async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        name = self._name
        await self._whole.put_all([(name + key, value) for key, value in pairs])

    async def delete(self, key: bytes) -> None:
        await self._whole.delete(self._name + key)

    async def scan(self, prefix: bytes) -> AsyncIterator[tuple[bytes, bytes]]:
        """Walk over the pairs with that prefix as they were when the walk began."""
        length = len(self._name)
        async for key, value in self._whole.scan(self._name + prefix):
            yield key[length:], value


def merged(places: Mapping[str, Sequence[tuple[bytes, bytes]]]) -> list[tuple[bytes, bytes]]:
    """Return the pairs of several places as the whole map has them."""
    rows: list[tuple[bytes, bytes]] = []
    for place, pairs in places.items():
        name = place.encode() + END
        rows += [(name + key, value) for key, value in pairs]
    return rows


async def walked(whole: Pairs, prefix: str) -> AsyncIterator[tuple[str, bytes, bytes]]:
    """Walk over the pairs at all places whose name has the prefix."""
    async for row, value in whole.scan(prefix.encode()):
        place, _, key = row.partition(END)
        yield place.decode(), key, value
