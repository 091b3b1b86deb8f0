"""Pace: requests to a host with several connections leave a delay apart, and none when the host wants to be left alone."""

import asyncio
from itertools import pairwise

from gossamer.clock import SystemClock
from gossamer.document.body import Body
from gossamer.records.entry import Entry
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Lease
from gossamer.records.outcome import Outcome
from gossamer.visit.pace import Pacer

DELAY = 0.05
CLOCK = SystemClock()
FAILURES = 3


def lease(token: int, connections: int = 4, delay: float = DELAY, at: float | None = None) -> Lease:
    now = CLOCK.now() if at is None else at
    entry = Entry(f"http://a.example/{token}", f"http://a.example/{token}", "a.example")
    return Lease(token=token, worker="w", entry=entry, leased_at=now, until=now + 300, delay=delay, max_connections=connections)


def answered(status: int = 200, at: float = 0.0, headers: tuple[tuple[str, str], ...] = ()) -> Fetched:
    return Fetched(url="http://a.example/", outcome=Outcome.OK, status=status, headers=headers, body=Body(), answered=at)


async def leave(pace: Pacer, lease: Lease) -> float:
    """Leave at a turn; return when that was."""
    turn = pace.turn(lease)
    assert turn is not None and await turn() == "" and turn.refused == ""
    return CLOCK.now()


async def test_all_that_could_leave_at_once_leaves_a_delay_apart_in_the_order_in_which_it_came() -> None:
    pace = Pacer(CLOCK, FAILURES)
    left = await asyncio.gather(*[leave(pace, lease(token)) for token in range(1, 6)])
    assert left == sorted(left)
    assert min(two - one for one, two in pairwise(left)) >= DELAY


async def test_a_request_that_was_held_up_as_it_left_makes_the_next_one_wait() -> None:
    pace = Pacer(CLOCK, FAILURES)
    waiting = asyncio.create_task(leave(pace, lease(2)))
    await leave(pace, lease(1))
    held_up = CLOCK.now() + DELAY
    while CLOCK.now() < held_up:
        pass  # the machine does something else between the turn and the sending
    assert await waiting >= held_up + DELAY


async def test_the_next_request_counts_from_the_answer_to_the_last_one_if_it_is_there() -> None:
    pace = Pacer(CLOCK, FAILURES)
    one = lease(1)
    await leave(pace, one)
    await asyncio.sleep(0)
    at = CLOCK.now() + DELAY / 2
    pace.hear(one, answered(at=at))
    assert await leave(pace, lease(2)) >= at + DELAY


async def test_where_one_lease_is_enough_nothing_waits_here() -> None:
    pace = Pacer(CLOCK, FAILURES)
    assert pace.turn(lease(1, connections=1)) is None
    assert pace.turn(lease(1, delay=0.0)) is None


async def test_what_was_leased_before_a_host_asked_for_quiet_is_given_back_and_what_is_leased_later_leaves() -> None:
    pace = Pacer(CLOCK, FAILURES)
    one, two, three = lease(1), lease(2), lease(3)
    await leave(pace, one)
    waiting, turn = asyncio.create_task(pace.wait_until_turn(two)), pace.turn(three)
    await asyncio.sleep(0)
    pace.hear(one, answered(429))
    assert "answered 429" in await waiting
    assert turn is not None and "a.example is left alone" in await turn() and turn.refused
    durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    pace.settle(one, durable)
    durable.set_result(None)
    await asyncio.sleep(0)
    assert await pace.wait_until_turn(lease(4))  # it was on its way when the settlement was
    await leave(pace, lease(5, at=CLOCK.now() + 1))


async def test_failures_in_a_row_are_heard_before_they_are_settled() -> None:
    pace = Pacer(CLOCK, FAILURES)
    leases = [lease(token, delay=0.001) for token in range(1, FAILURES + 2)]
    for one in leases[:FAILURES]:
        await leave(pace, one)
        pace.hear(one, answered(500))
    assert "failures in a row" in await pace.wait_until_turn(leases[-1])


async def test_who_waits_and_is_cancelled_holds_nobody_up() -> None:
    pace = Pacer(CLOCK, FAILURES)
    await leave(pace, lease(1))
    waiting = asyncio.create_task(pace.wait_until_turn(lease(2)))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    async with asyncio.timeout(10):
        await leave(pace, lease(3))
