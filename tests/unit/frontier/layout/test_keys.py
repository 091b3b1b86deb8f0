"""Where rows stand."""

from hypothesis import given
from hypothesis import strategies as st

from gossamer.frontier.layout.keys import (
    TICKET,
    host_key,
    host_name,
    host_queues,
    later_key,
    later_prefix,
    number_in,
    number_key,
    queue_key,
    queue_prefix,
    reference_in,
    sortable,
    ticket_of,
    tried,
    url_key,
)

numbers = st.integers(0, 2**64 - 1)
floats = st.floats(allow_nan=False).map(lambda number: number + 0.0)
places = st.tuples(st.integers(0, 2), floats, numbers)


@given(floats, floats)
def test_the_order_of_the_bytes_is_the_order_of_the_floats(one: float, other: float) -> None:
    assert (sortable(one) < sortable(other)) == (one < other)


@given(places, places)
def test_tickets_are_in_the_order_of_class_rank_and_sequence(
    one: tuple[int, float, int], other: tuple[int, float, int]
) -> None:
    assert (ticket_of(*one) < ticket_of(*other)) == (one < other)
    assert len(ticket_of(*one)) == TICKET and ticket_of(*one)[0] == one[0] and reference_in(ticket_of(*one)) == one[2]


@given(numbers, places, numbers, places)
def test_a_queue_is_in_the_order_of_hosts_and_tickets(
    host: int, one: tuple[int, float, int], other_host: int, other: tuple[int, float, int]
) -> None:
    key, other_key = queue_key(host, ticket_of(*one)), queue_key(other_host, ticket_of(*other))
    assert (key < other_key) == ((host, one) < (other_host, other))
    assert key.startswith(queue_prefix(host, one[0])) and key.startswith(host_queues(host))


@given(places)
def test_a_url_that_was_tried_keeps_its_place(place: tuple[int, float, int]) -> None:
    priority, rank, reference = place
    assert tried(ticket_of(priority, rank, reference)) == ticket_of(priority, rank, reference | 1)


@given(st.tuples(numbers, floats, numbers), st.tuples(numbers, floats, numbers))
def test_what_waits_for_a_date_is_in_the_order_of_host_and_date(
    one: tuple[int, float, int], other: tuple[int, float, int]
) -> None:
    assert (later_key(*one) < later_key(*other)) == (one < other)
    assert later_key(*one).startswith(later_prefix(one[0]))


@given(numbers, st.text(min_size=1))
def test_numbers_and_names_come_back(number: int, name: str) -> None:
    assert number_in(number_key(number)) == number and number_in(url_key(number)) == number >> 8
    assert host_name(host_key(name)) == name
