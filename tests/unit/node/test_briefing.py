"""What a worker is told with a lease, and the price of visiting a page again."""

from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from gossamer.config.sections import Recrawl
from gossamer.kv.memory import MemoryKeyValue
from gossamer.node.briefing import HOUR, Briefing, RevisitPrice
from gossamer.node.recall import DAY, Recall
from gossamer.records.entry import Entry
from gossamer.records.hints import Hint
from gossamer.records.lease import Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Totals
from gossamer.records.visit import Lesson, Visit
from gossamer.url.parse import Url

NOW = 1_700_000_000.0
ENTRY = Entry("http://a/", "http://a/", "a", score=0.5)
PAGE = Page(url="http://a/", key="http://a/", host="a", outcome=Outcome.OK)


def lease(again: bool = True, due: float | None = None) -> Lease:
    return Lease(token=1, worker="w", entry=ENTRY, leased_at=NOW, until=NOW + 300, again=again, due=due)


FRESH, DUE = lease(again=False), lease()


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

    async def consult(self, leases: Sequence[Lease]) -> list[Lesson]:
        return [Lesson() for _ in leases]


async def told(briefing: Briefing, lease: Lease) -> Lesson:
    """Return what is told about one lease, alone or among others."""
    first, *others = await briefing.consult([lease, FRESH, DUE, lease])
    (alone,) = await briefing.consult([lease])
    assert first == others[-1] == alone
    return alone


async def test_a_page_that_was_visited_before_comes_with_what_it_was() -> None:
    revisit_price = RevisitPrice(MemoryKeyValue(), Shelf(), Recrawl(), NOW)  # type: ignore[arg-type]
    await revisit_price.load()
    briefing = Briefing(Silent(), Shelf(), MemoryKeyValue(), revisit_price, True, lambda key: 0.0, lambda key: None)  # type: ignore[arg-type]
    assert await told(briefing, lease()) == Lesson(previous=PAGE, importance=0.5, threshold=revisit_price.threshold)
    assert (await told(briefing, lease(again=False))).previous is None
    ranked = Briefing(Silent(), Shelf(), MemoryKeyValue(), revisit_price, True, lambda key: 3.5, lambda key: None)  # type: ignore[arg-type]
    assert (await told(ranked, lease())).importance == 3.5
    ending = Briefing(Silent(), Shelf(), MemoryKeyValue(), revisit_price, False, lambda key: 0.0, lambda key: None)  # type: ignore[arg-type]
    assert await told(ending, lease(again=False)) == Lesson(), "a crawl that ends pays for nothing"
    assert (await told(ending, lease())).previous == PAGE, "what was asked to be visited again is compared all the same"


@pytest.mark.parametrize(("visits", "dearer"), [(50, True), (0, False)])
async def test_the_price_follows_the_demand_by_the_hour_and_outlives_the_process(visits: int, dearer: bool) -> None:
    kv = MemoryKeyValue()
    revisit_price = RevisitPrice(kv, Shelf(), Recrawl(budget=240), NOW)  # type: ignore[arg-type]
    await revisit_price.load()
    first = revisit_price.threshold
    await revisit_price.note([visit(NOW + 600, 6000, late=600)] * visits, NOW + 10)
    assert revisit_price.threshold == first, "it is steered once an hour"
    await revisit_price.note([visit(NOW + 40000, 6000)], NOW + HOUR)
    assert (revisit_price.threshold > first) is dearer
    again = RevisitPrice(kv, Shelf(), Recrawl(), NOW)  # type: ignore[arg-type]
    await again.load()
    assert again.threshold == revisit_price.threshold


async def test_what_a_list_says_anew_is_due_at_once() -> None:
    hints = (Hint("http://a/new", NOW - 1000), Hint("http://a/old", NOW - 9000), Hint("http://a/silent"))
    assert await recalled([visit(NOW, 5000, hints), visit(NOW, 0, hints)]) == ["http://a/new"]


async def test_a_page_that_was_visited_since_is_left_alone_and_so_is_one_that_nobody_knows() -> None:
    hints = tuple(Hint(f"http://a/{name}", NOW - 1000) for name in ("before", "since", "unknown"))
    visited = {"http://a/before": NOW - 1001, "http://a/since": NOW - 900}
    assert await recalled([visit(NOW, 5000, hints)], visited) == ["http://a/before"]


async def test_a_date_to_come_counts_once_when_it_has_come() -> None:
    hints = (Hint("http://a/soon", NOW + 1000),)
    assert await recalled([visit(NOW, 5000, hints)]) == []
    later = visit(NOW, 5000, (Hint("http://a/soon", NOW - 4000),))
    assert await recalled([later]) == ["http://a/soon"]
    assert await recalled([visit(NOW, 3000, (Hint("http://a/soon", NOW - 4000),))]) == []


async def test_a_claim_that_names_a_day_counts_at_its_beginning_and_at_its_end() -> None:
    today = NOW - NOW % DAY
    day = (Hint("http://a/", today),)
    hour = NOW - today
    assert await recalled([visit(NOW, hour + 5, day)]) == ["http://a/"]
    assert await recalled([visit(NOW, hour - 5, day)]) == [], "said before, and the day is not over"
    yesterday = (Hint("http://a/", today - DAY),)
    assert await recalled([visit(NOW, hour + 5, yesterday)]) == ["http://a/"], "it may have changed after the list was read"
    assert await recalled([visit(NOW, hour + 5, yesterday)], {"http://a/": today + 100}) == []
    assert await recalled([visit(NOW, hour - 5, yesterday)]) == []


async def test_how_often_a_page_changes_as_a_list_claims_is_told_with_its_first_lease() -> None:
    kv = MemoryKeyValue()
    revisit_price = RevisitPrice(kv, Shelf(), Recrawl(), NOW)  # type: ignore[arg-type]
    await revisit_price.load()
    recall = Recall(object(), kv, lambda url: url.wire)  # type: ignore[arg-type]
    await recall.note([visit(NOW, 0, (Hint("http://a/", interval=3600.0), Hint("http://a/silent")))], NOW)
    briefing = Briefing(Silent(), Shelf(), kv, revisit_price, True, lambda key: 0.0, lambda key: None)  # type: ignore[arg-type]
    assert (await told(briefing, lease(again=False))).claimed_interval == 3600.0
    assert (await told(briefing, lease())).claimed_interval is None, "what was seen counts more"
    silent = replace(lease(again=False), entry=replace(ENTRY, key="http://a/silent"))
    assert (await told(briefing, silent)).claimed_interval is None


async def recalled(visits: list[Visit], visited: dict[str, float] | None = None) -> list[str]:
    """Return the keys of the pages that are due now for what some visits say."""

    class Frontier:
        async def lookup(self, key: str) -> SimpleNamespace | None:
            known = {key: 0.0} if visited is None else visited
            return SimpleNamespace(settled_at=known[key]) if key in known else None

        async def revisit(self, dates: list[tuple[str, float]], now: float) -> int:
            asked.extend(key for key, due in dates if due == now)
            return len(dates)

    def key_of(url: Url) -> str:
        return url.wire

    asked: list[str] = []
    recall = Recall(Frontier(), MemoryKeyValue(), key_of)  # type: ignore[arg-type]
    assert await recall.note(visits, NOW) == len(asked)
    return asked
