"""Recrawl: when a page is fetched again."""

from math import exp, factorial, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config.sections import Recrawl
from gossamer.policy.change import RATES, begun, observed
from gossamer.policy.recrawl import adapted, best, due, first_threshold, steer, value
from gossamer.records.freshness import Freshness

DAY = 86400.0
NOW = 1_700_000_000.0
OPTIMAL = Recrawl(policy="optimal")
RATE = st.floats(RATES[0], RATES[-1])
IMPORTANCE = st.floats(0.01, 10_000)
THRESHOLD = st.floats(1, 1e7)


def test_a_fixed_interval_is_always_the_same() -> None:
    settings = Recrawl(policy="fixed", interval=5 * DAY)
    changed = observed(begun("text/html", NOW), DAY, True, None, NOW)
    assert due(changed, 100, NOW, settings).due == due(Freshness(), 0, NOW, settings).due == NOW + 5 * DAY


def test_the_adaptive_interval_is_halved_and_doubled_within_its_bounds() -> None:
    settings = Recrawl(policy="adaptive", interval=8 * DAY)
    freshness = Freshness()
    assert due(freshness, 1, NOW, settings).due == NOW + 8 * DAY
    for changed, days in [(True, 4), (True, 2), (False, 4), (False, 8), (False, 16), (False, 30), (False, 30), (True, 15)]:
        freshness = adapted(freshness, changed, settings)
        assert due(freshness, 1, NOW, settings).due == NOW + days * DAY
    for _ in range(20):
        freshness = adapted(freshness, True, settings)
    assert due(freshness, 1, NOW, settings).due == NOW + 900


@given(RATE, IMPORTANCE, st.floats(900, 90 * DAY), st.floats(1.0, 3.0))
def test_the_value_of_a_fetch_only_grows_with_the_age(rate: float, importance: float, age: float, more: float) -> None:
    assert 0 <= value(rate, importance, age) <= value(rate, importance, age * more) * (1 + 1e-9)
    assert value(rate, importance, age) <= importance / rate * (1 + 1e-9)


@given(RATE, st.floats(60, 90 * DAY))
def test_the_value_is_what_one_fetch_more_adds_to_freshness(rate: float, seconds: float) -> None:
    def freshness(frequency: float) -> float:
        return frequency / rate * -(exp(-rate / frequency) - 1) if rate / frequency > 1e-5 else 1 - rate / frequency / 2

    frequency, little = 1 / seconds, 1e-3 / seconds
    gained = (freshness(frequency + little) - freshness(frequency - little)) / (2 * little)
    assert value(rate, 1.0, seconds) == pytest.approx(gained, rel=0.01, abs=1e-3 * seconds)


@pytest.mark.parametrize("x", [1e-6, 9e-4, 1.1e-3, 0.1])
def test_the_value_of_a_page_that_hardly_changes_is_exact(x: float) -> None:
    series = sum((-1) ** n * (n - 1) / factorial(n) * x**n for n in range(2, 12))  # 1 - e^-x (1 + x), term by term
    assert value(x, 1.0, 1.0) == pytest.approx(series / x, rel=1e-6)


@given(RATE, IMPORTANCE, THRESHOLD)
def test_a_page_is_due_when_its_fetch_is_worth_the_threshold(rate: float, importance: float, threshold: float) -> None:
    then = best([(rate, 1.0)], importance, 0.0, OPTIMAL, threshold)
    assert OPTIMAL.shortest <= then.due <= OPTIMAL.longest
    worth = value(rate, importance, then.due) / threshold
    if then.due == OPTIMAL.longest:
        assert then.worth == pytest.approx(worth) and worth <= 1 + 1e-9
    elif then.due == OPTIMAL.shortest:
        assert then.worth == pytest.approx(worth) and worth >= 1 - 1e-9
    else:
        assert then.worth == 1.0
        assert value(rate, importance, then.due / 1.02) <= threshold <= value(rate, importance, then.due * 1.02)


@given(RATE, IMPORTANCE, THRESHOLD, st.floats(1.1, 100))
def test_important_pages_are_due_sooner_and_a_higher_price_makes_all_wait(
    rate: float, importance: float, threshold: float, times: float
) -> None:
    usual = best([(rate, 1.0)], importance, 0.0, OPTIMAL, threshold).due
    assert best([(rate, 1.0)], importance * times, 0.0, OPTIMAL, threshold).due <= usual * 1.02
    assert best([(rate, 1.0)], importance, 0.0, OPTIMAL, threshold * times).due >= usual / 1.02


def test_pages_that_change_too_fast_or_hardly_ever_wait_longest_and_those_between_do_not() -> None:
    intervals = [best([(rate, 1.0)], 1.0, 0.0, OPTIMAL, 60_000).due for rate in RATES]
    assert intervals[0] == intervals[-1] == OPTIMAL.longest
    assert min(intervals) < 10 * DAY


def test_what_is_believed_and_not_known_is_averaged_over() -> None:
    sure = best([(1 / DAY, 1.0)], 5.0, 0.0, OPTIMAL, 60_000).due
    unsure = best([(1 / DAY, 0.5), (1 / (300 * DAY), 0.5)], 5.0, 0.0, OPTIMAL, 60_000).due
    assert sure < unsure < OPTIMAL.longest


@pytest.mark.parametrize(("importance", "threshold"), [(0.0, 1.0), (1.0, inf), (1e-300, 1e7)])
def test_a_page_that_is_worth_nothing_waits_longest(importance: float, threshold: float) -> None:
    then = due(begun("text/html", NOW), importance, NOW, OPTIMAL, threshold)
    assert then.due == NOW + OPTIMAL.longest
    assert then.worth < 1e-6


def test_while_a_request_costs_nothing_everything_is_due_as_soon_as_may_be() -> None:
    assert due(begun("text/html", NOW), 1.0, NOW, OPTIMAL, 0.0).due == NOW + OPTIMAL.shortest


def test_the_first_threshold_uses_the_budget_up_when_pages_are_alike() -> None:
    threshold = first_threshold(7 * DAY, 3.0, [1 / (5 * DAY)])
    assert best([(1 / (5 * DAY), 1.0)], 3.0, 0.0, OPTIMAL, threshold).due == pytest.approx(7 * DAY, rel=0.02)


def test_the_threshold_finds_the_price_at_which_the_budget_is_used_up() -> None:
    rates = RATES
    allowed = len(rates) / (7 * 24)  # an hour

    def demand(price: float) -> float:
        return sum(3600 / best([(rate, 1.0)], 1.0 + index % 10, 0.0, OPTIMAL, price).due for index, rate in enumerate(rates))

    for start in (1e4, 1e6):
        threshold = start
        for _ in range(400):
            wanted = demand(threshold)
            threshold = steer(threshold, wanted, min(wanted, allowed), 0, allowed)
        assert demand(threshold) == pytest.approx(allowed, rel=0.1)


def test_arrears_raise_the_price_leftovers_lower_it_and_without_news_it_stays() -> None:
    assert steer(100.0, 50.0, 50, 500, 50) > 100.0
    assert steer(100.0, 20.0, 20, 0, 50) < 100.0
    assert steer(100.0, 50.0, 50, 0, 50) == 100.0
    assert steer(100.0, 0.0, 0, 0, 50) == 100.0
    assert steer(100.0, 10.0, 10, 10, 0) == 100.0
    assert steer(100.0, 1e9, 50, 10**9, 50) < 120.0
