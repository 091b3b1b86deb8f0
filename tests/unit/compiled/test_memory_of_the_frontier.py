"""What Python hands to the compiled frontier is looked at before memory is: what is wrong is an exception.

Each of these read or wrote beyond an object, or one that was freed, or took one kind of object for another. Some only show that
under the sanitizers (`make sanitize`); on the ordinary build they ended in silence, in a SystemError or in a dead process.
"""

import gc
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gossamer.errors import StoreError
from gossamer.frontier.layout import line
from gossamer.frontier.layout.keys import ticket_of

pytest.importorskip("gossamer.frontier._heap", reason="nothing is compiled")

from gossamer.frontier import _heap, _slots
from gossamer.frontier._bloom import Bloom

TICKET = ticket_of(1, 1.0, 256)


class Waking:
    """Calls somebody when the garbage collector finds it."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.call, self.me = call, self

    def __del__(self) -> None:
        self.call()


# --- the Bloom filter ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layers", [[], [bytes(64), b"cut"], [bytes(64)] * 33, [bytes(64), None]])
def test_a_filter_that_cannot_be_restored_stays_as_it_is(layers: list[bytes]) -> None:
    bloom = Bloom(100)
    assert bloom.add(7)
    with pytest.raises((ValueError, TypeError)):
        bloom.restore(layers, 100, 0, 0)
    assert 7 in bloom and bloom.add(8) and bloom.count == 2


def test_a_filter_that_cannot_be_that_large_stays_as_it_is() -> None:
    bloom = Bloom(100)
    bloom.add(7)
    with pytest.raises(ValueError, match="cannot be made"):
        bloom.__init__(1 << 50)  # type: ignore[misc]
    assert 7 in bloom and bloom.add(8)


def test_a_filter_that_was_never_made_is_an_empty_one() -> None:
    bloom = Bloom.__new__(Bloom)
    assert 7 not in bloom and bloom.add(7) and 7 in bloom


# --- lines --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", [TICKET + b"cut", b"\x09" + TICKET[1:]])
def test_a_line_on_disk_that_is_none_is_a_damaged_store(raw: bytes) -> None:
    with pytest.raises(StoreError, match="damaged"):
        line.whole(raw)


def test_more_queues_on_disk_than_there_are_is_a_damaged_store() -> None:
    with pytest.raises(StoreError, match="damaged"):
        line.all_queues((0,) * 8)


# --- heaps and slots ---------------------------------------------------------------------------------------------------


def test_a_heap_is_emptied_whole_whoever_pushes_meanwhile() -> None:
    heap: Any = _heap.Heap()
    for number in range(2000):
        heap.push(1.0, number, object())
    before = gc.get_threshold()
    gc.collect()
    gc.set_threshold(50)
    try:
        Waking(lambda: [heap.pop() for _ in range(len(heap))])
        entries = heap.drain()
    finally:
        gc.set_threshold(*before)
    assert len(entries) == 2000 and all(type(entry) is tuple for entry in entries)


def test_fences_may_begin_at_any_byte(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes((5).to_bytes(8, "big") + (9).to_bytes(8, "big"))
    with (tmp_path / "run").open("rb") as file:
        assert _slots.find(file.fileno(), memoryview(b"x" + array("Q", [5]).tobytes())[1:], 5) == 9  # type: ignore[arg-type]
