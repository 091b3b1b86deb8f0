"""The index of near duplicates: who is near is found, whoever is not is not, and nothing of it is lost or stale."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.dedupe.bands import BLOCKS, rows_of
from gossamer.dedupe.near import NEAR, NearIndex, NotedPage
from gossamer.errors import DiskFull
from gossamer.joints.keyvalue import RUN, KeyValue
from gossamer.kv.memory import MemoryKeyValue
from gossamer.kv.rocks import RocksKeyValue
from gossamer.records.likeness import Likeness, distance
from gossamer.records.page import Original
from gossamer.testing.kv import scanned
from gossamer.url.fingerprint import hashed

HASH = 0x0123_4567_89AB_CDEF
HASHES = st.integers(0, (1 << 64) - 1)
FLIPS = st.sets(st.integers(0, 63), max_size=2 * NEAR)
OTHERS = [Random(seed).getrandbits(64) for seed in range(300)]


class SlowKeyValue(MemoryKeyValue):
    """A store behind a network: it looks at once, answers later, and writes when it has been asked for a while."""

    async def get(self, key: bytes) -> bytes | None:
        return (await self.get_all([key]))[0]

    async def get_all(self, keys: Sequence[bytes]) -> list[bytes | None]:
        values = await super().get_all(keys)
        for _ in range(3):
            await asyncio.sleep(0)
        return values

    async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        for _ in range(8):
            await asyncio.sleep(0)
        await super().put_all(pairs)
        await asyncio.sleep(0)


def page(name: str) -> Original:
    """Make up a page on a site of its own: there the first one counts."""
    return Original(f"http://{name.replace(' ', '-')}.test/", f"http://a.test/{name}", 1.5, True)


def like(simhash: int, words: int = 1_000) -> Likeness:
    return Likeness(simhash, words, (1, 2, 3))


def moved(simhash: int, *bits: int) -> int:
    for bit in bits:
        simhash ^= 1 << bit
    return simhash


@pytest.fixture(params=[(128, 2_048), (2, 8)], ids=["usual log", "small log"], scope="module", autouse=True)
def log(request: pytest.FixtureRequest) -> Iterator[int]:
    """Let everything hold with a log that nothing leaves, and with one of sixteen pages; how many may be in it."""
    with pytest.MonkeyPatch.context() as patch:
        leaf, leaves = request.param
        patch.setattr("gossamer.dedupe.latest.LEAF", leaf)
        patch.setattr("gossamer.dedupe.latest.LEAVES", leaves)
        yield leaf * leaves


async def entries(kv: KeyValue) -> int:
    """Count the pages in all rows of the tables."""
    return sum(len(value) for key, value in await scanned(kv.at(RUN), b"near/") if key[5] < 10) // 16


async def check(kv: KeyValue) -> None:
    """See that every page is in the log or in each of its ten rows, and in none twice."""
    rows = dict(await scanned(kv.at(RUN), b"near/"))
    log = [value[at : at + 16] for key, value in rows.items() if key[5:6] == b"l" for at in range(8, len(value), 16)]
    for key, value in rows.items():
        known = msgspec.msgpack.decode(value, type=NotedPage) if key[5:6] == b"p" else None
        if known is not None and known.simhash is not None:
            entry = known.simhash.to_bytes(8, "big") + key[6:]
            counts = [rows.get(row, b"").count(entry) for row in rows_of(known.simhash)]
            assert counts == [1] * 10 or (entry in log and max(counts) <= 1), f"{known.page.key} is in its rows {counts} times"


async def fill(index: NearIndex, count: int) -> None:
    """Put in pages that are unlike all others, so that older ones have to go into the tables."""
    seeds = range(1_000, 1_000 + count)
    await index.commit([(like(Random(seed).getrandbits(64)), page(f"filling {seed}")) for seed in seeds])


async def old_store(hashes: Sequence[int]) -> MemoryKeyValue:
    """Make a store as it was written before there was a log: pages 0, 1, 2... are in the tables."""
    kv = MemoryKeyValue()
    for number, simhash in enumerate(hashes):
        name = hashed(page(str(number)).key).to_bytes(8, "big")
        for row in rows_of(simhash):
            await kv.at(RUN).put(row, (await kv.at(RUN).get(row) or b"") + simhash.to_bytes(8, "big") + name)
        await kv.at(RUN).put(b"near/p" + name, msgspec.msgpack.encode(NotedPage(page(str(number)), simhash)))
    return kv


async def put(index: NearIndex, simhash: int, name: str) -> None:
    """Make a page the first of its kind."""
    assert await index.claim(like(simhash), page(name)) is None
    await index.commit([(like(simhash), page(name))])


@pytest.fixture(scope="module")
def many(log: int) -> MemoryKeyValue:
    """A store with some hundred pages of all kinds in it."""
    kv = MemoryKeyValue()
    asyncio.run(NearIndex(kv).commit([(like(each), page(str(number))) for number, each in enumerate(OTHERS)]))
    return kv


def test_two_hashes_near_each_other_share_a_row_whatever_bits_differ() -> None:
    assert sum(BLOCKS) == 64 and len(rows_of(HASH)) == 10
    assert all(
        set(rows_of(HASH)) & set(rows_of(moved(HASH, one, two, three)))
        for one in range(64)
        for two in range(one)
        for three in range(two)
    )


@given(HASHES, st.permutations(range(5)), st.integers(0, 12))
def test_whoever_agrees_in_one_block_only_shares_no_row(simhash: int, blocks: list[int], bit: int) -> None:
    other = moved(simhash, *(13 * block + (bit % 12) for block in blocks[:4]))
    assert not set(rows_of(simhash)) & set(rows_of(other))


@settings(max_examples=200)
@given(HASHES, FLIPS)
def test_a_page_is_found_when_it_is_near_and_only_then(many: MemoryKeyValue, simhash: int, flips: set[int]) -> None:
    async def story() -> None:
        kv = MemoryKeyValue()
        await kv.put_all(await scanned(many, b""))
        index = NearIndex(kv)
        if await index.claim(like(simhash), page("this")) is not None:
            return  # near one of the others, once in a million million
        await index.commit([(like(simhash), page("this"))])
        twin = await index.claim(like(moved(simhash, *flips)), page("that"))
        assert twin == ((page("this"), len(flips)) if len(flips) <= NEAR else None)

    asyncio.run(story())


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.sets(st.integers(0, 63), max_size=NEAR + 1)), max_size=40), st.integers(0, NEAR)
)
def test_the_tables_find_what_a_search_through_all_finds(asked: list[tuple[int, set[int]]], most: int) -> None:
    async def story() -> None:
        index = NearIndex(MemoryKeyValue(), most)
        firsts: dict[str, int] = {}
        for number, (seed, flips) in enumerate(asked):
            simhash = moved(OTHERS[seed], *flips)
            twin = await index.claim(like(simhash), page(str(number)))
            nearest = min((distance(simhash, each) for each in firsts.values()), default=64)
            if nearest > most:
                assert twin is None
                firsts[page(str(number)).key] = simhash
                if number % 3:
                    await index.commit([(like(simhash), page(str(number)))])
            else:
                assert twin is not None and twin[1] == nearest == distance(simhash, firsts[twin[0].key])

    asyncio.run(story())


async def test_a_page_is_never_its_own_twin() -> None:
    index = NearIndex(MemoryKeyValue())
    await put(index, HASH, "a")
    assert await index.claim(like(HASH), page("a")) is None
    assert await index.claim(like(moved(HASH, 5)), page("a")) is None
    assert await index.claim(like(moved(HASH, 5, 6)), page("a")) is None, "nor of what it claimed a moment ago"


async def test_a_page_that_was_the_first_is_told_so_again_whoever_came_near_since() -> None:
    index = NearIndex(MemoryKeyValue())
    await index.commit([(like(HASH), page("a")), (like(moved(HASH, 1)), page("b"))])
    assert await index.claim(like(HASH), page("a")) is None
    assert await index.claim(like(moved(HASH, 1)), page("b")) is None
    assert await index.claim(like(moved(HASH, 2)), page("a")) == (page("b"), 2), "but another text is another matter"


async def test_the_nearest_is_the_twin() -> None:
    index = NearIndex(MemoryKeyValue())
    await put(index, HASH, "far")
    await put(index, moved(HASH, 1, 2, 3, 4), "near")
    assert await index.claim(like(moved(HASH, 1, 2, 3)), page("new")) == (page("near"), 1)
    await index.claim(like(moved(HASH, 40, 41, 42, 43)), page("claimed"))
    assert await index.claim(like(moved(HASH, 40, 41, 42)), page("new")) == (page("claimed"), 1)


async def test_short_texts_are_neither_compared_nor_remembered() -> None:
    kv = MemoryKeyValue()
    index = NearIndex(kv, fewest_words=50)
    for name in "ab":
        assert await index.claim(like(HASH, 49), page(name)) is None
        await index.commit([(like(HASH, 49), page(name))])
    assert await scanned(kv, b"") == [] and not index._claims
    assert await index.claim(like(HASH, 50), page("c")) is None
    assert await index.claim(like(HASH, 50), page("d")) == (page("c"), 0)


async def test_of_pages_at_once_exactly_one_is_first_however_slow_the_store() -> None:
    index = NearIndex(SlowKeyValue())

    async def visit(number: int) -> tuple[Original, int] | None:
        for _ in range(number % 7):
            await asyncio.sleep(0)
        simhash = moved(HASH, number % 64)
        twin = await index.claim(like(simhash), page(str(number)))
        if twin is None:
            await index.commit([(like(simhash), page(str(number)))])
        return twin

    for _ in range(3):
        twins = await asyncio.gather(*(visit(number) for number in range(60)))
    firsts = {page(str(number)).key for number, twin in enumerate(twins) if twin is None}
    assert len(firsts) == 1, "two pages of one kind were told to be the first"
    assert {twin[0].key for twin in twins if twin is not None} == firsts


async def test_of_pages_at_once_exactly_one_is_first_while_the_tables_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.dedupe.near.MOST_LOADED", 0)
    kv = SlowKeyValue()
    await kv.put_all(await scanned(await old_store(OTHERS[:3]), b""))
    index = NearIndex(kv)
    twins = await asyncio.gather(*(index.claim(like(moved(HASH, number)), page(str(number))) for number in range(30)))
    assert twins.count(None) == 1


async def test_what_others_add_to_the_same_row_at_the_same_time_is_not_lost() -> None:
    kv = SlowKeyValue()
    index = NearIndex(kv)
    hashes = [moved(HASH, *range(first, first + 4)) for first in range(0, 12, 4)]  # too far apart, and in the same rows
    names = [str(number) for number in range(len(hashes))]
    for simhash, name in zip(hashes, names, strict=True):
        assert await index.claim(like(simhash), page(name)) is None

    async def late() -> None:
        await asyncio.sleep(0)
        await put(index, moved(HASH, 20, 21, 22, 23, 24), "late")  # begun while the others are on their way to the store

    commits = [index.commit([(like(simhash), page(name))]) for simhash, name in zip(hashes, names, strict=True)]
    await asyncio.gather(*commits, late())
    again = NearIndex(kv)
    for simhash, name in zip(hashes, names, strict=True):
        assert await again.claim(like(simhash), page("new")) == (page(name), 0)
    assert not index._claims and not index._rows._unwritten


async def test_a_released_claim_is_free_again() -> None:
    index = NearIndex(MemoryKeyValue())
    assert await index.claim(like(HASH), page("a")) is None
    index.release(like(HASH), page("b"))
    assert await index.claim(like(HASH), page("b")) == (page("a"), 0), "b released a claim that is not its own"
    index.release(like(HASH), page("a"))
    assert await index.claim(like(HASH), page("b")) is None
    index.release(like(HASH), page("b"))
    assert not index._claims and index._latest is not None and index._latest.near(HASH, NEAR) == []


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kv"


async def test_what_is_committed_survives_and_what_is_only_claimed_is_forgotten(path: Path) -> None:
    store = RocksKeyValue.open_at(path)
    index = NearIndex(store)
    other = moved(HASH, *range(20))
    await put(index, HASH, "kept")
    await index.commit([], [(page("kept"), page("copy"), 2)])
    assert await index.claim(like(other), page("claimed")) is None
    await store.aclose()  # and the process ends before the commit
    store = RocksKeyValue.open_at(path)
    index = NearIndex(store)
    assert await index.claim(like(moved(HASH, 7)), page("new")) == (page("kept"), 1)
    assert await index.claim(like(HASH), page("kept")) is None, "a visit repeated after a crash goes on as the first"
    assert await index.cluster(HASH) == [(page("kept"), 0), (page("copy"), 2)]
    assert await index.claim(like(other), page("new")) is None
    await store.aclose()


async def test_committing_and_joining_twice_changes_nothing() -> None:
    kv = MemoryKeyValue()
    index = NearIndex(kv)
    claims = [(like(HASH), page("a")), (like(moved(HASH, *range(10))), page("b")), (like(HASH), page("a"))]
    await index.commit(claims)
    await index.commit([], [(page("a"), page("c"), 1), (page("a"), page("c"), 1)])
    before = await scanned(kv.at(RUN), b"")
    await index.commit(claims)
    await index.commit([], [(page("a"), page("c"), 1)])
    assert await scanned(kv.at(RUN), b"") == before
    assert all(key.startswith(b"near/") for key, _ in before)


async def test_a_page_whose_text_changed_is_no_twin_by_what_it_was() -> None:
    kv = MemoryKeyValue()
    index = NearIndex(kv)
    new = moved(HASH, *range(30))
    await put(index, HASH, "a")
    await put(index, new, "a")
    assert await index.claim(like(HASH), page("b")) is None
    assert await index.claim(like(new), page("c")) == (page("a"), 0)
    await index.commit([(like(HASH), page("a")), (like(moved(HASH, 9)), page("a")), (like(HASH), page("a"))])
    assert await index.cluster(HASH) == [(page("a"), 0)] and await NearIndex(kv).cluster(HASH) == [(page("a"), 0)]


async def test_a_page_whose_text_changed_leaves_no_rows_behind(log: int) -> None:
    kv = await old_store([HASH, *OTHERS])
    index = NearIndex(kv)
    assert await entries(kv) == 10 * (1 + len(OTHERS))
    await put(index, moved(HASH, *range(30)), "0")
    assert await entries(kv) == 10 * len(OTHERS), "stale rows were left"
    for number in range(20):
        await put(index, moved(HASH, *range(number, number + 5)), "0")  # all but the last are stale before they leave the log
    await fill(index, 2 * log if log < 100 else 20)
    stale = [moved(HASH, *range(number, number + 5)).to_bytes(8, "big") for number in range(19)]
    tables = [value[:8] for key, value in await scanned(kv.at(RUN), b"near/") if key[5] < 10 and value]
    assert not set(stale) & set(tables)


async def test_near_duplicates_of_a_text_that_is_gone_are_not_listed() -> None:
    index = NearIndex(MemoryKeyValue())
    await put(index, HASH, "a")
    await index.commit([], [(page("a"), page("copy"), 1)])
    await put(index, moved(HASH, *range(30)), "a")
    assert await index.cluster(moved(HASH, *range(30))) == [(page("a"), 0)]


async def test_a_row_that_says_what_a_page_was_is_not_believed() -> None:
    kv, later = MemoryKeyValue(), MemoryKeyValue()
    await put(NearIndex(kv), HASH, "a")
    await put(NearIndex(later), moved(HASH, *range(30)), "a")
    await kv.at(RUN).put_all(await scanned(later.at(RUN), b"near/p"))
    assert await NearIndex(kv).claim(like(HASH), page("b")) is None
    assert await NearIndex(kv).cluster(HASH) == []


async def test_a_first_page_that_became_a_near_duplicate_is_no_twin_any_more() -> None:
    index = NearIndex(MemoryKeyValue())
    await put(index, HASH, "a")
    await index.commit([], [(page("a"), page("copy of a"), 1)])
    await put(index, moved(HASH, *range(30)), "b")
    await index.commit([], [(page("b"), page("a"), 2)])
    assert await index.claim(like(HASH), page("c")) is None
    assert await index.cluster(HASH) == []
    assert await index.cluster(moved(HASH, *range(30))) == [(page("b"), 0), (page("a"), 2)]


async def test_a_near_duplicate_stands_beside_its_last_twin_only() -> None:
    index = NearIndex(MemoryKeyValue())
    far = moved(HASH, *range(30))
    await put(index, HASH, "a")
    await put(index, far, "b")
    await index.commit([], [(page("a"), page("copy"), 1)])
    await index.commit([], [(page("b"), page("copy"), 3)])
    assert await index.cluster(HASH) == [(page("a"), 0)]
    assert await index.cluster(far) == [(page("b"), 0), (page("copy"), 3)]
    await index.commit([(like(moved(far, *range(40, 50))), page("copy"))])
    assert await index.cluster(far) == [(page("b"), 0)]
    await index.commit([], [(page("b"), page("copy"), 3)])
    await index.commit([(like(HASH, 3), page("copy"))])
    assert await index.cluster(far) == [(page("b"), 0)], "a text that became too short is like nothing"


async def test_a_cluster_is_all_that_is_near_nearest_first() -> None:
    index = NearIndex(MemoryKeyValue())
    await put(index, moved(HASH, 1, 2), "second")
    await put(index, moved(HASH, 60, 61, 62), "third")
    await put(index, moved(HASH, 10, 11, 12, 13), "far")
    await index.commit([], [(page("second"), page("copy"), 1)])
    assert await index.cluster(HASH) == [(page("copy"), 1), (page("second"), 2), (page("third"), 3)]
    await index.commit([(like(moved(HASH, 1)), page("second"))])
    assert await index.cluster(HASH) == [(page("second"), 1), (page("copy"), 1), (page("third"), 3)], "it moved by one bit only"


async def test_a_twin_that_is_gone_from_the_store_is_none(many: MemoryKeyValue) -> None:
    kv: KeyValue = MemoryKeyValue()
    rows = await scanned(many.at(RUN), b"")
    await kv.at(RUN).put_all([pair for pair in rows if not pair[0].startswith(b"near/p")])
    assert await NearIndex(kv).claim(like(OTHERS[0]), page("new")) is None


class CountingKeyValue(MemoryKeyValue):
    """A store that counts the rows it is asked for."""

    asked = 0

    async def get_all(self, keys: Sequence[bytes]) -> list[bytes | None]:
        self.asked += len(keys)
        return await super().get_all(keys)


async def test_texts_unlike_all_others_are_told_apart_without_the_store(many: MemoryKeyValue, log: int) -> None:
    kv = CountingKeyValue()
    await kv.put_all(await scanned(many, b""))
    index = NearIndex(kv)
    for number in range(1_000, 1_100):
        await put(index, Random(number).getrandbits(64), str(number))
    assert kv.asked < 20 + (160 if log < 100 else 0), "but for the rows of pages that were in the log before"


async def test_a_store_of_too_many_pages_to_look_at_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.dedupe.near.MOST_LOADED", len(OTHERS) - 1)
    kv = CountingKeyValue()
    await kv.put_all(await scanned(await old_store(OTHERS), b""))
    index = NearIndex(kv)
    assert await index.claim(like(moved(OTHERS[-1], 1)), page("new")) == (page(str(len(OTHERS) - 1)), 1)
    asked = kv.asked
    await put(index, HASH, "a")
    assert kv.asked == asked + 11, "a page has ten rows and a name"
    assert await index.claim(like(HASH), page("b")) == (page("a"), 0)


async def test_a_store_from_before_there_was_a_log_finds_what_it_had_and_what_came_since(log: int) -> None:
    kv = await old_store(OTHERS[:100])
    index = NearIndex(kv)
    await put(index, HASH, "a")
    await fill(index, 2 * log if log < 100 else 20)
    for each in (index, NearIndex(kv)):
        assert await each.claim(like(moved(HASH, 3, 4)), page("new")) == (page("a"), 2)
        for number in range(100):
            assert await each.claim(like(moved(OTHERS[number], 5)), page("new")) == (page(str(number)), 1)
            assert await each.cluster(moved(OTHERS[number], 5, 6)) == [(page(str(number)), 2)]


async def test_whatever_the_sizes_of_commits_and_whenever_they_are_interrupted_nothing_is_missed(log: int) -> None:
    random, kv = Random(log), MemoryKeyValue()
    index = NearIndex(kv)
    hashes = [random.getrandbits(64) for _ in range(400)]
    start = 0
    while start < len(hashes):
        size = random.choice([1, 1, 2, 3, 7, 40])
        numbers = range(start, min(start + size, len(hashes)))
        await index.commit([(like(hashes[number]), page(str(number))) for number in numbers])
        start += size
        if not random.randrange(4):
            index = NearIndex(kv)
    for number, simhash in enumerate(hashes):
        assert await index.claim(like(moved(simhash, number % 64)), page("new")) == (page(str(number)), 1)
    assert log > len(hashes) or await entries(kv) >= 10 * (len(hashes) - log)
    await check(kv)
    assert index._latest is not None
    kept = [simhash for simhash in hashes if index._latest.near(simhash, 0)]
    assert kept == hashes[-log:], "memory has more than the log"


async def test_a_page_that_went_back_to_an_earlier_text_is_in_the_tables_by_it(log: int) -> None:
    kv = MemoryKeyValue()
    index = NearIndex(kv)
    for simhash in (HASH, moved(HASH, *range(30)), HASH):
        await put(index, simhash, "a")
    await fill(index, 2 * log if log < 100 else 20)
    await check(kv)
    assert await NearIndex(kv).claim(like(HASH), page("b")) == (page("a"), 0)


async def test_a_page_that_goes_back_to_an_earlier_text_claims_it_anew() -> None:
    index = NearIndex(MemoryKeyValue())
    await put(index, HASH, "a")
    await put(index, moved(HASH, *range(30)), "a")
    assert await index.claim(like(HASH), page("a")) is None
    assert await index.claim(like(HASH), page("b")) == (page("a"), 0), "what it was once was taken for what it is"


async def test_what_a_page_is_last_counts_when_it_comes_twice_in_one_commit() -> None:
    index = NearIndex(MemoryKeyValue())
    await index.commit([(like(HASH), page("a")), (like(HASH, 3), page("a"))])
    assert await index.claim(like(HASH), page("b")) is None


@pytest.mark.parametrize("is_written", [False, True], ids=["refused", "written, but not synced"])
async def test_what_a_full_disk_refused_is_made_up_for(is_written: bool) -> None:
    class Filling(MemoryKeyValue):
        is_full = False

        async def put_all(self, pairs: Sequence[tuple[bytes, bytes]]) -> None:
            if is_written or not self.is_full:
                await super().put_all(pairs)
            if self.is_full:
                raise DiskFull("no space is left; free some and resume")

    kv = Filling()
    index = NearIndex(kv)
    for number, simhash in enumerate(OTHERS[:100]):
        kv.is_full = number % 3 == 0
        if kv.is_full:
            lost = [(like(Random(number * 9 + each).getrandbits(64)), page(f"lost {each}")) for each in range(5)]
            with pytest.raises(DiskFull):
                await index.commit([*lost, (like(simhash), page(str(number)))])
            kv.is_full = False
        await index.commit([(like(simhash), page(str(number)))])
    await check(kv)
    for each in (index, NearIndex(kv)):
        for number, simhash in enumerate(OTHERS[:100]):
            assert await each.claim(like(simhash), page("new")) == (page(str(number)), 0)


async def test_several_who_come_first_read_the_log_once_and_all_wait_for_it(many: MemoryKeyValue) -> None:
    class Scanning(MemoryKeyValue):
        async def scan(self, prefix: bytes) -> AsyncIterator[tuple[bytes, bytes]]:
            async for pair in super().scan(prefix):
                await asyncio.sleep(0)
                yield pair

    kv = Scanning()
    await kv.put_all(await scanned(many, b""))
    index = NearIndex(kv)
    copies = [index.claim(like(moved(simhash, 7)), page("copy")) for simhash in OTHERS[-5:]]
    twins = await asyncio.gather(put(index, HASH, "a"), *copies)
    assert twins == [None, *((page(str(number)), 1) for number in range(len(OTHERS) - 5, len(OTHERS)))]
    assert await index.cluster(HASH) == [(page("a"), 0)]
    assert await NearIndex(kv).claim(like(HASH), page("b")) == (page("a"), 0)


async def test_what_is_written_while_the_store_is_looked_at_is_found(
    many: MemoryKeyValue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gossamer.dedupe.near.AT_ONCE", 1)
    kv = SlowKeyValue()
    await kv.put_all(await scanned(many, b""))
    index = NearIndex(kv)
    first = asyncio.ensure_future(index.claim(like(OTHERS[0]), page("copy")))
    await asyncio.sleep(0)
    await put(index, HASH, "a")
    assert not first.done()
    assert await first == (page("0"), 0)
    assert index._loaded is not None and index._loaded[1].has_all_names and index._loaded[1].has_all_rows
    assert await index.claim(like(HASH), page("b")) == (page("a"), 0)


async def test_pages_of_one_commit_share_rows_that_were_not_there_before() -> None:
    kv = MemoryKeyValue()
    index = NearIndex(kv)
    others = [HASH, moved(HASH, 0, 1, 2, 3), moved(HASH, 4, 5, 6, 7)]
    await index.commit([(like(simhash), page(str(number))) for number, simhash in enumerate(others)])
    await fill(index, 20)
    for each in (index, NearIndex(kv)):
        for number, simhash in enumerate(others):
            assert await each.claim(like(simhash), page("new")) == (page(str(number)), 0)


async def test_a_page_that_claims_another_text_leaves_nothing_of_the_first_in_memory() -> None:
    index = NearIndex(MemoryKeyValue())
    for simhash in (OTHERS[0], OTHERS[1]):
        assert await index.claim(like(simhash), page("one")) is None
    assert index._latest is not None
    assert not index._latest.near(OTHERS[0], NEAR) and len(index._latest.near(OTHERS[1], NEAR)) == 1
    index.release(like(OTHERS[1]), page("one"))
    assert not index._latest.near(OTHERS[1], NEAR)
