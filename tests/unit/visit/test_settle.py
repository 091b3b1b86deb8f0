"""How a visit ends, by its answer; and that ends become durable in the right order, together."""

import asyncio

import pytest
from msgspec.structs import replace

from gossamer.clock import SystemClock
from gossamer.config.sections import Breaker, Politeness, Settings, Traps
from gossamer.dedupe.near import NearIndex
from gossamer.document.body import Body
from gossamer.edges import pack
from gossamer.kv.memory import MemoryKeyValue
from gossamer.lessons.book import LessonBook
from gossamer.node.chains import Chains
from gossamer.node.checkpoint import CommitPause
from gossamer.node.chronicler import Chronicler
from gossamer.node.commit import Committer
from gossamer.policy.turn import TurnRules
from gossamer.records.entry import Entry
from gossamer.records.fetch import Fetched
from gossamer.records.hints import Hint
from gossamer.records.lease import Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.page import Extract, Original, Place
from gossamer.records.visit import Lesson
from gossamer.storage.chronicle.none import NoChronicle
from gossamer.visit.arrivals import Arrivals
from gossamer.visit.settle import Kept, Settler, conclude, outcome_of
from gossamer.watch.events import Events

NOW = 1_000.0
ENTRY = Entry("http://a/", "http://a/", "a", depth=1)


def lease(attempts: int = 0) -> Lease:
    return Lease(token=1, worker="w", entry=ENTRY, leased_at=NOW, until=NOW + 300, attempts=attempts, delay=1.0)


def fetched(status: int = 200, outcome: Outcome = Outcome.OK, sent: bool = True, **headers: str) -> Fetched:
    return Fetched(
        url="http://a/",
        outcome=outcome,
        status=status,
        headers=tuple((name.replace("_", "-"), value) for name, value in headers.items()),
        body=Body.of(b"x"),
        started=NOW - 2,
        answered=NOW - 1,
        ended=NOW,
        sent=sent,
    )


def end(answer: Fetched, attempts: int = 0, **kept: object):
    return conclude(lease(attempts), Lesson(), Kept(fetched=answer, outcome=outcome_of(answer), **kept), Settings(), NOW)


@pytest.mark.parametrize(
    ("status", "outcome", "fate"),
    [
        (200, Outcome.OK, Fate.DONE),
        (301, Outcome.REDIRECTED, Fate.DONE),
        (404, Outcome.GONE, Fate.DEAD),
        (410, Outcome.GONE, Fate.DEAD),
        (403, Outcome.CLIENT_ERROR, Fate.DEAD),
        (500, Outcome.SERVER_ERROR, Fate.RETRY),
        (429, Outcome.THROTTLED, Fate.RETRY),
    ],
)
def test_a_status_decides_how_a_visit_ends(status: int, outcome: Outcome, fate: Fate) -> None:
    visit = end(fetched(status))
    assert (visit.settlement.outcome, visit.settlement.fate) == (outcome, fate)
    assert (visit.page is None) == (fate is Fate.RETRY)


def test_waits_between_retries_grow_and_then_the_url_is_dead_with_a_reason() -> None:
    dues = [end(fetched(500), attempts).settlement.due for attempts in range(3)]
    assert dues == [NOW + 5, NOW + 15, NOW + 45]
    last = end(fetched(500), 3)
    assert last.settlement.fate is Fate.DEAD
    assert str(last.settlement.reason) == "status 500 after 4 tries"
    assert last.page is not None


def test_retry_after_blocks_the_host_and_moves_the_retry() -> None:
    settlement = end(fetched(503, retry_after="120")).settlement
    assert settlement.answer is not None
    assert settlement.answer.block_until == NOW + 120
    assert settlement.due == NOW + 120
    assert settlement.answer.failed is None


def test_throttling_without_a_date_waits_thirty_delays() -> None:
    answer = end(fetched(429)).settlement.answer
    assert answer is not None
    assert answer.block_until == NOW + 30


def test_the_hosts_clock_counts_from_the_first_byte() -> None:
    answer = end(fetched()).settlement.answer
    assert answer is not None
    assert (answer.at, answer.seconds, answer.failed) == (NOW - 1, 1.0, False)


def test_a_refused_address_uses_no_turn_but_a_name_that_fails_does() -> None:
    assert end(fetched(0, Outcome.ADDRESS_REFUSED, sent=False)).settlement.answer is None
    answer = end(fetched(0, Outcome.DNS_FAILED, sent=False)).settlement.answer
    assert answer is not None
    assert answer.failed is True


def test_the_page_has_what_the_visit_found() -> None:
    original = Original("http://b/", "http://b/", NOW)
    place = Place("f", 1, 2)
    page = end(fetched(), mime="text/html", digest="sha1:X", original=original, place=place, extract=Extract(title="T")).page
    assert page is not None
    assert (page.title, page.mime, page.digest, page.duplicate_of, page.place) == (
        "T",
        "text/html",
        "sha1:X",
        "http://b/",
        place,
    )
    assert str(page.reason) == "dedupe.exact: same content as http://b/"
    assert page.response_seconds == 2


def test_only_a_visit_that_ends_the_page_tells_what_it_links_to() -> None:
    hints = (Hint("http://a/b", 1.0),)
    visit = end(fetched(), edges=b"", extract=Extract(hints=hints))
    assert (visit.edges, visit.hints) == (b"", hints)
    assert end(fetched(500), edges=b"").edges is None


class Recorder:
    """Stands at the joints of the settler and writes down what they are told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.gate = asyncio.Event()

    async def flush(self) -> None:
        self.told.append("archive")
        await self.gate.wait()

    async def successions(self, claims: object) -> list[object]:
        return []

    async def commit(self, claims: object) -> None:
        self.told.append("digest")

    async def add(self, pages: object, heirs: object = (), harvests: object = ()) -> None:
        self.told.append("catalog")

    async def put(self, pages: object, hosts: object = ()) -> None:
        self.told.append("graph")

    async def settle(self, settlements: list[object], now: float) -> int:
        self.told.append(f"frontier {len(settlements)}")
        return len(settlements)

    async def keep(self, urls: list[str]) -> None:
        if urls:
            self.told.append(f"robots {urls}")

    def remember(self, entries: object) -> None:
        pass

    async def heard(self, what: str, times: int = 1) -> None:
        """Return when that was told so many times."""
        while self.told.count(what) < times:
            await asyncio.sleep(0)


def committer(recorder: Recorder, events: Events | None = None, credit: bool = False) -> Committer:
    book = LessonBook(MemoryKeyValue(), Traps(learn=False), 50)
    near, events, clock = NearIndex(MemoryKeyValue()), events or Events(), SystemClock()
    joints = (recorder, near, book, recorder, recorder, recorder, recorder)
    kv = MemoryKeyValue()
    arrivals, chronicler = Arrivals(kv, recorder, recorder, SystemClock()), Chronicler(NoChronicle(), recorder, is_off=True)
    beside = {"chains": Chains(kv, recorder), "arrivals": arrivals, "chronicler": chronicler}
    return Committer(*joints, CommitPause(), events, clock, **beside, credit=credit)


def settler(recorder: Recorder) -> Settler:
    events = Events()
    return Settler(
        recorder, committer(recorder, events), recorder, recorder, events, TurnRules(Politeness(), Breaker()), SystemClock()
    )


async def test_ends_become_durable_in_order_and_those_that_wait_share_a_commit() -> None:
    recorder = Recorder()
    settle = settler(recorder).settle
    visit = end(fetched())
    first = settle(visit)
    while not recorder.told:
        await asyncio.sleep(0)
    others = [settle(visit) for _ in range(5)]
    await asyncio.sleep(0)
    recorder.gate.set()
    await asyncio.gather(first, *others)
    assert sorted(recorder.told) == sorted(2 * ["archive", "digest", "catalog", "graph"] + ["frontier 1", "frontier 5"])
    for number, settled in enumerate(("frontier 1", "frontier 5"), start=1):
        before = recorder.told[: recorder.told.index(settled)]
        assert [before.count(step) >= number for step in ("archive", "digest", "catalog", "graph")] == [True] * 4
    assert recorder.told.index("frontier 1") < recorder.told.index("frontier 5")


async def test_whoever_held_the_turn_says_what_the_clock_of_the_host_is_next() -> None:
    recorder, settled = Recorder(), list[Settlement]()
    recorder.gate.set()

    async def settle(settlements: list[Settlement], now: float) -> int:
        settled.extend(settlements)
        return len(settlements)

    recorder.settle = settle
    visit = end(fetched())
    await settler(recorder).settle(visit)
    (ended,) = settled
    assert visit.settlement.answer is not None and ended.clock is not None
    assert ended.clock.next_time == visit.settlement.answer.at + Politeness().delay and ended.clock.recent_count == 1


async def test_what_a_list_says_of_others_is_heard_before_the_list_is_known_to_have_been_read() -> None:
    recorder = Recorder()

    class Heard:
        async def note(self, visits: object, now: float) -> int:
            recorder.told.append("recall")
            return 0

    book, near = LessonBook(MemoryKeyValue(), Traps(learn=False), 50), NearIndex(MemoryKeyValue())
    joints = (recorder, near, book, recorder, recorder, recorder, recorder, CommitPause(), Events(), SystemClock())
    kv = MemoryKeyValue()
    arrivals, chronicler = Arrivals(kv, recorder, recorder, SystemClock()), Chronicler(NoChronicle(), recorder, is_off=True)
    beside = {"chains": Chains(kv, recorder), "arrivals": arrivals, "chronicler": chronicler}
    await Committer(*joints, None, Heard(), **beside).commit([end(fetched())])
    assert recorder.told[0] == "recall" and "catalog" in recorder.told, "who dies in between would never hear it again"


async def test_bytes_are_flushed_while_the_visits_before_are_committed() -> None:
    recorder, held = Recorder(), asyncio.Event()
    recorder.gate.set()

    async def add(pages: object, heirs: object = (), harvests: object = ()) -> None:
        recorder.told.append("catalog")
        await held.wait()

    recorder.add = add
    settle = settler(recorder).settle
    first = settle(end(fetched()))
    await recorder.heard("catalog")
    second = settle(end(fetched()))
    await recorder.heard("archive", 2)
    assert "frontier 1" not in recorder.told
    held.set()
    await asyncio.gather(first, second)
    assert recorder.told.count("frontier 1") == 2


async def test_visits_are_written_down_while_the_ones_before_are_settled() -> None:
    recorder, held = Recorder(), asyncio.Event()

    async def settle(settlements: list[object], now: float) -> int:
        recorder.told.append("frontier begins")
        await held.wait()
        recorder.told.append("frontier ends")
        return len(settlements)

    recorder.settle = settle
    commit = committer(recorder).commit
    first = asyncio.create_task(commit([end(fetched())]))
    await recorder.heard("frontier begins")
    second = asyncio.create_task(commit([end(fetched())]))
    await recorder.heard("catalog", 2)
    assert "frontier ends" not in recorder.told
    held.set()
    await asyncio.gather(first, second)
    assert recorder.told.count("frontier ends") == 2


async def test_what_cannot_be_kept_is_told_to_all_who_wait_for_it() -> None:
    from gossamer.errors import StoreError

    recorder = Recorder()

    async def flush() -> None:
        await recorder.gate.wait()
        raise StoreError("the disk is gone")

    recorder.flush = flush
    visits = [settler_of.settle(end(fetched())) for settler_of in 3 * [settler(recorder)]]
    await asyncio.sleep(0)
    recorder.gate.set()
    assert [type(error) for error in await asyncio.gather(*visits, return_exceptions=True)] == 3 * [StoreError]
    assert recorder.told == []


async def test_a_full_disk_pauses_and_goes_on_when_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    from gossamer.errors import DiskFull
    from gossamer.visit import settle as module
    from gossamer.watch.events import Paused, Resumed, VisitsEnded

    monkeypatch.setattr(module, "DISK_WAIT", 0)
    recorder = Recorder()
    recorder.gate.set()
    full = iter([True, True, False])

    async def add(pages: object, heirs: object = (), harvests: object = ()) -> None:
        if next(full):
            raise DiskFull("no space is left for the catalog")

    recorder.add = add
    heard: list[object] = []
    one = settler(recorder)
    one._events.subscribe(heard.append)
    await one.settle(end(fetched()))
    assert recorder.told[-1] == "frontier 1"
    assert [type(event) for event in heard if not isinstance(event, VisitsEnded)] == [Paused, Resumed]


async def test_what_a_robots_txt_said_is_kept_after_what_came_of_it() -> None:
    from msgspec.structs import replace

    recorder = Recorder()
    recorder.gate.set()
    await settler(recorder).settle(replace(end(fetched()), learned="http://a/"))
    assert recorder.told[-2:] == ["frontier 1", "robots ['http://a/']"]


async def test_steps_that_wait_for_the_same_disk_say_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from gossamer.errors import DiskFull
    from gossamer.visit import settle as module

    monkeypatch.setattr(module, "DISK_WAIT", 0)
    heard: list[str] = []
    one = settler(Recorder())
    one._events.subscribe(lambda event: heard.append(type(event).__name__))
    left = {name: tries for tries, name in enumerate("abc", start=1)}

    async def step(name: str) -> str:
        left[name] -= 1
        if left[name] >= 0:
            raise DiskFull("no space is left")
        return name

    assert await asyncio.gather(*(one.until_room(lambda name=name: step(name)) for name in "abc")) == ["a", "b", "c"]
    assert heard == ["Paused", "Resumed"]


async def test_a_visit_that_ends_just_as_a_commit_does_is_not_forgotten() -> None:
    recorder = Recorder()
    recorder.gate.set()
    one = settler(recorder)
    ended = asyncio.get_running_loop().create_future()
    one._events.subscribe(lambda _: ended.done() or ended.set_result(None))

    async def next_visit() -> None:
        await ended  # runs on after the commit's last step and before anyone was told that it is over
        await one.settle(end(fetched()))

    waiting = asyncio.create_task(next_visit())
    await asyncio.sleep(0)
    await one.settle(end(fetched()))
    await asyncio.wait_for(waiting, 5)
    assert recorder.told.count("frontier 1") == 2


async def test_where_pages_have_credit_a_settlement_says_whom_its_page_links() -> None:
    recorder, told = Recorder(), []

    async def settle(settlements: list[Settlement], now: float) -> int:
        told.extend(settlement.links for settlement in settlements)
        return len(settlements)

    recorder.settle = settle
    read, unread = end(fetched(), edges=pack([7, 8], [1, 129])), end(fetched())
    unchanged = replace(unread, settlement=replace(unread.settlement, lease=replace(lease(), again=True)))
    for credit, links in ((True, [(7, 8), (), None]), (False, [(), (), ()])):
        await committer(recorder, credit=credit).commit([read, unread, unchanged])
        assert told == links
        told.clear()
