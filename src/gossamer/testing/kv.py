"""The checker of a key-value store: what any implementation of `joints.keyvalue.KeyValue` has to promise.

    for rule in RULES:
        await rule(open_store)

`open_store` opens the same store each time it is called, empty at first. `DURABLE` holds the rules for stores that outlive
their process.
"""

from collections.abc import Awaitable, Callable

from gossamer.joints.keyvalue import RUN, KeyValue, Pairs

Opener = Callable[[], Awaitable[KeyValue]]
Rule = Callable[[Opener], Awaitable[None]]


async def scanned(pairs: Pairs, prefix: bytes) -> list[tuple[bytes, bytes]]:
    """Return what a scan walks over."""
    return [pair async for pair in pairs.scan(prefix)]


async def what_was_put_is_got_back(open_store: Opener) -> None:
    store = await open_store()
    here = store.at(RUN)
    pairs = [(b"a", b"1"), (b"b", b""), (bytes(range(256)), bytes(range(255, -1, -1))), (b"long", b"x" * 1_000_000)]
    for key, value in pairs:
        await here.put(key, value)
    for key, value in pairs:
        assert await here.get(key) == value, f"the value of {key[:20]!r} changed"
    await store.aclose()


async def an_unknown_key_has_no_value(open_store: Opener) -> None:
    store = await open_store()
    here = store.at(RUN)
    await here.put(b"known", b"1")
    for key in (b"unknown", b"know", b"known\x00"):
        assert await here.get(key) is None, f"{key!r} was never put, and has a value"
    await store.aclose()


async def many_keys_are_got_at_once_in_their_order(open_store: Opener) -> None:
    store = await open_store()
    here = store.at(RUN)
    await here.put_all([(b"one", b"1"), (b"two", b"2"), (b"empty", b"")])
    asked = (b"two", b"unknown", b"one", b"empty", b"two")
    assert await here.get_all(asked) == [b"2", None, b"1", b"", b"2"], "the values are not those of the keys, in their order"
    assert await here.get_all([]) == [], "no key has no value"
    await store.aclose()


async def a_later_put_wins(open_store: Opener) -> None:
    store = await open_store()
    here = store.at(RUN)
    await here.put(b"key", b"old")
    await here.put(b"key", b"new")
    assert await here.get(b"key") == b"new", "the older value is still there"
    await here.put_all([(b"key", b"newer"), (b"key", b"newest")])
    assert await here.get(b"key") == b"newest", "the last one of a batch has to win"
    await store.aclose()


async def a_deleted_key_is_gone(open_store: Opener) -> None:
    store = await open_store()
    here = store.at(RUN)
    await here.put(b"key", b"value")
    await here.delete(b"key")
    await here.delete(b"never put")
    assert await here.get(b"key") is None, "a deleted key has a value"
    assert await scanned(here, b"") == [], "a deleted key is walked over"
    await store.aclose()


async def all_of_a_batch_is_stored(open_store: Opener) -> None:
    store = await open_store()
    here = store.at(RUN)
    pairs = [(b"%04d" % number, b"%d" % number) for number in range(1000)]
    await here.put_all(pairs)
    await here.put_all([])
    assert await scanned(here, b"") == pairs, "a batch is not stored as it was given"
    await store.aclose()


async def a_scan_walks_its_prefix_in_order(open_store: Opener) -> None:
    store = await open_store()
    here = store.at(RUN)
    keys = [b"a", b"b", b"b\x00", b"b\x01x", b"b\xff", b"b\xff\xff", b"c", b"\xff", b"\xff\xff", b""]
    for key in keys:
        await here.put(key, key[::-1])
    for prefix in (b"b", b"b\xff", b"\xff", b"", b"nothing"):
        expected = sorted((key, key[::-1]) for key in keys if key.startswith(prefix))
        assert await scanned(here, prefix) == expected, f"the scan of {prefix!r} is not what has that prefix, in order"
    await store.aclose()


async def a_scan_is_not_disturbed_by_writes(open_store: Opener) -> None:
    store = await open_store()
    here = store.at(RUN)
    pairs = [(b"a%d" % number, b"old") for number in range(5)]
    await here.put_all(pairs)
    seen = []
    async for pair in here.scan(b"a"):
        seen.append(pair)
        await here.put(b"a9", b"new")
        await here.delete(b"a4")
        await here.put(b"a3", b"new")
    assert seen == pairs, "a scan has to walk over what was there when it began"
    await store.aclose()


PLACES = ("a", "ab", "a/b", "a/", "b", "\xfc", "run", "x" * 300)  # some are the beginning of others


async def a_place_has_what_was_put_there_and_nothing_else(open_store: Opener) -> None:
    store = await open_store()
    for place in PLACES:
        await store.at(place).put_all([(b"", place.encode()), (b"b", b"1"), (b"\xff\xff", b"2")])
    await store.at("a").delete(b"b")
    for place in PLACES:
        expected = [(b"", place.encode()), (b"b", b"1"), (b"\xff\xff", b"2")]
        expected = [pair for pair in expected if place != "a" or pair[0] != b"b"]
        assert await scanned(store.at(place), b"") == expected, f"the place {place!r} does not hold what was put there"
        assert await store.at(place).get(b"") == place.encode(), "a place has the value of another one"
    assert await scanned(store.at("nowhere"), b"") == [], "a place where nothing was put is not empty"
    assert await store.at("nowhere").get_all([b"", b"b"]) == [None, None], "a place where nothing was put has values"
    await store.aclose()


async def pairs_are_put_at_several_places_at_once(open_store: Opener) -> None:
    store = await open_store()
    await store.at("a").put(b"old", b"0")
    await store.put_places({place: [(b"key", b"1"), (b"key", place.encode()), (b"other", b"")] for place in PLACES})
    await store.put_places({})
    await store.put_places({"a": [], "empty": []})
    for place in PLACES:
        expected = [(b"key", place.encode()), *([(b"old", b"0")] if place == "a" else []), (b"other", b"")]
        assert await scanned(store.at(place), b"") == expected, f"not all that was put at {place!r} is there"
    assert await scanned(store.at("empty"), b"") == [], "nothing was put there"
    await store.aclose()


async def a_walk_meets_every_place_of_its_prefix(open_store: Opener) -> None:
    store = await open_store()
    await store.put_places({place: [(b"%d" % number, b"x") for number in range(3)] for place in PLACES})
    for prefix in ("a", "a/", "ab", "x", "nothing", ""):
        met = [pair async for pair in store.walk(prefix)]
        expected = [(place, b"%d" % number, b"x") for place in PLACES if place.startswith(prefix) for number in range(3)]
        assert sorted(met) == sorted(expected), f"a walk of {prefix!r} does not meet what is there, each once"
        for place in PLACES:
            keys = [key for name, key, _ in met if name == place]
            assert keys == sorted(keys), "what is at one place is not met in order"
    await store.aclose()


async def what_was_put_is_there_after_closing_and_opening(open_store: Opener) -> None:
    store = await open_store()
    here = store.at(RUN)
    await here.put(b"one", b"1")
    await here.put_all([(b"two", b"2"), (b"gone", b"3")])
    await here.delete(b"gone")
    await store.put_places({"a": [(b"three", b"3")], "b": [(b"four", b"4")]})
    await store.aclose()
    store = await open_store()
    here = store.at(RUN)
    assert await store.at("a").get(b"three") == b"3" and await store.at("b").get(b"four") == b"4", "a place was lost"
    assert await scanned(here, b"") == [(b"one", b"1"), (b"two", b"2")], (
        "the store does not hold what it held when it was closed"
    )
    await store.aclose()


RULES: tuple[Rule, ...] = (
    what_was_put_is_got_back,
    an_unknown_key_has_no_value,
    many_keys_are_got_at_once_in_their_order,
    a_later_put_wins,
    a_deleted_key_is_gone,
    all_of_a_batch_is_stored,
    a_scan_walks_its_prefix_in_order,
    a_scan_is_not_disturbed_by_writes,
    a_place_has_what_was_put_there_and_nothing_else,
    pairs_are_put_at_several_places_at_once,
    a_walk_meets_every_place_of_its_prefix,
)
DURABLE: tuple[Rule, ...] = (what_was_put_is_there_after_closing_and_opening,)
