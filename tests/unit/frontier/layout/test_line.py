"""The lines of hosts: the first tickets in the host's row, the rest on disk."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gossamer.errors import StoreError
from gossamer.frontier.layout import line as module
from gossamer.frontier.layout.host import Host
from gossamer.frontier.layout.keys import TICKET, host_queues, ticket_of
from gossamer.frontier.layout.line import HostQueues, joined, stands_in, without
from gossamer.frontier.layout.store import Store

tickets = st.builds(ticket_of, st.integers(0, 2), st.sampled_from((-5.0, 0.0, 5.0)), st.integers(0, 9))
steps = st.lists(
    st.tuples(st.sampled_from(("push", "push", "push", "pop", "remove", "remove_first", "advance")), st.integers(0, 60)),
    max_size=80,
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory):
    opened = Store(tmp_path_factory.mktemp("line") / "store", 1 << 20)
    yield opened
    opened.close()


class Waiting:
    """One host whose line is changed as the ledger changes it."""

    def __init__(self, store: Store, number: int) -> None:
        self.store, self.lines, self.host = store, HostQueues(store), Host("a.example", number)
        self.expected: set[bytes] = set()

    def push(self, number: int) -> None:
        ticket = ticket_of(number % 3, float(number), 0)
        if ticket not in self.expected:
            self.expected.add(ticket)
            batch = self.store.batch()
            self.lines.push(batch, self.host, ticket)
            self.store.write(batch)

    def pop(self, number: int) -> None:
        of_class = sorted(ticket for ticket in self.expected if ticket[0] == number % 3)
        if of_class:
            batch = self.store.batch()
            assert self.lines.pop(batch, self.host, number % 3) == of_class[0]
            self.store.write(batch)
            self.expected.discard(of_class[0])

    def remove(self, number: int) -> None:
        if self.expected:
            ticket = sorted(self.expected)[number % len(self.expected)]
            batch = self.store.batch()
            self.lines.discard(batch, self.host, ticket)
            self.store.write(batch)
            self.expected.discard(ticket)

    def advance(self, number: int) -> None:
        """Move a few in one batch, half the way to the front."""
        batch = self.store.batch()
        for before in sorted(self.expected)[number % 5 :: 3]:
            after = ticket_of(before[0], (60 - number) / 2 - 31.0 - number, len(self.expected) + number)
            if after < before and after not in self.expected:
                self.lines.advance(batch, self.host, before, after)
                self.expected ^= {before, after}
        self.store.write(batch)

    def remove_first(self, _: int) -> None:
        self.remove(0)

    def check(self) -> None:
        line = self.host.line
        held = [line[at : at + TICKET] for at in range(0, len(line), TICKET)]
        aside = [key[-TICKET:] for key, _ in self.store.scan(host_queues(self.host.number))]
        assert held == sorted(held) and sorted(held + aside) == sorted(self.expected)
        assert self.host.waiting == len(self.expected)
        for priority in range(3):
            mine, rest = ([ticket for ticket in each if ticket[0] == priority] for each in (held, aside))
            assert len(mine) <= 2 * module.FEW and len(rest) == (self.host.more or (0, 0, 0))[priority]
            assert not rest or (mine and mine[-1] < rest[0])


@settings(max_examples=200, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(steps=[("push", number) for number in (51, 45, 39, 30, 0)] + [("remove_first", 0)] * 4, few=1)
@given(steps=steps, few=st.integers(1, 4))
def test_what_is_taken_is_always_the_first_that_waits(
    store: Store, monkeypatch: pytest.MonkeyPatch, steps: list[tuple[str, int]], few: int
) -> None:
    monkeypatch.setattr(module, "FEW", few)
    waiting = Waiting(store, number=few)
    for action, number in steps:
        getattr(waiting, action)(number)
        waiting.check()
    for priority in range(3):
        while any(ticket[0] == priority for ticket in waiting.expected):
            waiting.pop(priority)
    assert not waiting.host.line and waiting.host.more is None


def test_what_was_taken_is_not_taken_again_before_it_is_deleted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW", 2)
    waiting = Waiting(store, number=100)
    for number in range(0, 60, 3):
        waiting.push(number)
    batch = store.batch()
    taken = [waiting.lines.pop(batch, waiting.host, 0) for _ in range(20)]
    assert taken == sorted(waiting.expected)
    store.write(batch)
    assert not list(store.scan(host_queues(100)))


def test_a_queue_that_is_shorter_than_counted_is_a_damaged_store(store: Store) -> None:
    host = Host("a.example", 200)
    host.line, host.more = ticket_of(1, 1.0, 0), (0, 3, 0, 0, 0, 0, 0)
    with pytest.raises(StoreError, match="damaged"):
        HostQueues(store).pop(store.batch(), host, 1)


@given(st.lists(tickets, unique=True, min_size=1))
def test_a_line_is_in_order_whatever_the_order_of_joining(found: list[bytes]) -> None:
    line = b""
    for ticket in found:
        line = joined(line, ticket)
    assert line == b"".join(sorted(found)) and all(stands_in(line, ticket) for ticket in found)
    assert without(line, found[0]) == b"".join(sorted(found[1:])) and not stands_in(without(line, found[0]), found[0])


def test_a_ticket_is_not_found_across_two_others() -> None:
    before, ticket = b"\0" + 16 * b"\1", 17 * b"\1"
    assert not stands_in(before + b"\1" + 16 * b"\2", ticket)
    assert without(before + ticket, ticket) == before
