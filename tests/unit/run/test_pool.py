"""Tests of the pool: who is visited when, how many at once, and what a visit's end means to a run."""

import asyncio
from math import inf

import pytest
from msgspec.structs import replace

from gossamer.clock import SystemClock
from gossamer.config.sections import CrawlSettings
from gossamer.errors import CannotGoOn, StoreError
from gossamer.records.entry import Entry
from gossamer.records.lease import Lease, Leases
from gossamer.run import steering
from gossamer.run.pool import OVERDUE, Pool, RunEnd
from gossamer.watch.budget import Budget
from gossamer.watch.events import Event, Events, Trouble

CLOCK = SystemClock()


class Lookout:
    short_of_disk = False

    def look(self, now: float) -> None: ...


class Visits:
    """A frontier with so many URLs, and visits that end, and become durable, when they are told to."""

    def __init__(self, count: int, concurrency: int, drain: float = 60.0, asks_ahead: bool = False) -> None:
        self.limits: list[int] = []
        self.given_back: list[int] = []
        self.waiting = [lease(token) for token in range(count)]
        self.begun: list[int] = []
        self.ended = 0
        self.times: list[float] = []
        self.visitors: set[object] = set()
        self.ends = asyncio.Semaphore(0)
        self.durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        budget = Budget(CrawlSettings(concurrency=concurrency), 0, 0, CLOCK.now())
        self.pool = Pool(
            worker="w",
            visit=self.visit,
            give_back=self.give_back,
            frontier=self,
            lookout=Lookout(),
            budget=budget,
            events=Events(),
            longest_wait=inf,
            drain=drain,
            clock=CLOCK,
            asks_ahead=asks_ahead,
        )

    async def lease(self, worker: str, limit: int, now: float) -> Leases:
        self.limits.append(limit)
        given, self.waiting = self.waiting[:limit], self.waiting[limit:]
        return Leases(tuple(given), None)

    async def visit(self, lease: Lease) -> "asyncio.Future[None]":
        self.begun.append(lease.token)
        self.times.append(CLOCK.now())
        self.visitors.add(asyncio.current_task())
        await self.ends.acquire()
        self.ended += 1
        return self.durable

    def give_back(self, lease: Lease) -> "asyncio.Future[None]":
        self.given_back.append(lease.token)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done

    async def until(self, begun: int, visiting: int = 0) -> None:
        """Return when so many visits have begun, and so many of them have not ended."""
        async with asyncio.timeout(30):
            while len(self.begun) < begun or len(self.begun) - self.ended != visiting:
                await asyncio.sleep(0)

    def end(self, count: int) -> None:
        for _ in range(count):
            self.ends.release()

    def settle(self, error: Exception | None = None) -> None:
        durable, self.durable = self.durable, asyncio.get_running_loop().create_future()
        durable.set_result(None) if error is None else durable.set_exception(error)


def lease(token: int, turn: float = 0.0) -> Lease:
    return Lease(token=token, worker="w", entry=Entry("", "", ""), leased_at=turn, until=inf)


async def test_a_visit_is_under_way_until_it_is_durable_and_no_other_has_its_place_before() -> None:
    visits = Visits(5, concurrency=3)
    run = asyncio.create_task(visits.pool.run())
    await visits.until(3, visiting=3)
    visits.end(2)
    await visits.until(3, visiting=1)
    for _ in range(100):  # turns of the loop: time enough to begin another
        await asyncio.sleep(0)
    assert (visits.begun, visits.pool.under_way) == ([0, 1, 2], 3)
    visits.settle()
    await visits.until(5, visiting=3)
    visits.end(3)
    await visits.until(5)
    assert not run.done() and visits.pool.under_way == 3
    visits.settle()
    assert await run is RunEnd.FINISHED
    assert visits.begun == list(range(5)) and len(visits.visitors) == 3, "who ended a visit does the next"


async def test_of_a_node_it_asks_for_all_it_may_ever_have_and_takes_what_comes() -> None:
    visits = Visits(4, concurrency=3, asks_ahead=True)
    run = asyncio.create_task(visits.pool.run())
    await visits.until(3, visiting=3)
    visits.end(1)
    await visits.until(3, visiting=2)
    visits.settle()
    await visits.until(4, visiting=3)
    visits.end(3)
    await visits.until(4)
    visits.settle()
    assert await run is RunEnd.FINISHED
    assert set(visits.limits) == {3}, "whatever is under way: the node counts that"


async def test_the_oldest_visit_is_the_one_that_began_first_of_those_that_still_fetch_or_read() -> None:
    visits = Visits(3, concurrency=2)
    assert visits.pool.oldest is None
    run = asyncio.create_task(visits.pool.run())
    for token in range(3):
        await visits.until(min(token + 2, 3), visiting=min(3 - token, 2))
        assert visits.pool.oldest is not None and visits.pool.oldest.token == token
        visits.end(1)
        await visits.until(token + 1, visiting=min(2 - token, 1))
        visits.settle()
    assert await run is RunEnd.FINISHED and visits.pool.oldest is None


async def test_a_visit_begins_in_its_turn_and_not_before() -> None:
    visits = Visits(0, concurrency=9)
    now = CLOCK.now()
    visits.waiting = [lease(token, now + ahead) for token, ahead in enumerate((0.06, -1.0, 0.03, 0.0300001))]
    run = asyncio.create_task(visits.pool.run())
    await visits.until(4, visiting=4)
    assert visits.begun == [1, 2, 3, 0]
    assert all(at >= now + ahead for at, ahead in zip(visits.times, (-1.0, 0.03, 0.0300001, 0.06), strict=True))
    visits.end(4)
    await visits.until(4)
    visits.settle()
    assert await run is RunEnd.FINISHED


async def test_leases_that_come_later_may_have_an_earlier_turn() -> None:
    visits = Visits(0, concurrency=9)
    now = CLOCK.now()
    visits.waiting = [lease(0, now + 3600), lease(1)]
    run = asyncio.create_task(visits.pool.run())
    await visits.until(1, visiting=1)
    visits.waiting = [lease(2, CLOCK.now() + 0.01)]
    visits.end(1)
    await visits.until(1)
    visits.settle()
    await visits.until(2, visiting=1)
    assert visits.begun == [1, 2] and visits.pool.under_way == 2, "one waits for its turn"
    visits.pool.cancel()
    assert await run is RunEnd.STOPPED
    assert visits.pool.under_way == 0


async def test_a_visit_that_could_not_be_made_durable_ends_the_run() -> None:
    visits = Visits(2, concurrency=2)
    run = asyncio.create_task(visits.pool.run())
    visits.end(1)
    await visits.until(2, visiting=1)
    visits.settle(StoreError("the disk is gone"))
    with pytest.raises(StoreError, match="the disk is gone"):
        await run


async def test_a_visit_that_fails_ends_the_run() -> None:
    visits = Visits(2, concurrency=2)

    async def visit(lease: Lease) -> "asyncio.Future[None]":
        raise StoreError("the disk is gone")

    visits.pool._visit = visit
    with pytest.raises(StoreError, match="the disk is gone"):
        await visits.pool.run()


async def test_told_to_stop_it_waits_for_what_is_under_way_and_begins_nothing() -> None:
    visits = Visits(3, concurrency=2)
    run = asyncio.create_task(visits.pool.run())
    await visits.until(2, visiting=2)
    visits.pool.stop("enough")
    visits.end(2)
    await visits.until(2)
    assert not run.done()
    visits.settle()
    assert await run is RunEnd.STOPPED
    assert visits.begun == [0, 1]


async def test_told_to_stop_at_once_it_waits_for_nothing() -> None:
    visits = Visits(3, concurrency=3)
    run = asyncio.create_task(visits.pool.run())
    visits.end(2)
    await visits.until(3, visiting=1)
    visits.pool.cancel()
    assert await asyncio.wait_for(run, 30) is RunEnd.STOPPED
    assert visits.pool.under_way == 0 and not visits.durable.done(), "what others share is not cancelled"
    visits.settle(StoreError("nobody listens"))
    await asyncio.sleep(0)


async def test_told_to_stop_at_once_it_does_not_wait_for_visits_that_were_about_to_begin() -> None:
    visits = Visits(3, concurrency=2)
    run = asyncio.create_task(visits.pool.run())
    visits.end(2)
    await visits.until(2)
    visits.settle()

    class Last(Visits):
        async def lease(self, worker: str, limit: int, now: float) -> Leases:
            asyncio.get_running_loop().call_soon(visits.pool.cancel)  # before anyone of them has had a turn of the loop
            return Leases((lease(7), lease(8), lease(9)), None)

    visits.pool._frontier = Last(0, concurrency=3)
    assert await asyncio.wait_for(run, 30) is RunEnd.STOPPED
    assert visits.pool.under_way == 0


async def test_a_bug_while_a_visit_becomes_durable_is_told_and_the_others_go_on() -> None:
    visits = Visits(4, concurrency=2)
    told: list[Event] = []
    visits.pool._events.subscribe(told.append)
    run = asyncio.create_task(visits.pool.run())
    visits.end(2)
    await visits.until(2)
    visits.settle(ZeroDivisionError("a bug"))
    await visits.until(4, visiting=2)
    visits.end(2)
    await visits.until(4)
    visits.settle()
    assert await run is RunEnd.FINISHED
    (trouble,) = [event for event in told if isinstance(event, Trouble)]
    assert "ZeroDivisionError: a bug" in trouble.what and "ZeroDivisionError" in trouble.trace


@pytest.mark.parametrize("bugs", [1, 9])
async def test_a_bug_while_leases_are_given_ends_the_run_only_when_nothing_else_happens(
    monkeypatch: pytest.MonkeyPatch, bugs: int
) -> None:
    monkeypatch.setattr(steering, "LOOK_AROUND", 0.001)
    visits, left = Visits(0, concurrency=2), bugs

    async def failing(worker: str, limit: int, now: float) -> Leases:
        nonlocal left
        if left:
            left -= 1
            raise ZeroDivisionError("a bug")
        return Leases((), None)

    visits.lease = failing
    if bugs == 1:
        assert await visits.pool.run() is RunEnd.FINISHED
        return
    with pytest.raises(CannotGoOn, match=r"a bug of ours strikes again and again .*nothing that was done is lost"):
        await visits.pool.run()
    assert left == bugs - steering.MOST_BUGS


async def test_what_is_under_way_when_the_time_to_finish_is_over_is_dropped_and_given_back() -> None:
    visits = Visits(3, concurrency=4, drain=0.2)
    visits.waiting.append(lease(3, turn=CLOCK.now() + 100))
    running = asyncio.create_task(visits.pool.run())
    await visits.until(begun=3, visiting=3)
    visits.end(1)
    await visits.until(begun=3, visiting=2)
    visits.settle()
    visits.pool.stop("enough")
    assert await asyncio.wait_for(running, 30) is RunEnd.STOPPED
    assert sorted(visits.given_back) == [1, 2, 3] and visits.pool.under_way == 0


async def test_a_visit_that_outlives_its_lease_is_dropped_and_the_crawl_ends() -> None:
    visits, told = Visits(1, concurrency=2), list[Event]()
    visits.pool._events.subscribe(told.append)
    visits.waiting[0] = replace(visits.waiting[0], until=CLOCK.now() - OVERDUE)
    assert await asyncio.wait_for(visits.pool.run(), 30) is RunEnd.FINISHED
    assert visits.begun == [0] and visits.given_back == []
    assert any(isinstance(event, Trouble) and "was dropped" in event.what for event in told)
