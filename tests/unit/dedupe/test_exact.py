"""Exact dedupe: what is in its store, and a store that takes its time."""

import asyncio

from gossamer.dedupe.exact import ExactDeduper
from gossamer.kv.memory import MemoryKeyValue
from gossamer.testing.deduper import FIRST, ONE, SECOND, TWO
from gossamer.testing.kv import scanned


class SlowKeyValue(MemoryKeyValue):
    """A store whose answers come when the loop has turned, like one behind a network."""

    async def get(self, key: bytes) -> bytes | None:
        value = await super().get(key)
        await asyncio.sleep(0)
        return value


async def test_a_slow_store_makes_no_two_pages_the_first() -> None:
    deduper = ExactDeduper(SlowKeyValue())
    assert await asyncio.gather(deduper.claim(ONE, FIRST), deduper.claim(ONE, SECOND)) == [None, FIRST]


async def test_all_keys_have_the_prefix_of_dedupe() -> None:
    kv = MemoryKeyValue()
    await kv.put(b"robots/state/x", b"someone else's")
    deduper = ExactDeduper(kv)
    await deduper.commit([(ONE, FIRST), (TWO, SECOND)])
    assert len(await scanned(kv, b"digest/")) == 2
    assert len(await scanned(kv, b"")) == 3


async def test_only_uncommitted_claims_are_kept_in_memory() -> None:
    deduper = ExactDeduper(MemoryKeyValue())
    await deduper.claim(ONE, FIRST)
    await deduper.claim(TWO, SECOND)
    assert len(deduper._claims) == 2
    await deduper.commit([(ONE, FIRST)])
    deduper.release(TWO, SECOND)
    assert deduper._claims == {}
