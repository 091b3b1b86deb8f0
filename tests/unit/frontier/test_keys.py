"""Where rows stand."""

from hypothesis import given
from hypothesis import strategies as st

from gossamer.frontier.keys import (
    host_key,
    host_name,
    host_queues,
    later_key,
    later_prefix,
    queue_key,
    queue_prefix,
    slot_of,
    sortable,
    url_key,
)

numbers = st.integers(0, 2**64 - 1)
floats = st.floats(allow_nan=False).map(lambda number: number + 0.0)
places = st.tuples(numbers, st.integers(0, 2), floats, numbers)


@given(floats, floats)
def test_the_order_of_the_bytes_is_the_order_of_the_floats(one: float, other: float) -> None:
    assert (sortable(one) < sortable(other)) == (one < other)


@given(places, places)
def test_a_queue_is_in_the_order_of_host_class_rank_and_sequence(
    one: tuple[int, int, float, int], other: tuple[int, int, float, int]
) -> None:
    assert (queue_key(*one) < queue_key(*other)) == (one < other)
    assert queue_key(*one).startswith(queue_prefix(*one[:2])) and queue_key(*one).startswith(host_queues(one[0]))


@given(st.tuples(numbers, floats, numbers), st.tuples(numbers, floats, numbers))
def test_what_waits_for_a_date_is_in_the_order_of_host_and_date(
    one: tuple[int, float, int], other: tuple[int, float, int]
) -> None:
    assert (later_key(*one) < later_key(*other)) == (one < other)
    assert later_key(*one).startswith(later_prefix(one[0]))


@given(numbers, st.text(min_size=1))
def test_slots_and_names_come_back(slot: int, name: str) -> None:
    assert slot_of(url_key(slot)) == slot and len(url_key(slot)) == 9
    assert host_name(host_key(name)) == name
