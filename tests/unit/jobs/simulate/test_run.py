"""The simulated crawl: what a strategy gets to see, and when."""

from math import inf

from gossamer.jobs.simulate.queue import PlainQueue
from gossamer.jobs.simulate.run import Crawl
from gossamer.jobs.simulate.web import DAY, Plan, Web, generate
from gossamer.policy.recrawl import Appointment


class Watching:
    """Fetches every page once in two days, and writes down what it is told."""

    def __init__(self) -> None:
        self.firsts: list[tuple[int, float | None, float]] = []
        self.agains: list[tuple[int, float, bool, float | None, float]] = []
        self.hours: list[tuple[float, int, int, int]] = []

    def first(self, page: int, modified_at: float | None, now: float) -> Appointment:
        self.firsts.append((page, modified_at, now))
        return Appointment(now + 2 * DAY)

    def again(self, page: int, seconds: float, changed: bool, modified_at: float | None, now: float) -> Appointment:
        self.agains.append((page, seconds, changed, modified_at, now))
        return Appointment(now + 2 * DAY)

    def steer(self, asked: float, fetched: int, late: int, allowed: int) -> None:
        self.hours.append((asked, fetched, late, allowed))


def crawled(plan: Plan) -> tuple[Web, Watching, list[float]]:
    web, watching = generate(plan), Watching()
    visits = Crawl(web, watching, PlainQueue()).run()
    return web, watching, visits.found


def changes_of(web: Web, page: int) -> list[float]:
    return web.changes[web.change_starts[page] : web.change_starts[page + 1]].tolist()


def test_no_page_is_found_before_it_is_born_or_fetched_before_it_is_found() -> None:
    web, watching, found = crawled(Plan(pages=500, hosts=5, days=10, cycle=2, born=0.3))
    assert sum(0 <= born <= at < inf for born, at in zip(web.born.tolist(), found, strict=True)) > 50
    assert all(at >= born for born, at in zip(web.born.tolist(), found, strict=True))
    assert all(now >= found[page] for page, _, now in watching.firsts)
    assert len({page for page, _, _ in watching.firsts}) == len(watching.firsts)


def test_changes_and_dates_are_told_as_they_are_and_only_where_a_server_would() -> None:
    web, watching, _ = crawled(Plan(pages=300, hosts=3, days=10, cycle=2, dated=0.5))
    assert {changed for _, _, changed, _, _ in watching.agains} == {True, False}
    for page, seconds, changed, modified_at, now in watching.agains:
        before = [at for at in changes_of(web, page) if at <= now]
        assert changed == (before[-1] > now - seconds)
        assert modified_at == (before[-1] if web.dated[page] else None)


def test_every_hour_a_strategy_hears_what_was_asked_fetched_late_and_allowed() -> None:
    plan = Plan(pages=500, hosts=5, days=10, cycle=1, born=0.0)
    _, watching, _ = crawled(plan)
    assert 235 <= len(watching.hours) <= 240
    assert all(0 <= fetched <= allowed for _, fetched, _, allowed in watching.hours)
    allowed = sum(allowed for _, _, _, allowed in watching.hours)
    assert 0.97 < allowed / (plan.budget * plan.seconds) <= 1
    asked, fetched = sum(hour[0] for hour in watching.hours[72:]), sum(hour[1] for hour in watching.hours[72:])
    assert abs(asked / fetched - 1) < 0.05  # once in two days is what it got, and what it asks for


def test_pages_are_fetched_from_the_seeds_on_when_nothing_was_known() -> None:
    web, watching, found = crawled(Plan(pages=300, hosts=3, days=10, cycle=2, known=0.0, born=0.0))
    assert watching.firsts[0][0] in web.seeds
    assert {page for page, at in enumerate(found) if at == 0} == set(web.seeds.tolist())
    assert all(at < inf for at in found)
