"""The breaker of a host."""

import pytest

from gossamer.config.sections import Breaker
from gossamer.policy.breaker import after_answer, is_open
from gossamer.records.host import HostClock
from gossamer.records.lease import Answer

SETTINGS = Breaker()
GOOD = Answer(at=0)
BAD = Answer(at=0, failed=True)
SILENT = Answer(at=0, failed=None)


def after(clock: HostClock, *answers: Answer, now: float = 1000.0, settings: Breaker = SETTINGS) -> HostClock:
    for answer in answers:
        clock = after_answer(clock, answer, settings, now)
    return clock


def test_five_failures_in_a_row_open_it_for_five_minutes() -> None:
    almost = after(HostClock(), BAD, BAD, BAD, BAD)
    assert not is_open(almost, 1000) and almost.blocked_until == 0
    opened = after(almost, BAD)
    assert is_open(opened, 1000) and opened.blocked_until == 1300 and opened.openings == 1
    assert str(opened.block_reason) == "breaker.failures: 5 failures in a row"
    assert not is_open(opened, 1300) and opened.probing


def test_a_success_in_between_starts_the_count_anew() -> None:
    clock = after(HostClock(), BAD, BAD, BAD, BAD, GOOD, BAD, BAD, BAD, BAD)
    assert clock.failures == 4 and not clock.probing


def test_an_answer_that_says_nothing_changes_nothing() -> None:
    clock = after(HostClock(), BAD, BAD)
    assert after(clock, SILENT) == clock


def test_a_probe_that_succeeds_closes_it() -> None:
    opened = after(HostClock(), *[BAD] * 5)
    closed = after(opened, GOOD, now=1300)
    assert not closed.probing and closed.failures == closed.openings == 0


def test_a_probe_that_fails_opens_it_again_at_once() -> None:
    opened = after(HostClock(), *[BAD] * 5)
    again = after(opened, BAD, now=1300)
    assert again.openings == 2 and again.blocked_until == 1600 and again.probing


def test_a_failed_probe_opens_it_however_few_failures_were_counted() -> None:
    assert after(HostClock(probing=True, failures=1), BAD).blocked_until == 1300


@pytest.mark.parametrize("late", [GOOD, BAD])
def test_an_answer_to_an_earlier_request_is_no_probe(late: Answer) -> None:
    opened = after(HostClock(), *[BAD] * 5)
    still = after(opened, late, now=1100)
    assert (still.probing, still.openings, still.blocked_until) == (True, 1, 1300)


def test_the_third_opening_in_a_row_gives_the_host_up_and_lets_its_urls_end() -> None:
    clock = after(HostClock(), *[BAD] * 5)
    clock = after(clock, BAD, now=1300)
    clock = after(clock, BAD, now=1600)
    assert clock.given_up_until == 1600 + 86400 and clock.blocked_until == 1600
    assert is_open(clock, 1600) and after(clock, GOOD, now=1700).given_up_until == clock.given_up_until
    tried = after(clock, BAD, now=1600 + 86400)
    assert tried.given_up_until == 1600 + 2 * 86400
    alive = after(tried, GOOD, now=1600 + 2 * 86400)
    assert (alive.probing, alive.openings, alive.failures, alive.given_up_until) == (False, 0, 0, 0)


def test_more_than_half_failures_of_a_full_window_pause_the_host_for_an_hour() -> None:
    half = after(HostClock(), *[GOOD, BAD] * 50)
    assert half.recent_count == 100 and half.blocked_until == 0
    paused = after(half, BAD)
    assert (
        paused.blocked_until == 4600 and str(paused.block_reason) == "breaker.error_share: 51 of the last 100 requests failed"
    )
    assert (paused.recent, paused.recent_count, paused.probing) == (0, 0, False)


def test_a_window_that_is_not_full_pauses_nothing() -> None:
    clock = after(HostClock(), *[BAD] * 99, settings=Breaker(failures=1000))
    assert clock.blocked_until == 0 and clock.recent_count == 99
    assert after(clock, GOOD, settings=Breaker(failures=1000)).blocked_until == 4600


def test_only_the_last_hundred_requests_count() -> None:
    clock = after(HostClock(), *[BAD] * 50, *[GOOD] * 60, settings=Breaker(failures=1000))
    assert clock.recent.bit_count() == 40 and clock.recent_count == 100
