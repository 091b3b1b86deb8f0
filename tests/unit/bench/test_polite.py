"""The polite benchmark's judgement of a ledger."""

from bench.polite import Pace, judged

PACE = Pace(2, 1.0, 10.0)


def test_a_host_asked_once_a_delay_reaches_all_of_the_rate() -> None:
    arrivals = {host: [start + n for n in range(30)] for host, start in (("a", 0.0), ("b", 0.5))}
    judgement = judged(PACE, arrivals)
    assert (judgement["share"], judgement["violations"], judgement["rate"]) == (100.0, 0, 2.0)


def test_two_requests_too_close_are_a_violation_wherever_they_are() -> None:
    judgement = judged(PACE, {"a": [0.0, 0.9, 20.0], "b": [0.0, 0.996]})
    assert judgement["violations"] == 1
    assert judgement["shortest"] == 0.9


def test_requests_outside_of_the_window_do_not_count_for_the_rate() -> None:
    assert judged(PACE, {"a": [0.0, 5.0, 15.0, 25.0]})["reached"] == 0.1
