"""The ranker: when it ranks, what the frontier hears of it, and that a crawl goes on without."""

import asyncio

import pytest

from gossamer.config.sections import Breaker, FrontierSettings, Politeness, Score
from gossamer.errors import StoreError
from gossamer.frontier.reference.memory import MemoryFrontier
from gossamer.node.ranker import Ranker, share
from gossamer.policy import priority
from gossamer.records.entry import Entry, Priority
from gossamer.records.lease import Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.visit import Visit
from gossamer.url.fingerprint import fingerprint
from gossamer.watch.events import Event, Events, Trouble, VisitsEnded

NOW = 1_700_000_000.0
LEASE = Lease(token=1, worker="one", entry=Entry("", "", ""), leased_at=NOW, until=NOW)
SETTLEMENT = Settlement(lease=LEASE, fate=Fate.DONE, outcome=Outcome.OK)
READ, UNREAD = (VisitsEnded([Visit(settlement=SETTLEMENT, edges=edges)]) for edges in (b"", None))


class Ranks:
    """Ranks that somebody else has computed."""

    def __init__(self, *best: tuple[str, float, int]) -> None:
        self.best = [(fingerprint(key), rank, hosts) for key, rank, hosts in best]
        self.asked: list[int] = []
        self.is_full = False
        self.failure: Exception | None = None

    async def renew(self, limit: int, least: float) -> list[tuple[int, float, int]]:
        self.asked.append(limit)
        if self.failure is not None:
            raise self.failure
        return self.best[:limit]


class Bench:
    """A ranker with what it is told and what it tells."""

    def __init__(self, ranks: Ranks, pages: int = 0, after: int = 10, ranked: int = 0) -> None:
        self.events, self.ranks, self.renewed, self.heard = Events(), ranks, 0, []
        self.frontier = MemoryFrontier(FrontierSettings(), Politeness(delay=0), Breaker(), 300.0, NOW)
        self.ranker = Ranker(ranks, self.frontier, Score(rank_after=after), pages, ranked, self.events, self.renew)
        self.events.subscribe(self.hear)

    async def renew(self) -> None:
        self.renewed += 1

    def hear(self, event: Event) -> None:
        if isinstance(event, Trouble):
            self.heard.append(event.what)

    async def read(self, pages: int) -> None:
        for _ in range(pages):
            self.events.publish(READ)
        if self.ranker._ranking is not None:
            await self.ranker._ranking


def entry(path: str) -> Entry:
    url = f"http://a.example/{path}"
    return Entry(url, url, "a.example", depth=3, score=0.175, priority=Priority.LOW)


async def test_it_ranks_after_so_many_pages_and_whenever_there_are_a_quarter_more() -> None:
    bench = Bench(Ranks())
    await bench.read(9)
    bench.events.publish(UNREAD)
    assert bench.ranks.asked == []
    await bench.read(1)
    assert bench.ranks.asked == [share(10)] and bench.renewed == 1
    await bench.read(2)
    assert len(bench.ranks.asked) == 1
    await bench.read(1)
    assert bench.ranks.asked == [share(10), share(13)]


async def test_a_crawl_that_is_resumed_counts_on_from_its_last_ranking() -> None:
    bench = Bench(Ranks(), pages=110, ranked=100)
    await bench.read(14)
    assert bench.ranks.asked == []
    await bench.read(1)
    assert bench.ranks.asked == [share(125)]
    never = Bench(Ranks(), pages=110)
    await never.read(1)
    assert never.ranks.asked == [share(111)]


async def test_the_best_of_what_waits_moves_ahead() -> None:
    bench = Bench(Ranks(("http://a.example/2", 4.0, 1), ("http://a.example/3", 0.6, 8)), after=100)
    await bench.frontier.discover([entry(str(number)) for number in range(26)], NOW)
    await bench.read(100)
    known = [await bench.frontier.lookup(f"http://a.example/{number}") for number in (1, 2, 3)]
    scores = [0.175, 0.7 * priority.by_rank(4.0), 0.7 * priority.by_rank(0.6) + 0.3 * 0.5]
    assert [each.score for each in known if each is not None] == pytest.approx(scores)
    assert [each.priority for each in known if each is not None] == [Priority.LOW, Priority.HIGH, Priority.MEDIUM]


@pytest.mark.parametrize(("waiting", "is_last", "moves"), [(25, False, False), (26, False, True), (25, True, True)])
async def test_nothing_moves_where_all_that_waits_has_its_turn_before_the_next_ranking(
    waiting: int, is_last: bool, moves: bool
) -> None:
    bench = Bench(Ranks(("http://a.example/2", 4.0, 1)), after=100)
    bench.ranks.is_full = is_last
    await bench.frontier.discover([entry(str(number)) for number in range(waiting)], NOW)
    await bench.read(100)
    known = await bench.frontier.lookup("http://a.example/2")
    assert known is not None and (known.priority is Priority.HIGH) is moves
    assert bench.renewed == 1, "there are new ranks all the same"


async def test_ranks_that_cannot_be_had_are_told_once_and_the_crawl_goes_on() -> None:
    bench = Bench(Ranks())
    bench.ranks.failure = StoreError("the graph is damaged")
    await bench.read(10)
    await bench.read(1000)
    assert bench.heard == ["the graph is damaged; the crawl goes on without ranking what waits"]
    assert len(bench.ranks.asked) == 1 and bench.renewed == 0


async def test_what_takes_no_more_links_is_not_asked_again() -> None:
    bench = Bench(Ranks())
    bench.ranks.is_full = True
    await bench.read(10)
    await bench.read(1000)
    assert len(bench.ranks.asked) == 1


async def test_pages_that_are_read_while_it_ranks_begin_no_second_ranking() -> None:
    bench = Bench(Ranks())
    for _ in range(100):
        bench.events.publish(READ)
    await bench.read(0)
    assert len(bench.ranks.asked) == 1
    await bench.read(1)
    assert len(bench.ranks.asked) == 2, "what was read meanwhile was not counted"


async def test_closing_ends_what_is_under_way() -> None:
    bench = Bench(Ranks())
    await bench.ranker.aclose()
    for _ in range(10):
        bench.events.publish(READ)
    await asyncio.sleep(0)
    await bench.ranker.aclose()
    assert bench.ranker._ranking is not None and bench.ranker._ranking.done()
