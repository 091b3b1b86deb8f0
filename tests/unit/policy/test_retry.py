"""Retry: what an answer means, and when to try again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.config.sections import Retry
from gossamer.policy.retry import LONGEST_RETRY_AFTER, is_transient, next_try, outcome_of, retry_after
from gossamer.records.outcome import Outcome

NOW = 784_111_777.0  # Sun, 06 Nov 1994 08:49:37 GMT
TRANSIENT = {"server_error", "throttled", "timed_out", "connect_failed", "dns_failed", "protocol_error"}


def test_only_passing_failures_are_transient() -> None:
    assert {outcome.value for outcome in Outcome if is_transient(outcome)} == TRANSIENT


def test_waits_grow_and_end() -> None:
    settings = Retry(times=3, wait=5, growth=3)
    due = [next_try(Outcome.TIMED_OUT, attempts, 2.0, settings, NOW) for attempts in range(5)]
    assert due == [NOW + 10, NOW + 30, NOW + 90, None, None]


def test_a_host_without_a_delay_is_not_asked_again_at_once() -> None:
    assert next_try(Outcome.SERVER_ERROR, 0, 0.0, Retry(wait=5), NOW) == NOW + 0.5


def test_what_will_not_change_is_not_tried_again() -> None:
    for outcome in Outcome:
        if not is_transient(outcome):
            assert next_try(outcome, 0, 1.0, Retry(), NOW) is None


def test_no_retries_can_be_asked_for() -> None:
    assert next_try(Outcome.TIMED_OUT, 0, 1.0, Retry(times=0), NOW) is None


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("120", 120),
        (" 0 ", 0),
        ("1.5", 1.5),
        ("-5", 0),
        ("9" * 400, LONGEST_RETRY_AFTER),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
        ("Sun Nov  6 08:50:37 1994", 60),
        ("Sun, 06 Nov 1994 09:50:37 +0100", 60),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_RETRY_AFTER),
    ],
)
def test_retry_after_is_seconds_or_a_date_and_never_in_the_past(header: str, wait: float) -> None:
    assert retry_after(header, NOW) == NOW + wait


@pytest.mark.parametrize(
    "header", ["", "soon", "12 minutes", "nan", "inf", "1e3", "0x10", "٣", "Sun, 99 Foo 1994 08:49:37 GMT"]
)
def test_a_retry_after_that_says_nothing_is_ignored(header: str) -> None:
    assert retry_after(header, NOW) is None


DATE_WORDS = st.sampled_from(
    [
        "Sun,",
        "Nov",
        "06",
        "1994",
        "94",
        "99999999999",
        "-1",
        "08:49:37",
        "8:99",
        ":",
        "GMT",
        "+9999",
        "-0000",
        ",",
        "/",
        "T",
        "Z",
    ]
)


@given(st.one_of(st.text(), st.lists(DATE_WORDS, max_size=8).map(" ".join)))
def test_no_header_breaks_the_rule(header: str) -> None:
    due = retry_after(header, NOW)
    assert due is None or NOW <= due <= NOW + LONGEST_RETRY_AFTER


@pytest.mark.parametrize(
    ("statuses", "outcome"),
    [
        ((200, 203, 206, 299), Outcome.OK),
        ((304,), Outcome.NOT_MODIFIED),
        ((300, 301, 302, 303, 307, 308), Outcome.REDIRECTED),
        ((404, 410), Outcome.GONE),
        ((429,), Outcome.THROTTLED),
        ((400, 401, 403, 451, 499), Outcome.CLIENT_ERROR),
        ((500, 502, 503, 599), Outcome.SERVER_ERROR),
        ((0, 100, 199, 600, 999), Outcome.PROTOCOL_ERROR),
    ],
)
def test_a_status_means_an_outcome(statuses: tuple[int, ...], outcome: Outcome) -> None:
    assert {outcome_of(status) for status in statuses} == {outcome}


def test_a_503_that_says_when_to_come_back_asks_us_to_slow_down() -> None:
    assert outcome_of(503, True) is Outcome.THROTTLED
    assert outcome_of(500, True) is Outcome.SERVER_ERROR
