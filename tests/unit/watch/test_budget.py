"""A budget is exact: never one page more than allowed."""

import pytest

from gossamer.config.sections import CrawlSettings
from gossamer.records.entry import Entry
from gossamer.records.lease import Fate, Lease, Settlement
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.visit import Visit
from gossamer.watch.budget import Budget, Limit
from gossamer.watch.events import VisitsEnded


def ended(outcome: Outcome | None, received: int = 100) -> Visit:
    """A finished visit; None is one that will be repeated."""
    entry = Entry("http://a/", "http://a/", "a")
    lease = Lease(token=1, worker="w", entry=entry, leased_at=0, until=9)
    page = None if outcome is None else Page(url=entry.url, key=entry.key, host="a", outcome=outcome)
    return Visit(
        settlement=Settlement(lease=lease, fate=Fate.DONE, outcome=outcome or Outcome.DEFERRED), page=page, received=received
    )


def spend(budget: Budget, *visits: Visit) -> None:
    """Count visits as whoever leads a run does."""
    event = VisitsEnded(visits)
    budget.spend(event.kept, event.received)


def test_visits_under_way_count_as_pages_until_they_end() -> None:
    budget = Budget(CrawlSettings(max_pages=3, concurrency=10), pages=1, received=0, now=0)
    assert budget.room(under_way=0) == 2
    assert budget.room(under_way=2) == 0


def test_a_visit_that_brings_no_page_gives_its_place_back() -> None:
    budget = Budget(CrawlSettings(max_pages=1), pages=0, received=0, now=0)
    spend(budget, ended(Outcome.GONE), ended(None))
    assert budget.room(under_way=0) == 1
    spend(budget, ended(Outcome.DUPLICATE))
    assert budget.room(under_way=0) == 0
    assert budget.spent(now=0) == Limit("crawl.max_pages", 1)


def test_room_is_never_more_than_the_concurrency() -> None:
    assert Budget(CrawlSettings(concurrency=4), pages=0, received=0, now=0).room(under_way=1) == 3


@pytest.mark.parametrize(
    ("limits", "now", "spent"),
    [
        ({"max_bytes": 150}, 0, Limit("crawl.max_bytes", 150)),
        ({"max_seconds": 60}, 59, None),
        ({"max_seconds": 60}, 60, Limit("crawl.max_seconds", 60)),
        ({}, 1e9, None),
    ],
)
def test_bytes_and_time_run_out_too(limits: dict[str, float], now: float, spent: Limit | None) -> None:
    budget = Budget(CrawlSettings(**limits), pages=0, received=100, now=0)
    spend(budget, ended(Outcome.OK))
    assert budget.spent(now) == spent


@pytest.mark.parametrize(("kept", "left"), [(0, 3), (2, 1), (3, 3), (4, 2)])
def test_what_is_left_of_a_limit_is_spent_first_and_then_the_limit_once_more(kept: int, left: int) -> None:
    budget = Budget(CrawlSettings(max_pages=3), pages=kept, received=0, now=0)
    assert budget.allowance() == [Limit("crawl.max_pages", left)]


def test_a_limit_given_for_a_run_counts_for_that_run_and_the_others_go_on() -> None:
    budget = Budget(CrawlSettings(max_pages=5, max_bytes=100), pages=4, received=60, now=0)
    budget.begin_anew(["crawl.max_pages", "politeness.delay"])
    assert budget.allowance() == [Limit("crawl.max_pages", 5), Limit("crawl.max_bytes", 40)]


def test_what_is_left_is_told_and_none_means_no_limit() -> None:
    budget = Budget(CrawlSettings(max_pages=3, max_seconds=60), pages=1, received=0, now=0)
    spend(budget, ended(Outcome.OK))
    assert budget.left(now=20) == (1, 40)
    assert budget.left(now=90) == (1, 0)
    assert Budget(CrawlSettings(), pages=9, received=0, now=0).left(now=5) == (None, None)
