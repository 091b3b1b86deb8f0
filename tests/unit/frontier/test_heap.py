"""The heap of hosts, compiled and pure."""

import sys
from math import inf
from random import Random

import pytest

from gossamer.frontier.heap import Heap, PureHeap

KINDS = list(dict.fromkeys((Heap, PureHeap)))  # one, where nothing is compiled
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__module__.rpartition(".")[2])


@each_kind
def test_items_come_out_by_time_and_ties_by_number(kind: type[PureHeap[str]]) -> None:
    random, heap = Random(7), kind()
    entries = [(float(random.randrange(40)), number) for number in random.sample(range(3000), 1000)]
    waiting: list[tuple[float, int]] = []
    for time, number in entries:  # in and out in turns, so that every shape of the heap comes up
        heap.push(time, number, f"{time} {number}")
        waiting.append((time, number))
        if random.random() < 0.4:
            first = min(waiting)
            waiting.remove(first)
            assert (heap.time, heap.top) == (first[0], f"{first[0]} {first[1]}")
            assert heap.pop() == f"{first[0]} {first[1]}"
    assert [heap.pop() for _ in range(len(heap))] == [f"{time} {number}" for time, number in sorted(waiting)]


@each_kind
def test_an_empty_heap_has_no_time_and_nothing_on_top(kind: type[PureHeap[str]]) -> None:
    heap = kind()
    assert not heap and heap.time == inf
    for look in (lambda: heap.top, heap.pop):
        with pytest.raises(IndexError):
            look()


@each_kind
def test_everything_can_be_taken_out_at_once(kind: type[PureHeap[str]]) -> None:
    heap = kind()
    for number in range(100):
        heap.push(1.0, number, str(number))
    assert sorted(heap.drain()) == [(1.0, number, str(number)) for number in range(100)]
    assert not heap and heap.drain() == []


@each_kind
def test_it_lets_go_of_what_it_held(kind: type[PureHeap[object]]) -> None:
    item = object()
    before = sys.getrefcount(item)
    heap = kind()
    for number in range(200):
        heap.push(1.0, number, item)
    assert sys.getrefcount(item) == before + 200
    for _ in range(50):
        heap.pop()
    assert sys.getrefcount(item) == before + 150
    heap.drain()
    assert sys.getrefcount(item) == before
    heap.push(1.0, 1, item)
    del heap
    assert sys.getrefcount(item) == before


@pytest.mark.parametrize("arguments", [(), (1.0, 2), ("1", 2, None), (1.0, "2", None), (1.0, 1 << 64, None)])
def test_the_compiled_one_refuses_what_is_no_time_or_number(arguments: tuple[object, ...]) -> None:
    heap: Heap[object] = Heap()
    for time, number in ((1.0, 1), (1.0, 2)):
        heap.push(time, number, None)
    if Heap is not PureHeap:
        with pytest.raises((TypeError, OverflowError)):
            heap.push(*arguments)
    assert len(heap) == 2
