"""From the chronicle to a sink: batches, acknowledgement before the cursor, failures that cost nothing but time."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from telling import MemoryTelling

from gossamer.clock import SystemClock
from gossamer.config.sections import EventSettings
from gossamer.errors import ConsumerGone, CrawlInUse, SinkError
from gossamer.jobs.relay import forward
from gossamer.jobs.relay.cursor import SinkState, held_cursor, sink_states
from gossamer.jobs.relay.forward import Forwarder, next_wait
from gossamer.joints.chronicle import Telling
from gossamer.records.event import Event
from gossamer.records.location import Location
from gossamer.records.sinkuri import sink_uri
from gossamer.storage.chronicle import writer
from gossamer.storage.chronicle.jsonl import JsonlChronicle
from gossamer.testing.chronicle import NOW, visits
from gossamer.testing.sink import some_events

URI = sink_uri("redis://localhost/?stream=events", ["redis"])


class Listener:
    """A sink that fails when it is told to, before or after it has taken a batch."""

    def __init__(self, *failures: str) -> None:
        self.failures = list(failures)  # of each call in turn: "", "before", "after" or "gone"
        self.batches: list[list[str]] = []
        self.events: list[Event] = []

    async def send(self, events: Sequence[Event]) -> None:
        how = self.failures.pop(0) if self.failures else ""
        if how == "gone":
            raise ConsumerGone("nobody reads")
        if how == "bug":
            raise ZeroDivisionError("a bug")
        if how != "before":
            self.batches.append([event.id for event in events])
            self.events += events
        if how:
            raise SinkError("no answer")

    async def aclose(self) -> None: ...

    @property
    def ids(self) -> list[str]:
        return [each for batch in self.batches for each in batch]


async def as_they_are(events: list[Event]) -> list[Event]:
    return events


async def forwarded(place: Path, telling: Telling, sink: Listener, *, is_patient: bool = True, batch: int = 200) -> SinkState:
    """Tell a sink everything there is."""
    ending = asyncio.Event()
    ending.set()
    with held_cursor(place, URI, lambda state, count: None) as cursor:
        settings = EventSettings(batch=batch, linger=0.01)
        forwarder = Forwarder(telling, sink, cursor, as_they_are, settings, SystemClock())
        await forwarder.run(ending, is_patient=is_patient)
        return cursor.state


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward, "FIRST_WAIT", 0.001)


async def test_events_are_told_in_batches_and_the_cursor_is_at_the_last_one(tmp_path: Path) -> None:
    telling, sink = MemoryTelling(some_events(450)), Listener()
    state = await forwarded(tmp_path, telling, sink)
    assert [len(batch) for batch in sink.batches] == [200, 200, 50]
    assert sink.ids == [event.id for event in telling.events]
    assert (state.position, state.acknowledged) == (telling.events[-1].id, 450)
    assert list(telling.readers.values()) == [state.position]


async def test_a_sink_goes_on_where_it_was(tmp_path: Path) -> None:
    telling, sink = MemoryTelling(some_events(10)), Listener()
    await forwarded(tmp_path, telling, sink)
    telling.events += some_events(5, first=11)
    await forwarded(tmp_path, telling, sink)
    assert sink.ids == [event.id for event in telling.events]


async def test_a_batch_that_is_not_acknowledged_is_told_again_and_the_cursor_waits(tmp_path: Path) -> None:
    telling, sink = MemoryTelling(some_events(300)), Listener("", "before", "after", "after")
    state = await forwarded(tmp_path, telling, sink)
    assert [len(batch) for batch in sink.batches] == [200, 100, 100, 100]
    assert state.acknowledged == 300
    assert (state.error, state.failures) == ("", 0)


async def test_an_impatient_forwarder_leaves_a_sink_that_fails_where_it_is(tmp_path: Path) -> None:
    telling, sink = MemoryTelling(some_events(300)), Listener("", *["before"] * 10)
    state = await forwarded(tmp_path, telling, sink, is_patient=False)
    assert (state.position, state.error, state.failures) == (telling.events[199].id, "no answer", 1)
    assert sink_states(tmp_path) == [state]


async def test_a_sink_that_is_down_is_not_read_for(tmp_path: Path) -> None:
    telling, sink = MemoryTelling(some_events(10)), Listener(*["before"] * 5)
    await forwarded(tmp_path, telling, sink)
    assert telling.asked == 2  # its batch is kept meanwhile; the second look finds nothing more


async def test_a_bug_costs_a_try_and_no_event(tmp_path: Path) -> None:
    telling, sink = MemoryTelling(some_events(10)), Listener("bug")
    state = await forwarded(tmp_path, telling, sink)
    assert state.acknowledged == 10


async def test_nobody_waits_for_a_consumer_that_is_gone_for_good(tmp_path: Path) -> None:
    state = await forwarded(tmp_path, MemoryTelling(some_events(10)), Listener("gone"))
    assert (state.error, state.acknowledged) == ("nobody reads", 0)


async def test_the_chronicle_keeps_what_a_sink_was_never_told(tmp_path: Path) -> None:
    telling = MemoryTelling(some_events(10))
    await forwarded(tmp_path, telling, Listener("before"), is_patient=False)
    assert list(telling.readers.values()) == [""]


async def test_a_sink_that_is_behind_what_is_kept_is_told_how_much_it_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "ROLL", 1)  # a segment a block
    location = Location("jsonl", tmp_path / "chronicle", "")
    for times in (range(5), range(1_000, 1_001)):
        chronicle = await JsonlChronicle.open(location, True, True, keep=10.0)
        for number in times:
            chronicle.settle(await chronicle.add(visits(str(number)), NOW + number, {}))
        await chronicle.aclose()
    sink = Listener()
    await forwarded(tmp_path, await JsonlChronicle.open(location, True, False, keep=None), sink)
    gap, *rest = sink.events
    assert (gap.kind, gap.said["after"]) == ("gap", "")
    assert gap.said["blocks"] >= 4
    assert [event.said["url"].rpartition("/")[2] for event in rest][-1] == "1000"
    assert all(event.kind == "visit" for event in rest)


async def test_what_comes_later_is_told_soon(tmp_path: Path) -> None:
    telling, sink, ending = MemoryTelling(), Listener(), asyncio.Event()
    with held_cursor(tmp_path, URI, lambda state, count: ending.set()) as cursor:
        settings = EventSettings(linger=0.01)
        forwarder = Forwarder(telling, sink, cursor, as_they_are, settings, SystemClock())
        running = asyncio.create_task(forwarder.run(ending, is_patient=False))
        telling.events += some_events(3)
        await asyncio.wait_for(running, 20)
    assert len(sink.ids) == 3


def test_a_sink_that_fails_is_left_alone_longer_and_longer_but_never_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    waits = [next_wait(failures) for failures in (1, 2, 3, 4, 8, 100, 10**6)]
    assert waits == [0.5, 1.0, 2.0, 4.0, 60.0, 60.0, 60.0]


def test_two_processes_do_not_tell_one_sink(tmp_path: Path) -> None:
    with held_cursor(tmp_path, URI, lambda state, count: None):
        with pytest.raises(CrawlInUse, match="is told by process"), held_cursor(tmp_path, URI, lambda state, count: None):
            pass
        other = sink_uri("redis://localhost/?stream=others", ["redis"])
        with held_cursor(tmp_path, other, lambda state, count: None):
            pass


async def test_a_cursor_that_was_torn_by_a_power_loss_is_none(tmp_path: Path) -> None:
    telling, sink = MemoryTelling(some_events(10)), Listener()
    await forwarded(tmp_path, telling, sink)
    (path,) = (tmp_path / "sinks").glob("*.json")
    assert json.loads(path.read_text())["position"] == telling.events[-1].id
    path.write_bytes(path.read_bytes()[:20])
    assert sink_states(tmp_path) == []
    await forwarded(tmp_path, telling, sink)
    assert sink.ids == [event.id for event in telling.events] * 2


def test_more_of_a_page_or_a_new_secret_is_still_the_same_sink() -> None:
    other = sink_uri("redis://localhost/?stream=events&with=text&secret_env=KEY", ["redis"])
    assert other.name == URI.name


async def test_a_new_process_tries_at_once_whatever_failed_before(tmp_path: Path) -> None:
    telling = MemoryTelling(some_events(10))
    for _ in range(3):
        state = await forwarded(tmp_path, telling, Listener("before"), is_patient=False)
        assert (state.failures, state.error) == (1, "no answer")
