"""The pace of a host."""

import pytest
from msgspec.structs import replace

from gossamer.config.sections import Politeness
from gossamer.policy.politeness import (
    after_answer,
    after_lease,
    after_restart,
    block,
    connections_of,
    delay_of,
    lift,
    pace,
    stretch,
)
from gossamer.records.host import HostClock, HostPolicy
from gossamer.records.lease import Answer
from gossamer.records.reason import because

SETTINGS = Politeness()
FREE = HostPolicy()
NEW = HostClock()


@pytest.mark.parametrize(
    ("policy", "clock", "delay"),
    [
        (FREE, NEW, 1.0),
        (HostPolicy(max_qps=4), NEW, 0.25),
        (HostPolicy(max_qps=0.1), NEW, 10.0),
        (FREE, HostClock(robots_delay=7), 7.0),
        (FREE, HostClock(robots_delay=0.5), 1.0),
        (HostPolicy(max_qps=100), HostClock(robots_delay=3), 3.0),
        (FREE, HostClock(robots_delay=9000), 300.0),
        (FREE, HostClock(slowdown=4), 4.0),
        (FREE, HostClock(robots_delay=7, slowdown=2), 14.0),
    ],
)
def test_the_delay_is_never_under_the_floor_nor_under_robots(policy: HostPolicy, clock: HostClock, delay: float) -> None:
    assert delay_of(policy, clock, SETTINGS) == delay


def test_a_host_gets_the_connections_of_its_policy_and_one_while_it_is_probed() -> None:
    assert connections_of(FREE, NEW, Politeness(connections=3)) == 3
    assert connections_of(HostPolicy(max_connections=2), NEW, Politeness(connections=3)) == 2
    assert connections_of(HostPolicy(max_connections=2), HostClock(probing=True), SETTINGS) == 1


def test_a_lease_moves_the_clock_one_delay_on_and_never_back() -> None:
    assert after_lease(NEW, 2.0, 100.0).next_time == 102.0
    assert after_lease(HostClock(next_time=500), 2.0, 100.0).next_time == 500


def test_an_answer_moves_the_clock_one_delay_after_its_first_byte_and_never_back() -> None:
    assert after_answer(NEW, Answer(at=100, seconds=1), FREE, SETTINGS).next_time == 101
    assert after_answer(HostClock(next_time=500), Answer(at=100, seconds=1), FREE, SETTINGS).next_time == 500


def test_the_clock_after_an_answer_counts_with_what_the_answer_taught() -> None:
    taught = after_answer(NEW, Answer(at=100, seconds=6, robots_delay=10.0), FREE, SETTINGS)
    assert (taught.robots_delay, taught.slowdown, taught.next_time) == (10, 2, 120)
    assert after_answer(taught, Answer(at=200, seconds=1), FREE, SETTINGS).robots_delay == 10


@pytest.mark.parametrize(
    ("slowdown", "seconds", "expected"),
    [(1, 5.1, 2), (32, 5.1, 60), (60, 9, 60), (8, 0.4, 4), (1, 0.4, 1), (1.5, 0.4, 1), (8, 0.5, 8), (8, 5.0, 8)],
)
def test_slow_answers_double_the_delay_and_quick_ones_halve_it(slowdown: float, seconds: float, expected: float) -> None:
    assert after_answer(HostClock(slowdown=slowdown), Answer(at=1, seconds=seconds), FREE, SETTINGS).slowdown == expected


def test_an_answer_that_says_nothing_leaves_the_pace_alone() -> None:
    clock = after_answer(HostClock(slowdown=4), Answer(at=100, seconds=0, failed=None), FREE, SETTINGS)
    assert clock.slowdown == 4 and clock.next_time == 104


def test_a_block_only_moves_later_and_keeps_the_reason_of_the_longest() -> None:
    clock = block(block(NEW, 50, because("long")), 20, because("short"))
    assert (clock.blocked_until, clock.block_reason) == (50, because("long"))
    assert block(clock, 60, because("longer")).block_reason == because("longer")
    answered = after_answer(clock, Answer(at=1, seconds=1, block_until=90, block_reason=because("later")), FREE, SETTINGS)
    assert (answered.blocked_until, answered.block_reason) == (90, because("later"))


def test_lifting_forgets_block_and_giving_up_but_not_the_probe() -> None:
    clock = HostClock(blocked_until=9, block_reason=because("x"), given_up_until=99, probing=True, next_time=3)
    assert lift(clock) == HostClock(probing=True, next_time=3)


def test_a_longer_delay_counts_from_the_request_before_and_a_shorter_one_from_the_next() -> None:
    clock = HostClock(next_time=101)
    assert pace(clock, 10, FREE, SETTINGS) == replace(clock, robots_delay=10, next_time=110)
    assert pace(HostClock(next_time=110, robots_delay=10), 2, FREE, SETTINGS).next_time == 110
    assert stretch(clock, 4, 1) == clock and stretch(clock, 1, 4).next_time == 104


def test_after_a_restart_a_host_waits_exactly_one_delay() -> None:
    assert after_restart(HostClock(next_time=5), 3, 100).next_time == 103
    assert after_restart(HostClock(next_time=9999), 3, 100).next_time == 103
