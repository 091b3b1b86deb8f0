"""The heads of queues in memory."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gossamer.errors import StoreError
from gossamer.frontier import ahead
from gossamer.frontier.ahead import ReadAhead
from gossamer.frontier.keys import queue_key
from gossamer.frontier.store import Store

steps = st.lists(
    st.tuples(st.sampled_from(("push", "push", "push", "pop", "remove", "remove_first")), st.integers(0, 60)), max_size=80
)


class Queue:
    """One queue on disk with its head in memory, as the ledger keeps it."""

    def __init__(self, store: Store, host: int) -> None:
        self.store, self.host, self.ahead = store, host, ReadAhead(store)
        self.expected: set[bytes] = set()

    def push(self, number: int) -> None:
        key = queue_key(self.host, 1, float(number), 0)
        if key not in self.expected:
            self.ahead.push(self.host, 1, key, b"row", len(self.expected))
            self.expected.add(key)
            self.write(put=key)

    def pop(self, _: int) -> None:
        if self.expected:
            key, _ = self.ahead.pop(self.host, 1, len(self.expected))
            assert key == min(self.expected)
            self.expected.discard(key)
            self.write(delete=key)

    def remove(self, number: int) -> None:
        key = sorted(self.expected)[number % len(self.expected)] if self.expected else None
        if key is not None:
            self.ahead.discard(self.host, 1, key)
            self.expected.discard(key)
            self.write(delete=key)

    def remove_first(self, _: int) -> None:
        self.remove(0)

    def write(self, put: bytes | None = None, delete: bytes | None = None) -> None:
        batch = self.store.batch()
        if put is not None:
            batch.put(put, b"row")
        if delete is not None:
            batch.delete(delete)
        self.store.write(batch)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory):
    opened = Store(tmp_path_factory.mktemp("ahead") / "store", 1 << 20)
    yield opened
    opened.close()


@settings(max_examples=200, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(
    steps=[("push", 50), ("push", 45), ("push", 40), ("push", 30), ("remove_first", 0), ("remove_first", 0)], few=1, room=9
)
@given(steps=steps, few=st.integers(1, 4), room=st.integers(0, 6))
def test_what_is_taken_is_always_the_first_that_waits(
    store: Store, monkeypatch: pytest.MonkeyPatch, steps: list[tuple[str, int]], few: int, room: int
) -> None:
    monkeypatch.setattr(ahead, "FEW", few)
    monkeypatch.setattr(ahead, "ROOM", room)
    queue = Queue(store, host=few)
    for action, number in steps:
        getattr(queue, action)(number)
    while queue.expected:
        queue.pop(0)
    assert queue.ahead._room == room


@pytest.mark.parametrize("room", [0, 1, 100])
def test_what_was_taken_is_not_taken_again_before_it_is_deleted(
    store: Store, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    monkeypatch.setattr(ahead, "FEW", 2)
    monkeypatch.setattr(ahead, "ROOM", room)
    queue = Queue(store, host=100 + room)
    for number in range(9):
        queue.push(number)
    queue.ahead = ReadAhead(store)
    taken = [queue.ahead.pop(queue.host, 1, 9 - number)[0] for number in range(9)]
    assert taken == sorted(queue.expected)


def test_a_queue_that_is_shorter_than_counted_is_a_damaged_store(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", 1 << 20)
    with pytest.raises(StoreError, match="damaged"):
        ReadAhead(store).pop(1, 1, 3)
    store.close()
