"""What a worker is told with a lease, and the price of visiting a page again."""

import pytest

from gossamer.config.sections import Recrawl
from gossamer.hints import Hint
from gossamer.kv.memory import MemoryKeyValue
from gossamer.records import Entry, Fate, Lease, Outcome, Page, Settlement, Totals
from gossamer.url.parse import Url
from gossamer.visit import Lesson, Visit
from gossamer.worker.briefing import HOUR, Briefing, Thrift
from gossamer.worker.recall import Recall

NOW = 1_700_000_000.0
ENTRY = Entry("http://a/", "http://a/", "a", score=0.5)
PAGE = Page(url="http://a/", key="http://a/", host="a", outcome=Outcome.OK)


def lease(again: bool = True, due: float | None = None) -> Lease:
    return Lease(token=1, worker="w", entry=ENTRY, leased_at=NOW, until=NOW + 300, again=again, due=due)


def visit(due: float, since: float, hints: tuple[Hint, ...] = (), late: float = 0.0) -> Visit:
    settlement = Settlement(lease=lease(due=NOW - late), fate=Fate.AGAIN, outcome=Outcome.OK, due=due)
    return Visit(settlement=settlement, page=PAGE, elapsed=since, hints=hints)


class Shelf:
    """A catalog of one page."""

    async def get(self, key: str) -> Page | None:
        return PAGE if key == PAGE.key else None

    def totals(self) -> Totals:
        return Totals(28, 0)


class Silent:
    """Nothing was learned."""

    async def consult(self, lease: Lease) -> Lesson:
        return Lesson()


async def test_a_page_that_was_visited_before_comes_with_what_it_was() -> None:
    thrift = Thrift(MemoryKeyValue(), Shelf(), Recrawl(), NOW)  # type: ignore[arg-type]
    await thrift.load()
    briefing = Briefing(Silent(), Shelf(), thrift, True, lambda key: 0.0)  # type: ignore[arg-type]
    assert await briefing.consult(lease()) == Lesson(previous=PAGE, importance=0.5, threshold=thrift.threshold)
    assert (await briefing.consult(lease(again=False))).previous is None
    ranked = Briefing(Silent(), Shelf(), thrift, True, lambda key: 3.5)  # type: ignore[arg-type]
    assert (await ranked.consult(lease())).importance == 3.5
    ending = Briefing(Silent(), Shelf(), thrift, False, lambda key: 0.0)  # type: ignore[arg-type]
    assert await ending.consult(lease(again=False)) == Lesson(), "a crawl that ends pays for nothing"


@pytest.mark.parametrize(("visits", "dearer"), [(50, True), (0, False)])
async def test_the_price_follows_the_demand_by_the_hour_and_outlives_the_process(visits: int, dearer: bool) -> None:
    kv = MemoryKeyValue()
    thrift = Thrift(kv, Shelf(), Recrawl(budget=240), NOW)  # type: ignore[arg-type]
    await thrift.load()
    first = thrift.threshold
    await thrift.note([visit(NOW + 600, 6000, late=600)] * visits, NOW + 10)
    assert thrift.threshold == first, "it is steered once an hour"
    await thrift.note([visit(NOW + 40000, 6000)], NOW + HOUR)
    assert (thrift.threshold > first) is dearer
    again = Thrift(kv, Shelf(), Recrawl(), NOW)  # type: ignore[arg-type]
    await again.load()
    assert again.threshold == thrift.threshold


async def test_what_a_list_says_anew_is_due_at_once() -> None:
    asked: list[tuple[str, float]] = []

    class Frontier:
        async def revisit(self, dates: list[tuple[str, float]], now: float) -> int:
            asked.extend(dates)
            return len(dates)

    def key_of(url: Url) -> str:
        return url.wire

    recall = Recall(Frontier(), key_of)  # type: ignore[arg-type]
    hints = (Hint("http://a/new", NOW - 10), Hint("http://a/old", NOW - 1000), Hint("http://a/silent"))
    assert await recall.note([visit(NOW, 100, hints), visit(NOW, 0, hints)], NOW) == 1
    assert asked == [("http://a/new", NOW)]
