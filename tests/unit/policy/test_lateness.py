"""Readers that are late rest for a host, or for all; a host whose pages take long says nothing about the others."""

from gossamer.policy.lateness import MOST_LATE, REST, Lateness


def test_a_host_whose_pages_take_too_long_is_left_alone_for_a_while_and_no_other() -> None:
    lateness = Lateness()
    for number in range(MOST_LATE):
        assert not lateness.rests("slow.test", number)
        lateness.note("slow.test", True, number)
    assert lateness.rests("slow.test", MOST_LATE) and not lateness.rests("other.test", MOST_LATE)
    assert not lateness.rests("slow.test", MOST_LATE + REST)


def test_late_for_several_hosts_in_a_row_they_rest_for_all() -> None:
    lateness = Lateness()
    for number in range(MOST_LATE):
        lateness.note(f"h{number}.test", True, 0.0)
    assert lateness.rests("another.test", REST - 1) and not lateness.rests("another.test", REST)


def test_in_time_in_between_nobody_rests() -> None:
    lateness = Lateness()
    for number in range(10):
        lateness.note(f"h{number}.test", True, 0.0)
        lateness.note("quick.test", False, 0.0)
        lateness.note("same.test", True, 0.0)
        lateness.note("same.test", False, 0.0)
    assert not any(lateness.rests(host, 1.0) for host in ("quick.test", "same.test", "h1.test"))
