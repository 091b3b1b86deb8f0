"""What Python hands to a compiled module is looked at before memory is: what is wrong is an exception.

Each of these read or wrote beyond an object, or one that was freed, or took one kind of object for another. Some only show that
under the sanitizers (`make sanitize`); on the ordinary build they ended in silence, in a SystemError or in a dead process.
"""

import gc
import sys
from array import array
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("gossamer.processors._scan", reason="nothing is compiled")

from gossamer import _edges as edges
from gossamer.dedupe import _recent as recent
from gossamer.lessons import _phrases as phrases
from gossamer.storage import _ranking as ranking
from gossamer.url import _join as joining

HEAD = 6 * 4 << 17  # bytes of heads of chains, as in `recent.py`


class Waking:
    """Calls somebody when the garbage collector finds it."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.call, self.me = call, self

    def __del__(self) -> None:
        self.call()


# --- the ranking of a graph ---------------------------------------------------------------------------------------------


def block(page: int, targets: range) -> tuple[bytes, int, int]:
    names = array("Q", [page]).tobytes() + array("I", [len(targets)]).tobytes() + array("Q", targets).tobytes()
    return names + bytes([1]) * len(targets), 1, len(targets)


def test_a_ranking_is_not_changed_while_its_best_are_told() -> None:
    made, refused = ranking.Ranking(1 << 30), list[BaseException]()
    assert made.add(*block(1, range(10, 2000)))
    made.rank(0.85, 0.01, 3)

    def grow() -> None:
        try:
            made.add(*block(2, range(10_000, 200_000)))
        except RuntimeError as problem:
            refused.append(problem)

    before = gc.get_threshold()
    gc.collect()
    gc.set_threshold(50)
    try:
        Waking(grow)
        told = made.best(1990, 0.0, 0.0)
    finally:
        gc.set_threshold(*before)
    assert refused and len(told) == 1990 and {name for name, *_ in told} == set(range(10, 2000))
    assert made.add(*block(3, range(5))), "it is free again"


# --- links, texts and names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "base", [("abcdef", 0, 5, 6), ("/", 0, 1, 1), ("", 0, 0, 0), ("http://a", 8, 8, 8), ("h/" * 9, 1, 18, 18)]
)
@pytest.mark.parametrize("href", ["../x", "//h.test/x", "/x", "?x", "../../../x"])
def test_a_link_is_joined_only_with_a_base_of_the_web(base: tuple[str, int, int, int], href: str) -> None:
    with pytest.raises(ValueError, match="base"):
        joining.join_all(*base, [href])


class Number:
    """Becomes a number by a call."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.call = call

    def __index__(self) -> int:
        self.call()
        return 7


def test_phrases_find_room_whoever_shows_some_meanwhile() -> None:
    shown = phrases.Shown(array("Q", bytes(16 << 19)))
    more = iter(range(3, 400))

    def show() -> None:
        shown.has_news(next(more), tuple(range(64)))

    assert shown.has_news(1, tuple(Number(show) for _ in range(40)))  # type: ignore[misc]
    assert len(set(array("Q", shown.names()))) == len(shown.names()) // 8 == 40 * 64 + 1


@pytest.mark.parametrize("size", range(8 * 17 + 1, 8 * 18))
def test_names_that_are_cut_are_learned_up_to_the_last_whole_one(size: int) -> None:
    memory, same = (array("Q", bytes(16 << 19)) for _ in range(2))
    names = bytes(range(1, size + 1))
    phrases.learn(memory, names)
    phrases.learn(same, names[: size // 8 * 8])
    assert memory == same


def memory_that_says(place: int, value: int) -> bytearray:
    """Return a memory for seven pages with a false count: 0 is the first free slot, 1 those taken, 2 those free."""
    memory = bytearray(HEAD + 40 * 8)
    memory[HEAD + 16 + 4 * place : HEAD + 20 + 4 * place] = value.to_bytes(4, sys.byteorder)
    return memory


@pytest.mark.parametrize("memory", [memory_that_says(1, 1 << 31), memory_that_says(1, 99), memory_that_says(2, 1 << 31)])
def test_a_memory_of_recent_pages_that_was_never_one_is_refused(memory: bytearray) -> None:
    for use in (recent.add, recent.remove, lambda *given: recent.enter(*given, 3)):
        with pytest.raises(ValueError, match="never one of ours"):
            use(memory, bytes(16))


def test_a_free_slot_beyond_the_memory_is_not_written_to() -> None:
    memory = memory_that_says(0, 1 << 20)
    assert recent.add(memory, bytes(16)) and recent.near(memory, 0, 3) == [(0, bytes(16))]


def test_a_memory_of_recent_pages_begins_where_numbers_can() -> None:
    with pytest.raises(ValueError, match="where no number can"):
        recent.near(memoryview(bytearray(HEAD + 40 * 9))[1:], 0, 3)  # type: ignore[arg-type]


class Url(str):
    """A text whose end is noticed."""

    call: Callable[[], object] = print

    def __del__(self) -> None:
        type(self).call()


def test_the_name_of_a_link_is_held_when_its_url_is_gone() -> None:
    names: dict[str, Any] = {"http://a.test/": [object()]}
    Url.call = names.clear
    link = type("Link", (), {"url": property(lambda _: Url("http://a.test/"))})()
    ((name,), unknown) = edges.split_known((link,), names)
    assert type(name) is list and not unknown and not names
