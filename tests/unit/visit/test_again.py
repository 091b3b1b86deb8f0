"""What a visit says of how often its page changes, and what is asked of a host that was asked before."""

import pytest
from msgspec.structs import replace

from gossamer.config.load import load
from gossamer.document.body import Body
from gossamer.records.entry import Entry, Priority
from gossamer.records.fetch import Fetched
from gossamer.records.freshness import Freshness
from gossamer.records.lease import Lease
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Place
from gossamer.records.visit import Lesson
from gossamer.visit.again import appointment, conditions, observed

NOW = 1_700_000_000.0
DAY = 86400.0
PAGE = Page(
    url="http://a/",
    key="http://a/",
    host="a",
    outcome=Outcome.OK,
    digest="sha1:A",
    mime="text/html",
    fetched_at=NOW - DAY,
    simhash=0,
    outlinks=7,
    place=Place("f", 0, 1),
    freshness=Freshness(1, 0, NOW - DAY, NOW - DAY, etag='"x"', last_modified="Wed, 15 Nov 2023 00:00:00 GMT"),
)
LEASE = Lease(
    token=1,
    worker="w",
    entry=Entry("http://a/", "http://a/", "a", priority=Priority.HIGH),
    leased_at=NOW,
    until=NOW + 300,
    discovered_at=NOW - 5,
)
FOREVER = load((), {"crawl.forever": True}, {})


def answer(**headers: str) -> Fetched:
    known = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Fetched(url="http://a/", outcome=Outcome.OK, status=200, headers=known, body=Body.of(b"x"))


def test_a_page_that_is_kept_is_asked_for_with_conditions() -> None:
    assert conditions(PAGE) == (("If-None-Match", '"x"'), ("If-Modified-Since", "Wed, 15 Nov 2023 00:00:00 GMT"))
    assert conditions(None) == ()
    assert conditions(replace(PAGE, place=None)) == (), "a 304 would leave us with nothing"


@pytest.mark.parametrize(
    ("now", "changed"),
    [
        (replace(PAGE, digest="sha1:B", simhash=0b111), False),  # a new date in the footer
        (replace(PAGE, digest="sha1:B", simhash=0b11111), False),  # a new date in a short text
        (replace(PAGE, digest="sha1:B", simhash=0b11111, length=9), True),
        (replace(PAGE, digest="sha1:B", outlinks=8), True),
        (replace(PAGE, outcome=Outcome.NOT_MODIFIED), False),
    ],
)
def test_changed_is_what_a_reader_would_call_so(now: Page, changed: bool) -> None:
    seen = observed(LEASE, Lesson(previous=PAGE), answer(), replace(now, fetched_at=NOW), FOREVER, NOW)
    assert (seen.visits, seen.changes) == (2, int(changed))


def test_a_304_need_not_repeat_its_tag_but_a_new_answer_without_one_has_none() -> None:
    same = observed(LEASE, Lesson(previous=PAGE), answer(), replace(PAGE, outcome=Outcome.NOT_MODIFIED), FOREVER, NOW)
    assert same.etag == '"x"'
    assert observed(LEASE, Lesson(previous=PAGE), answer(), replace(PAGE, digest="sha1:B"), FOREVER, NOW).etag == ""
    assert observed(LEASE, Lesson(), answer(etag='"y"'), PAGE, FOREVER, NOW).etag == '"y"'


def test_what_changes_often_and_matters_is_due_sooner() -> None:
    lesson = Lesson(importance=1.0, threshold=1e4)
    seldom = observed(LEASE, Lesson(previous=PAGE), answer(), replace(PAGE, outcome=Outcome.NOT_MODIFIED), FOREVER, NOW)
    page = replace(PAGE, fetched_at=NOW, digest="sha1:B", outlinks=8)
    often = observed(LEASE, Lesson(previous=PAGE), answer(), page, FOREVER, NOW)
    dues = [appointment(replace(PAGE, freshness=each), lesson, FOREVER, NOW).due for each in (often, seldom)]
    assert NOW < dues[0] < dues[1]
    assert appointment(replace(PAGE, freshness=often), replace(lesson, importance=10.0), FOREVER, NOW).due < dues[0]


@pytest.mark.parametrize("garbage", ["yesterday", "Wed, 99 Nov 99999 00:00:00 GMT", "\x00"])
def test_a_date_that_is_none_is_no_date(garbage: str) -> None:
    assert observed(LEASE, Lesson(), answer(last_modified=garbage), PAGE, FOREVER, NOW).visits == 1


@pytest.mark.parametrize("forever", [True, False])
def test_when_a_page_was_found_is_known_from_its_first_visit_on(forever: bool) -> None:
    settings = FOREVER if forever else load((), {}, {})
    first = observed(LEASE, Lesson(), answer(), PAGE, settings, NOW)
    assert (first.found_at, first.priority, first.first_seen) == (NOW - 5, Priority.HIGH, NOW)
    later = replace(LEASE, discovered_at=NOW, entry=replace(LEASE.entry, priority=Priority.LOW))
    again = observed(later, Lesson(previous=replace(PAGE, freshness=first)), answer(), PAGE, settings, NOW + DAY)
    assert (again.found_at, again.priority, again.first_seen) == (NOW - 5, Priority.HIGH, NOW)


def test_a_page_that_a_sitemap_says_changes_hourly_is_due_sooner_than_one_it_says_changes_yearly() -> None:
    def first(interval: float | None) -> float:
        lesson = Lesson(importance=1.0, threshold=1e4, claimed_interval=interval)
        page = replace(PAGE, freshness=observed(LEASE, lesson, answer(), PAGE, FOREVER, NOW))
        return appointment(page, lesson, FOREVER, NOW).due

    assert first(3600.0) < first(None) < first(365 * 86400.0)
