"""Where simulated pages wait."""

from gossamer.jobs.simulate.queue import PlainQueue
from gossamer.policy.recrawl import Appointment

DAY = 86400.0


def test_nobody_is_taken_before_it_is_due() -> None:
    queue = PlainQueue()
    queue.again(1, Appointment(10.0))
    assert queue.take(9.9) is None
    assert queue.late(9.9) == 0
    assert queue.late(10.0) == 1
    assert queue.take(10.0) == 1
    assert (queue.take(11.0), queue.late(11.0)) == (None, 0)


def test_the_best_new_page_comes_first() -> None:
    queue = PlainQueue()
    for page, score in ((1, 0.5), (2, 2.0), (3, 1.0)):
        queue.discover(page, score)
    assert [queue.take(0.0) for _ in range(4)] == [2, 3, 1, None]


def test_when_both_lines_have_somebody_three_of_ten_are_new() -> None:
    queue = PlainQueue()
    for page in range(2000):
        queue.discover(page, 1.0)
        queue.again(10_000 + page, Appointment(0.0))
    taken = [queue.take(1.0) for _ in range(1000)]
    assert sum(page is not None and page < 2000 for page in taken) in (299, 300, 301)


def test_what_is_worth_less_waits_and_waiting_makes_up_for_it() -> None:
    queue = PlainQueue()
    queue.again(1, Appointment(0.0, 0.1))
    queue.again(2, Appointment(DAY, 1.0))
    queue.again(3, Appointment(28 * DAY, 1.0))
    assert queue.late(29 * DAY) == 2
    assert [queue.take(29 * DAY) for _ in range(3)] == [2, 1, 3]
