"""A commit spares what no bug strikes: the others become durable, and the one that is struck ends for it."""

from collections.abc import Sequence

import pytest

from gossamer.clock import SystemClock
from gossamer.config.sections import RobotsTxt, Traps
from gossamer.dedupe.exact import ExactDeduper
from gossamer.dedupe.near import NearIndex
from gossamer.errors import CannotGoOn, StoreError
from gossamer.kv.memory import MemoryKeyValue
from gossamer.lessons.book import LessonBook
from gossamer.node import commit
from gossamer.node.chains import Chains
from gossamer.node.checkpoint import CommitPause
from gossamer.node.chronicler import Chronicler
from gossamer.node.commit import Committer
from gossamer.records.entry import Entry
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.page import Original, Page
from gossamer.records.visit import Visit
from gossamer.robots.cache import RobotsCache
from gossamer.storage.chronicle.none import NoChronicle
from gossamer.storage.nograph import NoGraph
from gossamer.visit.arrivals import Arrivals
from gossamer.watch.events import Event, Events, Trouble, VisitsEnded

NOW = 1_000.0


class Stores:
    """Catalog and frontier, which fail where they meet what is in `broken`."""

    def __init__(self, **broken: set[str]) -> None:
        self.broken = broken
        self.pages: dict[str, Outcome] = {}
        self.settled: dict[str, Settlement] = {}
        self.heard: list[Event] = []
        self.deduper, events = ExactDeduper(MemoryKeyValue()), Events()
        events.subscribe(self.heard.append)
        kv = MemoryKeyValue()
        book, robots = LessonBook(kv, Traps(learn=False), 50), RobotsCache(RobotsTxt(), kv)
        joints = (self.deduper, NearIndex(kv), book, self, NoGraph(), self, robots, CommitPause(), events, SystemClock())
        arrivals, chronicler = Arrivals(kv, self, self, SystemClock()), Chronicler(NoChronicle(), self)
        beside = {"chains": Chains(kv, self), "arrivals": arrivals, "chronicler": chronicler}
        self.commit = Committer(*joints, **beside).commit

    async def add(self, pages: Sequence[Page], heirs: object = (), harvests: object = ()) -> None:
        self._fail("row", [page.url for page in pages])
        self._fail("page", [page.url for page in pages if page.outcome is not Outcome.BUG])
        self.pages.update((page.url, page.outcome) for page in pages)

    async def settle(self, settlements: Sequence[Settlement], now: float) -> int:
        self._fail("end", [settlement.lease.entry.url for settlement in settlements])
        self._fail("answer", [settlement.lease.entry.url for settlement in settlements if settlement.answer is not None])
        self.settled.update((settlement.lease.entry.url, settlement) for settlement in settlements)
        return len(settlements)

    async def lookup(self, key: str) -> None:
        return None

    def _fail(self, what: str, urls: list[str]) -> None:
        if not self.broken.get(what, set()).isdisjoint(urls):
            raise ZeroDivisionError("a bug")


def visit(number: int, host: str = "a") -> Visit:
    url = f"http://{host}/{number}"
    entry, page = Entry(url, url, host), Page(url=url, key=url, host=host, outcome=Outcome.OK)
    lease = Lease(token=number, worker="w", entry=entry, leased_at=NOW, until=NOW + 300)
    settlement = Settlement(lease=lease, fate=Fate.DONE, outcome=Outcome.OK, answer=Answer(at=NOW), discovered=(entry,))
    return Visit(settlement=settlement, page=page, claim=(f"sha1:{number}", Original(url, url, NOW)))


VISITS = [visit(number) for number in range(5)]
URLS = [each.settlement.lease.entry.url for each in VISITS]


@pytest.mark.parametrize("place", ["page", "answer", "row"])
async def test_the_visit_that_a_bug_strikes_ends_for_it_and_the_others_as_they_would(place: str) -> None:
    stores = Stores(**{place: {URLS[3]}})
    assert not await stores.commit(VISITS), "what it found is not known to the frontier"
    expected = [Outcome.BUG if url == URLS[3] else Outcome.OK for url in URLS]
    assert [stores.settled[url].outcome for url in URLS] == expected
    struck = stores.settled[URLS[3]]
    assert (struck.fate, struck.answer, struck.discovered) == (Fate.DEAD, None, ()) and "a bug" in str(struck.reason)
    if place != "row":  # a URL of which the catalog cannot have a row ends all the same
        assert [stores.pages[url] for url in URLS] == expected
    (ended,) = [event for event in stores.heard if isinstance(event, VisitsEnded)]
    assert ended.outcomes == {"ok": 4, "bug": 1}
    assert any(isinstance(event, Trouble) and URLS[3] in event.what and event.trace for event in stores.heard)


async def test_what_a_struck_visit_claimed_is_free_and_what_others_claimed_is_theirs() -> None:
    stores = Stores(answer={URLS[3]})
    for each in VISITS:
        assert each.claim is not None and await stores.deduper.claim(*each.claim) is None
    await stores.commit(VISITS)
    other = Original("http://b/", "http://b/", NOW + 1)
    assert await stores.deduper.claim("sha1:3", other) is None
    assert (await stores.deduper.claim("sha1:2", other)) is not None


async def test_a_store_that_fails_is_no_bug() -> None:
    stores = Stores()

    async def full(settlements: Sequence[Settlement], now: float) -> int:
        raise StoreError("the disk is gone")

    stores.settle = full  # type: ignore[method-assign]
    with pytest.raises(StoreError, match="the disk is gone"):
        await stores.commit(VISITS)
    assert not any(isinstance(event, Trouble) for event in stores.heard)


async def test_a_frontier_that_cannot_even_note_an_end_ends_the_crawl() -> None:
    with pytest.raises(CannotGoOn, match="nothing that was done is lost"):
        await Stores(end={URLS[1]}).commit(VISITS)


async def test_a_bug_that_strikes_all_visits_of_a_host_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "MOST_STRUCK", 3)
    stores = Stores(answer=set(URLS))
    for each in VISITS:
        await stores.commit([each])
    assert [stores.settled[url].outcome for url in URLS] == [Outcome.BUG] * 5


async def test_a_bug_that_strikes_all_visits_of_several_hosts_does_not_use_them_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "MOST_STRUCK", 3)
    others = [visit(number, "b") for number in range(5)]
    stores = Stores(answer={*URLS, *(each.settlement.lease.entry.url for each in others[1:])})
    for each in (VISITS[0], others[1], others[0], VISITS[1], others[2]):  # one of them ended as it should
        await stores.commit([each])
    with pytest.raises(CannotGoOn, match="3 visits in a row met a bug of ours, the last one ZeroDivisionError: a bug"):
        await stores.commit([VISITS[2]])
