"""Rows that several tasks change at once: no change is lost, whenever the store answers and writes."""

import asyncio
from collections.abc import Sequence

import pytest

from gossamer.dedupe.rows import Rows
from gossamer.errors import DiskFull
from gossamer.kv.memory import MemoryKeyValue

ROW = b"row"


class SlowKeyValue(MemoryKeyValue):
    """A store that looks at once and answers later, and writes when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.may_write = asyncio.Event()
        self.reads = 0

    async def get_all(self, keys: Sequence[bytes]) -> list[bytes | None]:
        self.reads += 1
        values = await super().get_all(keys)
        await asyncio.sleep(0)
        return values

    async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        await self.may_write.wait()
        await super().put_all(pairs)


@pytest.fixture
def kv() -> SlowKeyValue:
    return SlowKeyValue()


def adding(rows: Rows, letter: bytes) -> "asyncio.Task[None]":
    """Begin to add a letter to the row."""

    async def make() -> dict[bytes, bytes]:
        [value] = await rows.latest([ROW])
        return {ROW: (value or b"") + letter}

    return asyncio.ensure_future(rows.change(make))


async def turn() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_changes_at_once_are_made_of_each_other_and_none_waits_for_the_store(kv: SlowKeyValue) -> None:
    rows = Rows(kv)
    changes = [adding(rows, letter) for letter in (b"a", b"b", b"c")]
    await turn()
    assert await rows.latest([ROW]) == [b"abc"] and not any(change.done() for change in changes)
    kv.may_write.set()
    await asyncio.gather(*changes)
    assert await kv.get(ROW) == b"abc" and not rows._unwritten


async def test_what_was_made_later_counts_whichever_is_written_first() -> None:
    class Turning(MemoryKeyValue):
        """A store that acknowledges the last change first."""

        def __init__(self) -> None:
            super().__init__()
            self.told: list[asyncio.Event] = []

        async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
            await super().put_all(pairs)
            self.told.append(asyncio.Event())
            await self.told[-1].wait()

    kv = Turning()
    rows = Rows(kv)
    first, second = adding(rows, b"a"), adding(rows, b"b")
    await turn()
    kv.told[1].set()
    await second
    third = adding(rows, b"c")
    await turn()
    assert await kv.get(ROW) == b"abc", "the first change, still on its way, was taken for the latest"
    kv.told[0].set()
    kv.told[2].set()
    await asyncio.gather(first, third)
    assert not rows._unwritten


async def test_every_change_is_counted_when_it_begins_and_when_it_is_over(kv: SlowKeyValue) -> None:
    rows = Rows(kv)
    change = adding(rows, b"a")
    await turn()
    assert rows.changes == 1
    kv.may_write.set()
    await change
    assert rows.changes == 2


async def test_a_change_that_could_not_be_written_is_none() -> None:
    class Full(MemoryKeyValue):
        async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
            raise DiskFull("no space is left; free some and resume")

    rows = Rows(Full())
    with pytest.raises(DiskFull):
        await adding(rows, b"a")
    assert await rows.latest([ROW]) == [None]
