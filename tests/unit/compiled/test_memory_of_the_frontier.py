"""What Python hands to the compiled frontier is looked at before memory is: what is wrong is an exception.

Each of these read or wrote beyond an object, or one that was freed, or took one kind of object for another. Some only show that
under the sanitizers (`make sanitize`); on the ordinary build they ended in silence, in a SystemError or in a dead process.
"""

import gc
import subprocess
import sys
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.errors import StoreError
from gossamer.frontier import line
from gossamer.frontier.embedded import EmbeddedFrontier
from gossamer.frontier.keys import ticket_of
from gossamer.frontier.sheets import PureSheet
from gossamer.frontier.turns import Turn
from gossamer.records.entry import Entry
from gossamer.records.host import HostClock
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome

pytest.importorskip("gossamer.frontier._host", reason="nothing is compiled")

from gossamer.frontier import _heap, _journal, _lease, _schedule, _settle, _sheet, _slots
from gossamer.frontier._bloom import Bloom
from gossamer.frontier._host import Host

NOW = 1_700_000_000.0
TICKET = ticket_of(1, 1.0, 256)
ENTRY = Entry("http://a.test/", "http://a.test/", "a.test")
TURN = Turn(Host("a", 1), TICKET, HostClock(), HostClock(), 0.0, 1)


def opened(path: Path) -> EmbeddedFrontier:
    return EmbeddedFrontier.open_at(path, FrontierSettings(), Politeness(delay=0.0), Breaker(), 40.0, NOW, durable=False)


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


# --- the lines of hosts -------------------------------------------------------------------------------------------------

NO_LINES = [TICKET + b"cut", b"x", TICKET[:-1], b"\7" + TICKET[1:], b"\xff" * 17, "text", None, bytearray(TICKET)]


@pytest.mark.parametrize("value", NO_LINES)
@pytest.mark.parametrize("field", ["line", "out"])
def test_a_host_takes_only_whole_tickets_of_queues_there_are(field: str, value: object) -> None:
    host = Host("a", 1)
    with pytest.raises(ValueError, match="whole tickets"):
        setattr(host, field, value)
    assert getattr(host, field) == b"" and host.waiting == 0


@pytest.mark.parametrize("value", [(0, 1, 2), (0,) * 8, "seven..", (1, 2, 3, 4, 5, 6, "7"), [0] * 7])
def test_a_host_counts_every_queue_or_none(value: Any) -> None:
    host = Host("a", 1)
    with pytest.raises(ValueError, match="each queue"):
        host.more = value


@pytest.mark.parametrize("field", ["line", "out", "more", "policy", "clock"])
def test_a_host_keeps_all_its_fields(field: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)):
        delattr(Host("a", 1), field)


@pytest.mark.parametrize("raw", [TICKET + b"cut", b"\x09" + TICKET[1:]])
def test_a_line_on_disk_that_is_none_is_a_damaged_store(raw: bytes) -> None:
    with pytest.raises(StoreError, match="damaged"):
        line.whole(raw)


def test_more_queues_on_disk_than_there_are_is_a_damaged_store() -> None:
    with pytest.raises(StoreError, match="damaged"):
        line.all_queues((0,) * 8)


# --- heaps and turns ----------------------------------------------------------------------------------------------------


def heaps_with(item: object) -> tuple[Any, ...]:
    heaps = tuple(_heap.Heap() for _ in range(7))
    heaps[1].push(1.0, 1, item)
    return heaps


BOOKS = (([0, 0], (1, 1)), ([0, 0, 0], (1, 1, 1)), ([0, 0, 0], (1, 1, 1)))


def test_what_is_no_host_is_not_leased() -> None:
    with pytest.raises(TypeError, match="no compiled host"):
        _lease.claim(heaps_with(object()), 1, 2.0, 9.0, BOOKS, 0.0, None, TURN)
    with pytest.raises(TypeError, match="no compiled host"):
        _schedule.ready(heaps_with("text"), 2.0)


@pytest.mark.parametrize("heaps", [(), (1, 2, 3), (_heap.Heap(),) * 6, (_heap.Heap(),) * 70, (None,) * 7])
def test_what_is_no_heap_is_not_looked_into(heaps: Any) -> None:
    with pytest.raises(TypeError, match="heap"):
        _schedule.ready(heaps, 2.0)
    with pytest.raises(TypeError, match="heap"):
        _schedule.place_all([], heaps, print, None, 1, 100)


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


BARE = Turn(Host("a", 1), b"", HostClock(), HostClock(), 0.0, 1)
SHORT = Turn(Host("a", 1), TICKET[:9], HostClock(), HostClock(), 0.0, 1)
STRANGE = Turn(Host("a", 1), None, HostClock(), HostClock(), 0.0, 1)  # type: ignore[arg-type]
NOBODY = Turn("a", TICKET, HostClock(), HostClock(), 0.0, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("turn", [BARE, SHORT, STRANGE, NOBODY, object(), "text", 1])
def test_only_turns_with_a_ticket_are_given(turn: Any) -> None:
    pattern = Lease(token=0, worker="", entry=ENTRY, leased_at=0.0, until=1.0)
    with pytest.raises(TypeError):
        _lease.noted([turn])
    with pytest.raises(TypeError):
        _lease.begin([turn], ["me"], [b""], [], 1, pattern, {}, lambda *_: None)


@pytest.mark.parametrize("read", [lambda *_: None, lambda *_: object()])
def test_an_entry_that_python_reads_is_one(read: Any) -> None:
    pattern = Lease(token=0, worker="", entry=ENTRY, leased_at=0.0, until=1.0)
    with pytest.raises(TypeError, match="as it was written"):
        _lease.begin([TURN], ["me"], [None], [], 1, pattern, {}, read)


def test_a_list_that_is_emptied_while_its_turns_are_given_is_an_error() -> None:
    pattern = Lease(token=0, worker="", entry=ENTRY, leased_at=0.0, until=1.0)
    turns, workers = [Turn(Host("a", 1), TICKET, HostClock(), HostClock(), 0.0, 1) for _ in range(3)], ["me"] * 3

    def read(*_: object) -> None:
        for turn in turns:
            turn.ticket, turn.host = b"", Host("b", 2)
        turns.clear()
        workers.clear()
        gc.collect()

    with pytest.raises((TypeError, IndexError)):
        _lease.begin(turns, workers, [None], [], 1, pattern, {}, read)


# --- copies of structs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "copy", [lambda self: self, lambda self: 7, lambda self: Entry("", "", "")], ids=["same", "int", "other"]
)
async def test_a_copy_that_is_no_new_struct_is_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, copy: Callable[[Any], Any]
) -> None:
    host, heaps = Host("a", 1), heaps_with(None)
    host.line, host.ready = TICKET, 1.0
    heaps[1].pop()
    heaps[1].push(1.0, 1, host)
    before = host.clock
    with monkeypatch.context() as patched:
        patched.setattr(HostClock, "__copy__", copy, raising=False)
        with pytest.raises(TypeError, match="not a new struct"):
            _lease.claim(heaps, 1, 2.0, 9.0, BOOKS, 5.0, host.policy, TURN)
    assert before == HostClock() and Turn is type(TURN)


def test_where_a_copy_is_no_new_struct_the_pure_way_is_taken() -> None:
    program = """
from gossamer.records.host import HostClock
HostClock.__copy__ = lambda self: self
from gossamer.frontier import turns, schedule, endings
assert turns._swift is None and schedule._swift is None and endings.settle_page is None
"""
    subprocess.run([sys.executable, "-c", program], check=True)


# --- endings ------------------------------------------------------------------------------------------------------------

ANSWER = Answer(at=NOW, seconds=1.0, failed=False)


def settle(live: dict[int, Any], lease: Lease, clock_after: Callable[..., Any]) -> Any:
    settlement = Settlement(lease=lease, fate=Fate.DONE, outcome=Outcome.OK, answer=ANSWER)
    rules = (1.0, 5.0, 0.1, 8.0)
    calls = (lambda *_: None, "family", None, clock_after, lambda *_: None, lambda *_: [0, 0, 0], lambda *_: None)
    return _settle.settle([settlement], NOW, live, set(), set(), *calls, rules)


@pytest.mark.parametrize(
    "turn", [object(), "text", 1.5, (), Turn(Host("a", 1), TICKET, HostClock(), HostClock(), 0.0, 1, None)]
)
def test_what_is_no_turn_is_not_ended(turn: Any) -> None:
    lease = Lease(token=1, worker="me", entry=ENTRY, leased_at=0.0, until=NOW + 1)
    with pytest.raises(TypeError, match="no turn"):
        settle({1: turn}, lease, lambda *_: HostClock())


@pytest.mark.parametrize("row", ["text", object()])
def test_a_turn_whose_row_is_none_is_not_ended(row: Any) -> None:
    lease = Lease(token=1, worker="me", entry=ENTRY, leased_at=0.0, until=NOW + 1)
    turn = Turn(Host("a", 1), TICKET, HostClock(), HostClock(), 0.0, 1, lease, row=row)
    with pytest.raises(TypeError, match="no turn"):
        settle({1: turn}, lease, lambda *_: HostClock())


def test_a_turn_keeps_its_ticket_and_its_host_until_it_has_ended() -> None:
    host = Host("a", 1, None, HostClock(failures=3))  # type: ignore[arg-type]
    lease = Lease(token=1, worker="me", entry=ENTRY, leased_at=0.0, until=NOW + 1)
    turn = Turn(host, bytes(bytearray(TICKET)), HostClock(), HostClock(), 0.0, 1, lease)
    host.out = bytes(bytearray(TICKET)) * 3
    del host

    def clock_after(host: Host, *_: object) -> HostClock:
        turn.ticket, turn.host = b"", Host("b", 2)
        return HostClock()

    assert settle({1: turn}, lease, clock_after)[0] == 1


# --- admission ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [3, 7, -2, 1 << 40, None])
async def test_an_entry_ends_in_one_of_three_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: object) -> None:
    frontier = opened(tmp_path)
    admission = frontier._admission
    monkeypatch.setattr(type(admission), "_admit", lambda *_: kind)
    refused = Entry("http://a.test/x", "http://a.test/x", "a.test", refused=object())  # type: ignore[arg-type]
    with pytest.raises((ValueError, TypeError)):
        admission.admit([refused], NOW)
    monkeypatch.undo()
    await frontier.aclose()


@pytest.mark.parametrize("priority", [-1, 7, 40, 1 << 20])
async def test_an_entry_is_in_a_queue_there_is(tmp_path: Path, priority: Any) -> None:
    frontier = opened(tmp_path)
    with pytest.raises(ValueError, match="there is no queue"):
        frontier._admission.admit([Entry("http://a.test/x", "http://a.test/x", "a.test", priority=priority)], NOW)
    await frontier.aclose()


def test_of_an_entry_that_cannot_be_written_nothing_is_left_in_the_sheet() -> None:
    sheet, pure = _sheet.Sheet(lambda _: b"\xc0"), PureSheet(lambda _: b"\xc0")
    with pytest.raises(UnicodeEncodeError):
        sheet.add(1, 1, Entry("http://a.test/", "key", "host", via="\ud800"), NOW)
    for number in (1, 2):
        assert sheet.add(number, number, ENTRY, NOW) == pure.add(number, number, ENTRY, NOW)
    assert sheet.take() == pure.take()


def test_a_sheet_is_never_written_beyond_its_eighth_entry() -> None:
    def encode(_: object) -> bytes:
        while sheet.count < 8:
            sheet.add(1, 1, ENTRY, NOW)
        return b"\xc0"

    sheet = _sheet.Sheet(encode)
    with pytest.raises(ValueError, match="full"):
        sheet.add(1, 1, Entry("u", "k", "h", refused=object()), NOW)  # type: ignore[arg-type]
    assert sheet.count == 8


def test_an_empty_sheet_can_be_taken() -> None:
    assert _sheet.Sheet(lambda _: b"").take() == bytes(9)


# --- the journal and the slots ------------------------------------------------------------------------------------------


def test_a_host_is_held_while_its_row_is_written() -> None:
    hosts = [Host(f"{number}", number, object(), HostClock(recent=1 << 90)) for number in range(3)]  # type: ignore[arg-type]

    def encode(what: object) -> bytes:
        for host in hosts:
            host.clock, host.policy = HostClock(next_time=5.0), object()  # type: ignore[assignment]
        hosts.clear()
        return b"\xc0"

    with pytest.raises((IndexError, TypeError)):
        _journal.encode_all(hosts, 1, 1, encode, lambda *_: (), None, None)


def test_fences_may_begin_at_any_byte(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes((5).to_bytes(8, "big") + (9).to_bytes(8, "big"))
    with (tmp_path / "run").open("rb") as file:
        assert _slots.find(file.fileno(), memoryview(b"x" + array("Q", [5]).tobytes())[1:], 5) == 9  # type: ignore[arg-type]
