"""Exact dedupe: what is in its store, and a store that takes its time."""

import asyncio

import pytest

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


async def test_digests_are_divided_by_how_they_begin() -> None:
    kv = MemoryKeyValue()
    await kv.at("robots/x").put(b"state/x", b"someone else's")
    digests = ["sha1:AB1", "sha1:AB2", "sha1:AC1", "md5:AB1"]
    await ExactDeduper(kv).commit([(digest, FIRST) for digest in digests])
    placed = [(place, key) async for place, key, _ in kv.walk("digest/")]
    assert placed == [("digest/AB", b"1"), ("digest/AB", b"2"), ("digest/AC", b"1"), ("digest/md", b"5:AB1")]
    again = ExactDeduper(kv)
    assert [await again.owner(digest) for digest in (*digests, "sha1:A", "sha1:md5")] == [FIRST] * 4 + [None] * 2
    assert len(await scanned(kv, b"")) == 5


class CountingKeyValue(MemoryKeyValue):
    """A store that counts how often it is asked."""

    asked = 0

    async def get(self, key: bytes) -> bytes | None:
        self.asked += 1
        return await super().get(key)


async def test_new_content_is_known_to_be_new_without_the_store_and_known_content_is_found_in_it() -> None:
    kv = CountingKeyValue()
    await ExactDeduper(kv).commit([(f"sha1:{number}", FIRST) for number in range(500)])
    deduper = ExactDeduper(kv)
    for number in range(500, 1_000):
        assert await deduper.claim(f"sha1:{number}", SECOND) is None
        await deduper.commit([(f"sha1:{number}", SECOND)])
    assert kv.asked < 10
    assert [await deduper.claim(f"sha1:{number}", FIRST) for number in (499, 500)] == [None, SECOND]
    assert [await deduper.claim(f"sha1:{number}", SECOND) for number in (499, 500)] == [FIRST, None]


async def test_a_store_of_too_many_claims_to_look_at_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.dedupe.exact.MOST_LOADED", 1)
    kv = CountingKeyValue()
    await ExactDeduper(kv).commit([(ONE, FIRST), (TWO, FIRST)])
    deduper = ExactDeduper(kv)
    assert [await deduper.claim(digest, SECOND) for digest in (ONE, TWO, "sha1:NEW")] == [FIRST, FIRST, None]
    assert kv.asked == 3


async def test_a_digest_of_another_kind_is_found_after_a_restart() -> None:
    kv = MemoryKeyValue()
    await ExactDeduper(kv).commit([("sha256:CC", FIRST), (ONE, FIRST)])
    deduper = ExactDeduper(kv)
    assert [await deduper.claim(digest, SECOND) for digest in ("sha256:CC", ONE, TWO)] == [FIRST, FIRST, None]


async def test_what_is_written_while_the_store_is_looked_at_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.dedupe.exact.AT_ONCE", 1)
    kv = MemoryKeyValue()
    await ExactDeduper(kv).commit([(f"sha1:{number}", FIRST) for number in range(20)])
    deduper = ExactDeduper(kv)
    first = asyncio.ensure_future(deduper.claim("sha1:0", SECOND))
    await asyncio.sleep(0)
    await deduper.commit([(ONE, FIRST)])
    assert not first.done() and await first == FIRST and deduper._is_whole
    assert await deduper.claim(ONE, SECOND) == FIRST


async def test_only_uncommitted_claims_are_kept_in_memory() -> None:
    deduper = ExactDeduper(MemoryKeyValue())
    await deduper.claim(ONE, FIRST)
    await deduper.claim(TWO, SECOND)
    assert len(deduper._claims) == 2
    await deduper.commit([(ONE, FIRST)])
    deduper.release(TWO, SECOND)
    assert deduper._claims == {}
