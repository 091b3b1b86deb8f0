"""The simulated crawl: what a strategy gets to see, and when; and that the frontier in it is the real one."""

import asyncio
from math import inf
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from gossamer.assemble import open_stores
from gossamer.config.sections import Settings
from gossamer.frontier.reference.memory import MemoryFrontier
from gossamer.jobs.simulate.compare import Beginning, Contender, crawl, simulated, strategy
from gossamer.jobs.simulate.plan import DAY, WebPlan
from gossamer.jobs.simulate.run import BEGIN, SimulatedCrawl, Visits
from gossamer.jobs.simulate.web import SimulatedWeb, generate
from gossamer.policy.recrawl import Appointment


class Watching:
    """Fetches every page once in two days, and writes down what it is told."""

    def __init__(self) -> None:
        self.firsts: list[tuple[int, float | None, float]] = []
        self.agains: list[tuple[int, float, bool, float | None, float]] = []
        self.thresholds: set[float] = set()

    def first(self, page: int, modified_at: float | None, now: float, threshold: float) -> Appointment:
        self.firsts.append((page, modified_at, now - BEGIN))
        return Appointment(now + 2 * DAY)

    def again(
        self, page: int, seconds: float, changed: bool, modified_at: float | None, now: float, threshold: float
    ) -> Appointment:
        self.agains.append((page, seconds, changed, modified_at, now - BEGIN))
        self.thresholds.add(threshold)
        return Appointment(now + 2 * DAY)


def crawled(plan: WebPlan, order: str = "priority") -> tuple[SimulatedWeb, Watching, Visits]:
    web, watching = generate(plan), Watching()
    return web, watching, asyncio.run(crawl(web, watching, simulated(Settings(), plan, Contender("fixed", order))))


def changes_of(web: SimulatedWeb, page: int) -> list[float]:
    return web.changes[web.change_starts[page] : web.change_starts[page + 1]].tolist()


def test_no_page_is_found_before_it_is_born_or_fetched_before_it_is_found() -> None:
    web, watching, visits = crawled(WebPlan(pages=500, hosts=5, days=6, cycle=2, born=0.3))
    assert sum(0 <= born <= at < inf for born, at in zip(web.born.tolist(), visits.found, strict=True)) > 50
    assert all(at >= born for born, at in zip(web.born.tolist(), visits.found, strict=True))
    assert all(now >= visits.found[page] - 1e-3 for page, _, now in watching.firsts)
    assert len({page for page, _, _ in watching.firsts}) == len(watching.firsts)


def test_changes_and_dates_are_told_as_they_are_and_only_where_a_server_would() -> None:
    web, watching, _ = crawled(WebPlan(pages=300, hosts=3, days=6, cycle=2, dated=0.5))
    assert {changed for _, _, changed, _, _ in watching.agains} == {True, False}
    for page, seconds, changed, modified_at, now in watching.agains:
        before = [at for at in changes_of(web, page) if at <= now]
        assert changed == (before[-1] > now - seconds)
        assert modified_at == (BEGIN + before[-1] if web.dated[page] else None)


def test_the_price_of_a_visit_is_steered_as_in_a_live_crawl() -> None:
    plan = WebPlan(pages=300, hosts=3, days=6, cycle=1, born=0.0)
    _, watching, _ = crawled(plan)
    assert 24 < len(watching.thresholds) <= plan.days * 24
    assert min(watching.thresholds) < 0.9 * max(watching.thresholds)  # half of the requests are left over: it falls


def test_pages_are_fetched_from_the_seeds_on_when_nothing_was_known() -> None:
    web, watching, visits = crawled(WebPlan(pages=300, hosts=3, days=6, cycle=2, known=0.0, born=0.0), "opic")
    assert watching.firsts[0][0] in web.seeds
    assert {page for page, at in enumerate(visits.found) if at == 0} == set(web.seeds.tolist())
    assert all(at < inf for at in visits.found)


def test_what_was_fetched_before_is_due_when_the_strategy_said_and_not_sooner() -> None:
    web, watching, _ = crawled(WebPlan(pages=300, hosts=3, days=3, cycle=2, born=0.0))
    assert sorted((page, round(now, 3)) for page, _, now in watching.firsts) == [
        (page, round(at, 3)) for page, at in enumerate(web.fetched.tolist())
    ]
    assert all(seconds >= 2 * DAY - 1e-3 for _, seconds, _, _, _ in watching.agains)


def test_a_host_is_never_asked_sooner_than_it_allows() -> None:
    plan = WebPlan(pages=200, hosts=4, days=0.05, cycle=0.01, known=0.0, slow=0.5, slow_delay=60.0)
    web, _, visits = crawled(plan)
    host, times = web.host[np.array(visits.pages)], np.array(visits.times)
    gaps = [np.diff(times[host == number]).min() for number in range(plan.hosts)]
    assert {60.0, 0.0} == set(web.delay.tolist())
    assert all(gap >= (delay or 1.0) - 1e-3 for gap, delay in zip(gaps, web.delay.tolist(), strict=True))
    assert min(gaps) < 30  # the others are asked more often
    assert visits.hasty == 0
    assert visits.idle > 0


def test_three_of_ten_requests_go_to_new_pages_while_both_kinds_wait() -> None:
    web, _, visits = crawled(WebPlan(pages=1000, hosts=10, days=2, cycle=5, born=0.0, known=0.6))
    is_new = ~np.isfinite(web.fetched[np.array(visits.pages[:200])])
    assert 0.28 <= is_new.mean() <= 0.32


@pytest.mark.parametrize("order", ["priority", "opic"])
async def test_the_reference_frontier_gives_the_same_crawl_to_the_last_visit(tmp_path: Path, order: str) -> None:
    plan = WebPlan(pages=150, hosts=6, days=8, cycle=2, known=0.5, born=0.2)
    web, settings = generate(plan), simulated(Settings(), plan, Contender("optimal", order))
    logs: list[list[str]] = [[], []]
    for number, log in enumerate(logs):
        async with open_stores(tmp_path / str(number), settings, [], Beginning()) as stores:
            if number:
                reference = MemoryFrontier(
                    settings.frontier, settings.politeness, settings.breaker, settings.crawl.lease, BEGIN, order == "opic"
                )
                stores = replace(stores, frontier=reference)
            await SimulatedCrawl(web, strategy("optimal", web, settings.recrawl), stores, log.append).run()
    assert logs[0] == logs[1]
    assert len(logs[0]) > 400
