"""Measures of a simulated crawl, on webs small enough to do by hand."""

import numpy as np
import pytest

from gossamer.jobs.simulate.measure import measure
from gossamer.jobs.simulate.plan import DAY, WebPlan
from gossamer.jobs.simulate.run import Visits
from gossamer.jobs.simulate.web import SimulatedWeb

INF = float("inf")


def web_of(changes: list[list[float]], importance: list[float], born: list[float], fetched: list[float]) -> SimulatedWeb:
    """A web of ten days with these changes, in days."""
    count = len(changes)
    return SimulatedWeb(
        plan=WebPlan(pages=count, hosts=1, days=10, cycle=5),
        host=np.zeros(count, dtype=np.int64),
        importance=np.array(importance),
        rate=np.ones(count),
        born=np.array(born) * DAY,
        fetched=np.array(fetched) * DAY,
        dated=np.zeros(count, dtype=bool),
        change_starts=np.cumsum([0, *map(len, changes)]),
        changes=np.array([change for each in changes for change in each]) * DAY,
        link_starts=np.zeros(count + 1, dtype=np.int64),
        links=np.zeros(0, dtype=np.int64),
        seeds=np.zeros(1, dtype=np.int64),
        delay=np.zeros(1),
    )


def visits_of(*visits: tuple[int, float], found: list[float]) -> Visits:
    return Visits([page for page, _ in visits], [day * DAY for _, day in visits], [day * DAY for day in found])


def test_freshness_and_age_are_what_one_adds_up_by_hand() -> None:
    web = web_of([[-9, 2, 3]], [1.0], [-INF], [-1])
    result = measure("fixed", "priority", web, visits_of((0, 6.0), found=[-1]))
    assert result.freshness == pytest.approx((2 + 4) / 10)
    assert result.age == pytest.approx((4 * 4 / 2) / 10)
    assert (result.requests, result.changed) == (1, 1.0)


def test_important_pages_weigh_more_and_in_plain_freshness_they_do_not() -> None:
    web = web_of([[-9], [-9, 0]], [9.0, 1.0], [-INF, -INF], [-1, -1])
    result = measure("fixed", "priority", web, visits_of(found=[-1, -1]))
    assert (result.freshness, result.plain_freshness) == (pytest.approx(0.9), pytest.approx(0.5))


def test_a_page_never_fetched_is_not_fresh_and_counts_from_its_birth() -> None:
    web = web_of([[-9], [5]], [1.0, 1.0], [-INF, 5.0], [-1, -INF])
    result = measure("fixed", "priority", web, visits_of((1, 7.5), found=[-1, 5]))
    assert result.freshness == pytest.approx((10 + 2.5) / 15)
    assert result.age == pytest.approx(2.5**2 / 2 / 15)
    assert result.curve[10] == 1.0
    assert result.curve[70] == 0.5
    assert result.curve[-1] == 1.0


def test_a_copy_that_was_stale_before_the_beginning_is_as_old_as_it_is() -> None:
    web = web_of([[-9, -2]], [1.0], [-INF], [-4])
    result = measure("fixed", "priority", web, visits_of(found=[-4]))
    assert result.freshness == 0
    assert result.age == pytest.approx((12**2 - 2**2) / 2 / 10)


def test_the_curve_is_the_freshness() -> None:
    chance = np.random.default_rng(4)
    changes = [sorted([-9.0, *chance.uniform(-5, 10, 6)]) for _ in range(50)]
    web = web_of(changes, chance.uniform(1, 9, 50).tolist(), [-INF] * 50, chance.uniform(-5, 0, 50).tolist())
    result = measure(
        "fixed", "priority", web, visits_of(*((page, float(chance.uniform(0, 10))) for page in range(50)), found=[-5] * 50)
    )
    assert float(np.mean(result.curve)) == pytest.approx(result.freshness, abs=0.01)


def test_important_pages_found_are_seen_within_a_day_or_not() -> None:
    web = web_of([[-9]] * 20, [100.0, 99.0, *[1.0] * 18], [-INF] * 20, [-INF] * 20)
    visits = visits_of((0, 2.5), (1, 3.5), (2, 9.0), found=[2.0, 2.0, *[0.0] * 18])
    assert measure("fixed", "priority", web, visits).within_a_day == 0.5
    assert measure("fixed", "priority", web, visits_of(found=[INF] * 20)).within_a_day == 1.0


def test_the_requests_are_counted_until_nine_in_ten_important_pages_were_fetched() -> None:
    important = [100.0] * 10
    web = web_of([[-9]] * 100, [*important, *[1.0] * 90], [-INF] * 100, [-INF] * 100)
    visits = visits_of(*((page, 1.0 + page) for page in range(9)), (50, 9.5), found=[0.0] * 100)
    assert measure("fixed", "priority", web, visits).most_by == 9
    result = measure("fixed", "priority", web, visits_of((0, 1.0), (50, 2.0), found=[0.0] * 100))
    assert result.most_by is None
    assert (result.fetched[0], result.fetched[-1]) == (0.0, 0.1)


def test_pages_that_were_fetched_before_the_beginning_need_no_request() -> None:
    web = web_of([[-9]] * 20, [100.0, 99.0, *[1.0] * 18], [-INF] * 20, [-1] * 20)
    result = measure("fixed", "priority", web, visits_of(found=[-1.0] * 20))
    assert (result.most_by, result.fetched[0]) == (0, 1.0)
