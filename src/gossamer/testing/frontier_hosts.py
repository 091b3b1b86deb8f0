"""Rules of a frontier about hosts: delays, connections, blocks, the breaker, when a turn comes, and restarts."""

from math import inf

from msgspec.structs import replace

from gossamer.config.sections import Breaker, Politeness
from gossamer.policy.turn import TurnRules
from gossamer.records.entry import Priority
from gossamer.records.host import HostPolicy
from gossamer.records.lease import Answer, Fate
from gossamer.records.outcome import State
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.records.standing import Outlook
from gossamer.testing.clock import VirtualClock
from gossamer.testing.frontier_bench import (
    EAGER,
    LEASE,
    NOW,
    FrontierBench,
    end,
    entry,
    failure,
    key,
    leased,
    many,
    only,
    status,
)

_DAY = 86400.0
RETRY_AFTER = because(Rule.POLITENESS_THROTTLED, status=429)
UNREACHABLE = because(Rule.ROBOTS_UNREACHABLE, detail="status 503")


async def a_host_is_never_leased_twice_at_once(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await many(frontier, 5)
    lease = await only(frontier, NOW)
    assert not await leased(frontier, NOW + 100, worker="other")
    assert await frontier.reserve("other", "a.example", NOW + 100) is None
    await frontier.settle([end(lease)], NOW + 100)
    await only(frontier, NOW + 100, "other")


async def a_host_gets_as_many_connections_as_it_may_a_delay_apart(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=Politeness(delay=2, connections=3))
    await many(frontier, 9)
    for second in range(7):
        assert len(await leased(frontier, NOW + second)) == (second in (0, 2, 4))
    assert not await leased(frontier, NOW + 50)
    await frontier.set_policy("a.example", HostPolicy(max_connections=4))
    assert (await only(frontier, NOW + 50)).max_connections == 4
    assert (await status(frontier)).leased == 4


async def each_lease_belongs_to_whom_the_caller_names_for_its_host(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry(host="a.example"), entry(host="b.example")], NOW)
    await frontier.set_policy("b.example", HostPolicy(max_connections=2))
    given = await frontier.lease(lambda host, connections, delay: f"{host[0]}{connections}{delay:g}", 10, NOW)
    assert sorted(lease.worker for lease in given.leases) == ["a10", "b20"]
    theirs = next(lease for lease in given.leases if lease.worker == "b20")
    assert await frontier.abandon("a10", NOW) == 1
    assert await frontier.settle([end(theirs)], NOW) == 1


async def two_requests_to_a_host_are_a_delay_apart_as_the_host_sees_it(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await many(frontier, 3)
    lease = await only(frontier, NOW)
    assert lease.delay == 1.0
    await frontier.settle([end(lease, answer=Answer(at=NOW + 0.1))], NOW + 0.2)
    assert not await leased(frontier, NOW + 1.09)
    lease = await only(frontier, NOW + 1.1, "other")
    await frontier.settle([end(lease, answer=Answer(at=NOW + 9))], NOW + 30)
    assert (await status(frontier)).clock.next_time == NOW + 10


async def a_turn_that_was_not_used_is_given_back(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await many(frontier, 3)
    await frontier.settle([end(await only(frontier, NOW), Fate.DEFERRED, answer=None)], NOW + 0.1)
    lease = await only(frontier, NOW + 0.1)
    await frontier.pace("a.example", 7)
    await frontier.settle([end(lease, Fate.DEFERRED, answer=None)], NOW + 0.1)
    assert (await status(frontier)).clock.next_time >= NOW + 7


async def policy_and_robots_set_the_pace(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await many(frontier, 9)
    await frontier.settle([end(await only(frontier, NOW))], NOW)
    await frontier.set_policy("a.example", HostPolicy(max_qps=0.25))
    assert not await leased(frontier, NOW + 3.9)
    await frontier.settle([end(await only(frontier, NOW + 4))], NOW + 4)
    await frontier.pace("a.example", 10)
    assert not await leased(frontier, NOW + 13.9)
    lease = await only(frontier, NOW + 14)
    assert lease.delay == (await status(frontier)).delay == 10
    await frontier.settle([end(lease, answer=Answer(at=NOW + 14, robots_delay=20.0))], NOW + 14)
    assert not await leased(frontier, NOW + 33.9)
    await only(frontier, NOW + 34)


async def slow_answers_stretch_the_delay_and_quick_ones_bring_it_back(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await many(frontier, 9)
    now, delays = NOW, []
    for seconds in (6.0, 6.0, 3.0, 0.1, 0.1, 0.1):
        now += 100
        await frontier.settle([end(await only(frontier, now), answer=Answer(at=now, seconds=seconds))], now)
        delays.append((await status(frontier)).delay)
    assert delays == [2, 4, 4, 2, 1, 1]


async def a_clock_that_was_computed_from_the_lease_is_kept_unless_the_host_s_has_moved_since(bench: FrontierBench) -> None:
    frontier, rules = await bench.open(politeness=EAGER), TurnRules(EAGER, Breaker())
    await many(frontier, 3)
    clocks = []
    for now in (NOW, NOW + 10):
        lease, answer = await only(frontier, now), Answer(at=now, seconds=1.0, failed=True)
        clocks.append(rules.clock_after(lease.clock, lease.policy, answer, now))
        if now > NOW:
            await frontier.pace("a.example", 5.0)
            await frontier.block("a.example", NOW + 100, None)
        await frontier.settle([end(lease, answer=answer, clock=clocks[-1])], now)
        clocks.append((await status(frontier)).clock)
    assert clocks[0] == clocks[1] and clocks[1].failures == 1
    assert (clocks[3].blocked_until, clocks[3].robots_delay, clocks[3].next_time) == (NOW + 100, 5.0, NOW + 15)
    assert clocks[3].failures == clocks[2].failures == 2, "the answer counts all the same"


async def a_block_moves_later_until_it_is_lifted(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await many(frontier, 3)
    await frontier.block("a.example", NOW + 100, UNREACHABLE)
    await frontier.block("a.example", NOW + 50, RETRY_AFTER)
    clock = (await status(frontier)).clock
    assert (clock.blocked_until, clock.block_reason) == (NOW + 100, UNREACHABLE)
    assert (await frontier.lease("worker", 1, NOW + 99)).next_time == NOW + 100
    assert await frontier.reserve("worker", "a.example", NOW + 99) is None
    lease = await only(frontier, NOW + 100)
    answer = Answer(at=NOW + 100, block_until=NOW + 200, block_reason=RETRY_AFTER)
    await frontier.settle([end(lease, answer=answer)], NOW + 100)
    assert not await leased(frontier, NOW + 199) and (await status(frontier)).clock.block_reason == RETRY_AFTER
    await frontier.block("a.example", 0, None)
    await only(frontier, NOW + 199)


async def a_paused_or_blocked_host_keeps_its_queue_and_gives_no_lease(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await many(frontier, 3)
    for policy in (HostPolicy(paused=True), HostPolicy(blocked=True)):
        await frontier.set_policy("a.example", policy)
        given = await frontier.lease("worker", 9, NOW + 10)
        assert not given.leases and given.next_time == inf
        assert await frontier.reserve("worker", "a.example", NOW + 10) is None
        assert (await status(frontier)).waiting == 3 and (await status(frontier)).policy == policy
    await frontier.set_policy("a.example", HostPolicy())
    await only(frontier, NOW + 10)


async def the_breaker_opens_probes_once_and_gives_up(bench: FrontierBench) -> None:
    settings = Breaker(failures=2, open_for=100, openings=2, give_up_for=1000)
    frontier = await bench.open(politeness=Politeness(delay=0, connections=2), breaker=settings)
    await many(frontier, 20)
    one, two = await leased(frontier, NOW)
    await frontier.settle([failure(one, NOW), failure(two, NOW)], NOW)
    reason = (await status(frontier)).clock.block_reason
    assert not await leased(frontier, NOW + 99) and reason is not None and reason.rule == Rule.BREAKER_FAILURES
    probe = await only(frontier, NOW + 100)
    await frontier.settle([end(probe)], NOW + 100)
    assert len(await leased(frontier, NOW + 100)) == 2
    frontier = await bench.reopen(NOW + 100)
    for lease in await leased(frontier, NOW + 100):
        await frontier.settle([failure(lease, NOW + 100)], NOW + 100)
    frontier = await bench.reopen(NOW + 200)
    await frontier.settle([failure(await only(frontier, NOW + 200), NOW + 200)], NOW + 200)
    given_up = await only(frontier, NOW + 200)
    assert given_up.clock.given_up_until == NOW + 1200 and given_up.max_connections == 1


async def a_bare_turn_counts_like_any_other(bench: FrontierBench) -> None:
    frontier = await bench.open()
    turn = await frontier.reserve("worker", "a.example", NOW)
    assert turn is not None and turn.entry.host == "a.example" and not turn.entry.key
    await many(frontier, 2)
    assert not await leased(frontier, NOW + 50) and (await frontier.statistics()).leased == 0
    assert (await status(frontier)).leased == 1
    found = (entry("1", "b.example"),)
    assert await frontier.settle([end(turn, answer=Answer(at=NOW + 50), discovered=found)], NOW + 50) == 1
    assert (await only(frontier, NOW + 50.5)).entry.host == "b.example"
    await only(frontier, NOW + 51)
    assert await frontier.reserve("worker", "c.example", NOW) is not None
    assert (await frontier.statistics()).waiting == 1


async def every_host_gets_a_turn_within_a_day(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=Politeness(delay=60))
    clock = VirtualClock(NOW)
    lonely = {f"lonely-{number}.example" for number in range(20)}
    for host in lonely:
        await many(frontier, 1, host, Priority.LOW)
    sequence, served = 0, set()
    while clock.now() < NOW + _DAY:
        busy = [
            entry(f"{sequence}-{number}", f"busy-{number}.example", score=1.0, priority=Priority.HIGH) for number in range(3)
        ]
        sequence += 1
        await frontier.discover(busy, clock.now())
        (lease,) = await leased(frontier, clock.now(), limit=1)
        served.add(lease.entry.host)
        await frontier.settle([end(lease, answer=None) if sequence % 2 else end(lease)], clock.now())
        clock.advance(180)
    assert lonely <= served


async def a_lease_says_when_to_ask_again(bench: FrontierBench) -> None:
    frontier = await bench.open()
    assert (await frontier.lease("worker", 1, NOW)).next_time is None
    await many(frontier, 2)
    await many(frontier, 1, "b.example")
    given = await frontier.lease("worker", 1, NOW)
    assert given.next_time == NOW
    other = await frontier.lease("worker", 9, NOW)
    assert other.next_time == NOW + LEASE
    await frontier.settle([end(lease) for lease in given.leases + other.leases], NOW)
    assert (await frontier.lease("worker", 1, NOW)).next_time == NOW + 1
    lease = await only(frontier, NOW + 1)
    await frontier.settle([end(lease, Fate.RETRY, due=NOW + 70)], NOW + 1)
    await frontier.block("a.example", NOW + 80, RETRY_AFTER)
    assert (await frontier.lease("worker", 1, NOW + 1)).next_time == NOW + 80
    await frontier.settle([end(await only(frontier, NOW + 80))], NOW + 80)
    assert (await frontier.lease("worker", 1, NOW + 99)).next_time is None


async def the_next_date_is_the_first_of_all_that_wait(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await many(frontier, 3)
    for due in (50, 40, 60):
        await frontier.settle([end(await only(frontier, NOW), Fate.RETRY, due=NOW + due)], NOW)
    assert (await frontier.lease("worker", 1, NOW)).next_time == NOW + 40
    assert await frontier.remove(key("1"))
    assert (await frontier.lease("worker", 1, NOW)).next_time == NOW + 50
    await frontier.settle([end(await only(frontier, NOW + 50))], NOW + 50)
    assert (await frontier.lease("worker", 1, NOW + 50)).next_time == NOW + 60


async def it_tells_whose_turn_is_next_what_is_in_the_way_and_who_takes_longest(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=Politeness(delay=2))
    assert await frontier.outlook(10) == Outlook()
    await many(frontier, 4)
    await many(frontier, 2, "b.example")
    await frontier.set_policy("b.example", HostPolicy(max_qps=0.1))
    first, second = await leased(frontier, NOW)
    assert await frontier.outlook(10) == Outlook(slowest="b.example", seconds=10, delay=10), "both have all they may have"
    await frontier.settle([end(first)], NOW)
    next_turn = Outlook(next_host="a.example", next_time=NOW + 2)
    assert await frontier.outlook(10) == replace(next_turn, slowest="b.example", seconds=10, delay=10)
    assert await frontier.outlook(1) == next_turn, "two hosts were too many to look at"
    await frontier.block("a.example", NOW + 30, RETRY_AFTER)
    await frontier.settle([end(second, Fate.RETRY, due=NOW + 20)], NOW)
    told = await frontier.outlook(10)
    assert (told.next_host, told.next_time, told.reason) == ("b.example", NOW + 10, None)
    await frontier.settle([end(await only(frontier, NOW + 10), answer=None)], NOW + 10)
    told = await frontier.outlook(10)
    assert (told.next_host, told.next_time) == ("b.example", NOW + 20) and told.reason, "its only URL waits for a date"
    await frontier.drop("b.example")
    told = await frontier.outlook(10)
    assert (told.next_host, told.next_time, told.reason) == ("a.example", NOW + 30, RETRY_AFTER)
    await frontier.set_policy("a.example", HostPolicy(paused=True))
    assert await frontier.outlook(10) == Outlook()


async def after_a_restart_every_host_waits_one_delay(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=Politeness(delay=5))
    await many(frontier, 3)
    await frontier.pace("b.example", 8)
    await frontier.settle([end(await only(frontier, NOW))], NOW)
    for now in (NOW + 1000, NOW - 1000):
        frontier = await bench.reopen(now)
        assert (await status(frontier, "b.example")).clock.next_time == now + 8
        assert await frontier.reserve("worker", "b.example", now + 7.9) is None
        assert (await frontier.lease("worker", 1, now)).next_time == now + 5
        assert not await leased(frontier, now + 4.9)
    await only(frontier, NOW - 995)


async def after_a_restart_live_leases_come_back_and_tokens_go_on(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await many(frontier, 2)
    lease = await only(frontier, NOW)
    turn = await frontier.reserve("worker", "b.example", NOW)
    assert turn is not None
    frontier = await bench.reopen(NOW + 10)
    numbers = await frontier.statistics()
    assert (numbers.waiting, numbers.leased, numbers.hosts) == (2, 0, 1)
    assert await frontier.settle([end(lease, discovered=(entry("9"),)), end(turn)], NOW + 10) == 0
    again = await only(frontier, NOW + 11)
    assert again.entry == lease.entry and again.returns == 1 and again.token > lease.token
    known = await frontier.lookup(lease.entry.key)
    assert known is not None and known.returns == 1 and await frontier.lookup(key("9")) is None


async def what_was_decided_about_a_host_survives_a_restart(bench: FrontierBench) -> None:
    frontier = await bench.open(breaker=Breaker(failures=90, error_share=1.0))
    policy = HostPolicy(max_qps=0.5, max_connections=2, priority=Priority.HIGH, user_agent="x", paused=True, crawl_depth=3)
    await frontier.set_policy("b.example", policy)
    await frontier.block("c.example", NOW + 500, RETRY_AFTER)
    await many(frontier, 120)
    now = NOW
    for number in range(110):
        now += 10
        lease = await only(frontier, now)
        await frontier.settle([failure(lease, now) if number % 3 else end(lease)], now)
    before = await status(frontier)
    frontier = await bench.reopen(now)
    after = await status(frontier)
    assert after.clock.recent == before.clock.recent > 1 << 64 and after.clock.recent_count == 100
    assert (after.clock.failures, after.waiting) == (before.clock.failures, before.waiting)
    assert (await status(frontier, "b.example")).policy == policy
    assert (await status(frontier, "c.example")).clock.blocked_until == NOW + 500
    assert {host.host async for host in frontier.hosts()} == {"a.example", "b.example", "c.example"}
    assert await frontier.host("d.example") is None


async def hundreds_of_answers_in_any_mixture_move_the_clock_as_the_rules_say(bench: FrontierBench) -> None:
    """One failure long ago is as good as none, and one in three is not half: nobody is left alone, no answer is too much."""
    frontier = await bench.open(politeness=EAGER, breaker=Breaker(failures=4))
    mixtures = {f"{every}.example": every for every in (1000, 97, 64, 33, 7, 3)}  # one answer of so many fails
    requests = 300
    for host in mixtures:
        await many(frontier, requests, host)
    now, window = NOW, (1 << 100) - 1
    for number in range(requests):
        now += 1
        ends = []
        for lease in await leased(frontier, now):
            failed = number % mixtures[lease.entry.host] == 0
            ends.append(end(lease, answer=Answer(at=now, seconds=1.0, failed=failed)))
        assert len(ends) == len(mixtures) == await frontier.settle(ends, now)
    for host, every in mixtures.items():
        clock = (await status(frontier, host)).clock
        told = sum(1 << (requests - 1 - number) for number in range(0, requests, every))
        assert (clock.recent, clock.recent_count, clock.openings) == (told & window, 100, 0), host
    assert (await frontier.statistics()).done == requests * len(mixtures)


async def nothing_acknowledged_is_lost_by_a_restart(bench: FrontierBench) -> None:
    frontier = await bench.open()
    for host in "abcd":
        await frontier.discover([entry("1", host), entry("2", host)], NOW)
    done, retried, deferred, _ = await leased(frontier, NOW)
    ends = [
        end(done, reason=RETRY_AFTER),
        end(retried, Fate.RETRY, due=NOW + 90),
        end(deferred, Fate.DEFERRED, due=NOW + 80),
    ]
    await frontier.settle(ends, NOW + 1)
    before = {known.entry.key: known async for known in frontier.known() if known.state is not State.LEASED}
    frontier = await bench.reopen(NOW + 2)
    after = {known.entry.key: known async for known in frontier.known()}
    assert len(after) == 8 and all(after[each] == before[each] for each in before)
    assert len(await leased(frontier, NOW + 3)) == 4
    frontier = await bench.reopen(NOW + 100)
    served = {lease.entry.key for lease in await leased(frontier, NOW + 101)}
    assert served == {key("1", host) for host in "bcd"} | {key("2", "a")}
