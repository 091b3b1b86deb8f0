"""The checker of a key-value store: what any implementation of `joints.keyvalue.KeyValue` has to promise.

    for rule in RULES:
        await rule(open_store)

`open_store` opens the same store each time it is called, empty at first. `DURABLE` holds the rules for stores that outlive
their process.
"""

from collections.abc import Awaitable, Callable

from gossamer.joints.keyvalue import KeyValue

Opener = Callable[[], Awaitable[KeyValue]]
Rule = Callable[[Opener], Awaitable[None]]


async def scanned(store: KeyValue, prefix: bytes) -> list[tuple[bytes, bytes]]:
    """Return what a scan walks over."""
    return [pair async for pair in store.scan(prefix)]


async def what_was_put_is_got_back(open_store: Opener) -> None:
    store = await open_store()
    pairs = [(b"a", b"1"), (b"b", b""), (bytes(range(256)), bytes(range(255, -1, -1))), (b"long", b"x" * 1_000_000)]
    for key, value in pairs:
        await store.put(key, value)
    for key, value in pairs:
        assert await store.get(key) == value, f"the value of {key[:20]!r} changed"
    await store.aclose()


async def an_unknown_key_has_no_value(open_store: Opener) -> None:
    store = await open_store()
    await store.put(b"known", b"1")
    for key in (b"unknown", b"know", b"known\x00"):
        assert await store.get(key) is None, f"{key!r} was never put, and has a value"
    await store.aclose()


async def many_keys_are_got_at_once_in_their_order(open_store: Opener) -> None:
    store = await open_store()
    await store.put_all([(b"one", b"1"), (b"two", b"2"), (b"empty", b"")])
    asked = (b"two", b"unknown", b"one", b"empty", b"two")
    assert await store.get_all(asked) == [b"2", None, b"1", b"", b"2"], "the values are not those of the keys, in their order"
    assert await store.get_all([]) == [], "no key has no value"
    await store.aclose()


async def a_later_put_wins(open_store: Opener) -> None:
    store = await open_store()
    await store.put(b"key", b"old")
    await store.put(b"key", b"new")
    assert await store.get(b"key") == b"new", "the older value is still there"
    await store.put_all([(b"key", b"newer"), (b"key", b"newest")])
    assert await store.get(b"key") == b"newest", "the last one of a batch has to win"
    await store.aclose()


async def a_deleted_key_is_gone(open_store: Opener) -> None:
    store = await open_store()
    await store.put(b"key", b"value")
    await store.delete(b"key")
    await store.delete(b"never put")
    assert await store.get(b"key") is None, "a deleted key has a value"
    assert await scanned(store, b"") == [], "a deleted key is walked over"
    await store.aclose()


async def all_of_a_batch_is_stored(open_store: Opener) -> None:
    store = await open_store()
    pairs = [(b"%04d" % number, b"%d" % number) for number in range(1000)]
    await store.put_all(pairs)
    await store.put_all([])
    assert await scanned(store, b"") == pairs, "a batch is not stored as it was given"
    await store.aclose()


async def a_scan_walks_its_prefix_in_order(open_store: Opener) -> None:
    store = await open_store()
    keys = [b"a", b"b", b"b\x00", b"b\x01x", b"b\xff", b"b\xff\xff", b"c", b"\xff", b"\xff\xff", b""]
    for key in keys:
        await store.put(key, key[::-1])
    for prefix in (b"b", b"b\xff", b"\xff", b"", b"nothing"):
        expected = sorted((key, key[::-1]) for key in keys if key.startswith(prefix))
        assert await scanned(store, prefix) == expected, f"the scan of {prefix!r} is not what has that prefix, in order"
    await store.aclose()


async def a_scan_is_not_disturbed_by_writes(open_store: Opener) -> None:
    store = await open_store()
    pairs = [(b"a%d" % number, b"old") for number in range(5)]
    await store.put_all(pairs)
    seen = []
    async for pair in store.scan(b"a"):
        seen.append(pair)
        await store.put(b"a9", b"new")
        await store.delete(b"a4")
        await store.put(b"a3", b"new")
    assert seen == pairs, "a scan has to walk over what was there when it began"
    await store.aclose()


async def what_was_put_is_there_after_closing_and_opening(open_store: Opener) -> None:
    store = await open_store()
    await store.put(b"one", b"1")
    await store.put_all([(b"two", b"2"), (b"gone", b"3")])
    await store.delete(b"gone")
    await store.aclose()
    store = await open_store()
    assert await scanned(store, b"") == [(b"one", b"1"), (b"two", b"2")], (
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
)
DURABLE: tuple[Rule, ...] = (what_was_put_is_there_after_closing_and_opening,)
