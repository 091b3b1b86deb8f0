"""Requests: what a kept connection left unanswered is asked for again, and not for ever."""

import math
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from gossamer.config.sections import Settings
from gossamer.document.body import Body
from gossamer.errors import DiskFull, SpoolError
from gossamer.records.entry import Entry
from gossamer.records.fetch import Fetched, Request
from gossamer.records.lease import Answer, Fate, Lease
from gossamer.records.outcome import Outcome
from gossamer.records.visit import Lesson
from gossamer.testing.clock import VirtualClock
from gossamer.visit.request import MOST_UNANSWERED, Requests
from gossamer.visit.settle import Kept, conclude, outcome_of

NOW = 1_700_000_000.0
URL = "http://a.example/"
LEASE = Lease(token=1, worker="w", entry=Entry(URL, URL, "a.example"), leased_at=NOW, until=math.inf, delay=1.0)


def requests(*answers: Fetched | Exception) -> Requests:
    """Requests that are answered like this, one after the other."""
    left = list(answers)

    async def fetch(request: Request) -> Fetched:
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    fetchers: Any = {"http": SimpleNamespace(fetch=fetch)}
    return Requests(Settings(), fetchers, "gossamer", VirtualClock(NOW), frozenset())


def lost() -> Fetched:
    """A request that left on a kept connection, and was not answered by one byte."""
    times = {"started": NOW, "answered": NOW + 0.1, "ended": NOW + 0.1}
    return Fetched(url=URL, outcome=Outcome.CONNECT_FAILED, detail="closed", body=Body(), unanswered=True, **times)


async def test_a_request_that_a_kept_connection_left_unanswered_is_no_failure_of_the_page_or_the_host() -> None:
    fetched = await requests(lost()).send(URL, LEASE)
    visit = conclude(LEASE, Lesson(), Kept(fetched=fetched, outcome=outcome_of(fetched)), Settings(), NOW + 1)
    settlement = visit.settlement
    assert (settlement.fate, settlement.due, visit.page) == (Fate.DEFERRED, None, None)
    assert settlement.answer == Answer(at=NOW + 0.1, seconds=pytest.approx(0.1), failed=None)


async def test_what_is_left_unanswered_again_and_again_is_a_failure_like_any_other() -> None:
    asking = requests(*[lost() for _ in range(2 * (MOST_UNANSWERED + 1))])
    outcomes = [(await asking.send(URL, LEASE)).outcome for _ in range(2 * (MOST_UNANSWERED + 1))]
    assert outcomes == 2 * [*MOST_UNANSWERED * [Outcome.DEFERRED], Outcome.CONNECT_FAILED]


async def test_an_answer_makes_what_was_left_unanswered_forgotten() -> None:
    whole = Fetched(url=URL, outcome=Outcome.OK, status=200, body=Body())
    asking = requests(lost(), lost(), whole, *[lost() for _ in range(MOST_UNANSWERED)])
    outcomes = [(await asking.send(URL, LEASE)).outcome for _ in range(3 + MOST_UNANSWERED)]
    assert outcomes == [Outcome.DEFERRED, Outcome.DEFERRED, Outcome.OK, *MOST_UNANSWERED * [Outcome.DEFERRED]]


@pytest.mark.parametrize(("start_by", "until"), [(NOW + 5, NOW + 5), (math.inf, NOW + 60)])
async def test_a_request_may_leave_until_its_lease_ends_or_may_not_begin_any_more(start_by: float, until: float) -> None:
    asked: list[Request] = []

    async def fetch(request: Request) -> Fetched:
        asked.append(request)
        return lost()

    fetchers: Any = {"http": SimpleNamespace(fetch=fetch)}
    lease = replace(LEASE, until=NOW + 60, start_by=start_by)
    await Requests(Settings(), fetchers, "gossamer", VirtualClock(NOW), frozenset()).send(URL, lease)
    assert asked[0].until == until


async def test_a_body_that_cannot_be_spooled_costs_its_visit_and_not_the_crawl() -> None:
    with pytest.raises(SpoolError, match="no space"):
        await requests(DiskFull("no space is left")).send(URL, LEASE)
