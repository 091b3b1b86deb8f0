"""Whose host is next."""

from math import inf

import pytest
from msgspec.structs import replace

from gossamer.config.sections import Politeness
from gossamer.frontier.embedded import schedule as module
from gossamer.frontier.embedded.schedule import Schedule
from gossamer.frontier.layout.host import Host
from gossamer.frontier.layout.keys import ticket_of
from gossamer.records.host import HostClock, HostPolicy


@pytest.fixture
def schedule() -> Schedule:
    return Schedule((30, 70), (80, 15, 5), 86400.0, Politeness())


def line(*classes: int) -> bytes:
    return b"".join(ticket_of(priority, 1.0, 0) for priority in classes)


def placed(schedule: Schedule, number: int, ready: float, classes: tuple[int, ...] = (0,), **fields: int | float) -> Host:
    host = Host(f"{number}.example", number, clock=HostClock(next_time=ready))
    host.line = line(*classes)
    for name, value in fields.items():
        setattr(host, name, value)
    schedule.hosts[host.name] = host
    schedule.place(host)
    return host


def test_the_host_ready_longest_is_first_and_ties_go_to_the_one_known_longest(schedule: Schedule) -> None:
    third, first, second = placed(schedule, 3, 20.0), placed(schedule, 1, 10.0), placed(schedule, 2, 20.0)
    assert [schedule.pick(20.0) for _ in range(4)] == [(first, 0), (second, 0), (third, 0), None]


def test_a_host_in_the_future_says_when_to_ask_again(schedule: Schedule) -> None:
    host = placed(schedule, 1, 10.0)
    assert schedule.pick(9.9) is None and schedule.next_time() == 10.0
    host.clock = replace(host.clock, blocked_until=30.0)
    schedule.place(host)
    assert schedule.pick(29.0) is None and schedule.next_time() == 30.0
    host.clock = replace(host.clock, blocked_until=0.0)
    schedule.place(host)
    assert schedule.pick(10.0) == (host, 0) and schedule.next_time() == inf


def test_a_host_that_may_not_be_leased_is_never_picked(schedule: Schedule) -> None:
    for policy in (HostPolicy(paused=True), HostPolicy(blocked=True)):
        host = placed(schedule, 1, 10.0)
        host.policy = policy
        schedule.place(host)
        assert schedule.pick(99.0) is None and schedule.next_time() == inf
    host = placed(schedule, 2, 10.0, leased=1)
    assert schedule.pick(99.0) is None
    host.leased = 0
    schedule.place(host)
    assert schedule.pick(99.0) == (host, 0)


def test_a_host_leased_for_one_class_leaves_the_others_too(schedule: Schedule) -> None:
    host = placed(schedule, 1, 10.0, (0, 1, 2))
    assert schedule.pick(10.0) == (host, 0)
    host.leased = 1
    schedule.place(host)
    assert schedule.pick(99.0) is None


def test_a_class_that_was_emptied_and_filled_again_is_picked(schedule: Schedule) -> None:
    host = placed(schedule, 1, 10.0)
    host.line = b""
    schedule.place(host)
    assert schedule.pick(10.0) is None
    host.line = line(0)
    schedule.place(host)
    assert schedule.pick(10.0) == (host, 0)


def test_a_host_wakes_when_its_date_has_come_and_it_is_ready(schedule: Schedule) -> None:
    host = placed(schedule, 1, 10.0, (), later=1, first_due=30.0)
    assert list(schedule.woken(29.0)) == [] and schedule.next_time() == 30.0
    host.clock = replace(host.clock, next_time=50.0)
    schedule.place(host)
    assert list(schedule.woken(49.0)) == [] and schedule.next_time() == 50.0
    assert list(schedule.woken(50.0)) == [host] and list(schedule.woken(50.0)) == []


def test_false_entries_are_swept_before_they_outnumber_the_hosts(schedule: Schedule, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLACK", 10)
    placed(schedule, 1, 1.0, (2,))  # stays on top of its class
    busy = placed(schedule, 2, 2.0, (0, 2))
    for turn in range(1000):
        busy.clock = replace(busy.clock, next_time=3.0 + turn)
        schedule.place(busy)
    assert all(len(heap) <= 15 for heap in schedule._heaps)
    assert schedule.pick(5000.0) == (busy, 0)
