"""Phrases are remembered over a restart, and in a fixed amount of memory and store."""

from array import array
from collections.abc import Iterable
from random import Random

import pytest

from gossamer.kv.memory import MemoryKeyValue
from gossamer.lessons import phrases as module
from gossamer.lessons.phrases import LEAF, PLACES, Phrases, PlainShown, name_of, plain_learn, plain_packed


def packed(names: Iterable[int]) -> bytes:
    return array("Q", names).tobytes()


async def shown(phrases: Phrases, kv: MemoryKeyValue, names: list[int]) -> None:
    await kv.put_all(phrases.log(packed(names)))
    phrases.logged(packed(names))
    phrases.learn(packed(names))


def knows(phrases: Phrases, name: int) -> bool:
    return not phrases.show().has_news(name, (0,))


def names(first: int, count: int) -> list[int]:
    return [name_of(7, phrase) for phrase in range(first, first + count)]


@pytest.mark.parametrize("at_once", [1, 16, LEAF - 1, LEAF, 3 * LEAF + 5])
async def test_what_was_shown_is_known_after_a_restart(at_once: int) -> None:
    kv, phrases, shown_so_far = MemoryKeyValue(), Phrases(), 0
    while shown_so_far < 2 * LEAF:
        await shown(phrases, kv, names(shown_so_far, at_once))
        shown_so_far += at_once
        if shown_so_far % (16 * at_once) == 0:
            phrases = await Phrases.load(kv)
    phrases = await Phrases.load(kv)
    assert all(knows(phrases, name) for name in names(0, shown_so_far))
    assert not any(knows(phrases, name) for name in names(shown_so_far, 1_000))
    assert not any(knows(phrases, name_of(8, phrase)) for phrase in range(100)), "phrases are a host's own"


async def test_the_log_has_an_end_and_the_oldest_leaf_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAVES", 4)
    kv, phrases = MemoryKeyValue(), Phrases()
    for first in range(0, 6 * LEAF, 16):
        await shown(phrases, kv, names(first, 16))
    assert len([key async for key, _ in kv.scan(b"")]) == 4
    again = await Phrases.load(kv)
    assert all(knows(again, name) for name in names(2 * LEAF, 4 * LEAF))
    assert not any(knows(again, name) for name in names(0, 2 * LEAF))


def test_of_three_phrases_with_one_place_the_one_not_seen_for_longest_gives_way() -> None:
    one, two, three = ((5 << 45) + number for number in (1, 2, 3))
    phrases = Phrases()
    phrases.learn(packed([one, two, one, three]))
    assert [knows(phrases, name) for name in (one, two, three)] == [True, False, True]


def test_a_page_has_news_when_any_of_its_phrases_is_new_and_was_not_shown_since() -> None:
    phrases = Phrases()
    phrases.learn(packed([name_of(7, 1)]))
    since = phrases.show()
    assert not since.has_news(7, (1,))
    assert since.has_news(7, (1, 2))
    assert (since.names(), since.news()) == (packed([name_of(7, 1), name_of(7, 2)]), packed([name_of(7, 2)]))
    assert not since.has_news(7, (1, 2)), "it was news of the page before"
    assert not since.has_news(7, ())


def test_both_ways_of_looking_learning_and_writing_are_one() -> None:
    random = Random(3)
    pages = [(random.getrandbits(64), tuple([random.getrandbits(32) for _ in range(16)])) for _ in range(200)]
    pages += [(host, sketch[:8]) for host, sketch in pages]
    compiled, plain = array("Q", bytes(16 * PLACES)), array("Q", bytes(16 * PLACES))
    for start in range(0, len(pages), 50):
        said = module._shown(compiled), PlainShown(plain)
        for host, sketch in [*pages[start : start + 50], *pages[start : start + 5], (start, tuple(range(40)))]:
            assert said[0].has_news(host, sketch) == said[1].has_news(host, sketch)
        assert (said[0].names(), said[0].news()) == (said[1].names(), said[1].news())
        module._learn(compiled, said[0].names())
        plain_learn(plain, said[1].names())
        leaves = module._packed(start, said[0].news()), plain_packed(start, said[1].news())
        assert module._decode(leaves[0]) == module._decode(leaves[1]) == (start, array("Q", said[1].news()).tolist())
    crowd = packed((5 << 45) + number for number in (1, 2, 1, 3, 4))
    module._learn(compiled, crowd)
    plain_learn(plain, crowd)
    assert compiled == plain


@pytest.mark.parametrize("sketch", [("a",), (1, None), None])
def test_what_is_no_phrase_is_not_shown(sketch: tuple[int, ...]) -> None:
    with pytest.raises((TypeError, OverflowError)):
        Phrases().show().has_news(1, sketch)


def test_a_memory_that_is_too_small_is_not_looked_into() -> None:
    small = array("Q", bytes(64))
    with pytest.raises((ValueError, IndexError)):
        module._shown(small).has_news(1 << 63, (0,))
    with pytest.raises((ValueError, IndexError)):
        module._learn(small, packed([1 << 63]))
