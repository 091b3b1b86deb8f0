"""When a crawl will be over: what waits at the pace so far, no sooner than its slowest host allows, unless a budget ends it."""

import pytest

from gossamer.cli.forecast import CrawlSpeed, Standing, forecast, pace_of, roughly, wait_for
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.records.standing import Outlook

MANY_HOSTS = Outlook(next_host="a.example", next_time=1.0)
ONE_HOST = Outlook(slowest="a.example", seconds=700.0, delay=1.0)


def test_the_pace_is_that_of_the_time_remembered() -> None:
    history = [Standing(float(second), 10 * second, 20 * second, 100 - second) for second in range(11)]
    assert pace_of(history) == CrawlSpeed(10.0, 20.0, False)
    assert pace_of(history[:2]) == pace_of([]) == CrawlSpeed(), "too short to tell"
    assert pace_of([*history, Standing(11.0, 110, 220, 200)]).is_growing


def test_many_hosts_take_what_waits_at_the_pace_so_far() -> None:
    assert (
        forecast(7200, CrawlSpeed(9.0, 10.0), MANY_HOSTS, None, None)
        == "about 12 min at this pace, and more as links are found"
    )
    growing = forecast(7200, CrawlSpeed(9.0, 10.0, True), MANY_HOSTS, None, None)
    assert growing == "at least 12 min at this pace: more links are found than fetched"
    assert forecast(7200, CrawlSpeed(), MANY_HOSTS, None, None) == "", "nobody can tell"
    assert forecast(0, CrawlSpeed(9.0, 10.0), MANY_HOSTS, None, None) == ""


def test_one_host_takes_as_long_as_its_delay_asks_for_however_fast_the_others_are() -> None:
    told = "about 12 min, 1 s apart at a.example, and more as links are found"
    assert forecast(710, CrawlSpeed(50.0, 50.0), ONE_HOST, None, None) == told
    assert forecast(700, CrawlSpeed(), ONE_HOST, None, None) == told, "before there is a pace"
    assert "15 min, 1 s apart" in forecast(700, CrawlSpeed(0.8, 0.8), ONE_HOST, None, None), "it never keeps exactly to it"
    assert "1 h" not in forecast(700, CrawlSpeed(), ONE_HOST, None, None)
    assert "at this pace" in forecast(700, CrawlSpeed(0.1, 0.1), ONE_HOST, None, None), "something else is slower"


def test_a_budget_ends_it_sooner() -> None:
    spent = forecast(7200, CrawlSpeed(10.0, 10.0), MANY_HOSTS, 100, None)
    assert spent == "about 10 s at this pace: then the budget of pages is spent"
    assert forecast(7200, CrawlSpeed(10.0, 10.0), MANY_HOSTS, None, 30.0) == "30 s: then the time is spent"
    assert "links" in forecast(7200, CrawlSpeed(10.0, 10.0), MANY_HOSTS, 100_000, 3600.0)


def test_a_wait_names_the_host_and_what_is_in_the_way() -> None:
    assert wait_for(MANY_HOSTS, 0.2) == "0.8 s for a.example's turn"
    assert (
        wait_for(Outlook(next_host="a.example", next_time=300.0, reason=because(Rule.POLITENESS_THROTTLED, status=429)), 0.0)
        == "5 min for a.example: answered 429"
    )
    assert wait_for(MANY_HOSTS, 1.0) == wait_for(Outlook(), 0.0) == ""


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (89, "89 s"), (720, "12 min"), (7200, "2 h"), (400_000, "5 days")]
)
def test_durations_are_rough(seconds: float, words: str) -> None:
    assert roughly(seconds) == words
