"""What changes on most pages of a host is no change of a page; what changes on some of them is."""

from time import perf_counter

from gossamer.policy import habit
from gossamer.records.entry import Link, LinkKind
from gossamer.records.evidence import Difference, Habit, Ruling
from gossamer.records.page import Extract


def outline(text: str, *links: str, title: str = "") -> habit.Outline:
    return habit.outline(Extract(text=text, title=title, links=tuple(Link(url, LinkKind.ANCHOR) for url in links)))


def after(*differences: dict[int, str], rounds: float = 1.0, habits: Habit | None = None) -> Habit:
    known = habits or Habit()
    for number, found in enumerate(differences, len(known.compared)):
        known = habit.noted(known, Difference(number, 0.0, rounds, tuple(found)))
    return known


def test_a_piece_that_differs_in_its_numbers_only_has_one_mark_on_every_page() -> None:
    one = habit.differing(outline("Own words.\nMade in 0.03 s at 12:30"), outline("Own words.\nMade in 1.7 s at 09:59"))
    two = habit.differing(outline("Others.\nMade in 3 s at 12:31"), outline("Others.\nMade in 2 s at 10:01"))
    assert len(one) == 1 and one.keys() == two.keys()


def test_new_words_removed_words_and_another_order_are_told_apart() -> None:
    new = habit.differing(outline("one\ntwo"), outline("one\ntwo\nthree"))
    gone = habit.differing(outline("one\ntwo\nthree"), outline("one\ntwo"))
    assert new.keys() == gone.keys(), "it is the same piece"
    assert list(habit.differing(outline("one\ntwo"), outline("two\none")).values()) == ["the order of its parts"]
    assert list(habit.differing(outline("one"), outline("one")).values()) == ["what no reader sees"]
    assert len(habit.differing(outline("a\nb"), outline("\n".join(map(str, range(9))) + "\nword" * 200))) <= habit.MOST_MARKS


def test_a_link_is_told_by_its_path_and_the_names_of_its_query() -> None:
    one = habit.differing(
        outline("x", "http://a.test/run?id=start&1700000000"), outline("x", "http://a.test/run?id=start&1800000000")
    )
    two = habit.differing(
        outline("y", "http://a.test/run?id=other&1700000009"), outline("y", "http://a.test/run?id=other&1800000009")
    )
    assert len(one) == 1 and one.keys() == two.keys()
    assert one.keys() != habit.differing(outline("x", "http://a.test/b"), outline("x", "http://a.test/c")).keys()


def test_five_pages_and_more_than_half_of_a_round_make_a_habit() -> None:
    clock, own = {11: "12:30"}, {22: "words of its own"}
    assert not habit.usual(after(*[clock] * 4), 1.0) and habit.is_early(after(*[clock] * 4), 1.0, {22})
    known = after(*[clock] * 5, own)
    assert habit.usual(known, 1.0) == {11} and not habit.is_early(known, 1.0, {33})
    assert not habit.usual(after(*[clock, {}] * 8), 1.0), "half are not most"


def test_what_other_pages_have_too_is_judged_when_more_were_compared() -> None:
    few = after(*[{11: "12:30"}, {}] * 3)
    assert not habit.usual(few, 1.0) and habit.is_early(few, 1.0, {11}) and not habit.is_early(few, 1.0, {11, 22})
    assert not habit.is_early(after(*[{11: "12:30"}, {}] * 8), 1.0, {11})


def test_numbers_go_on_in_the_next_round_and_words_are_remembered_but_have_to_be_seen_there() -> None:
    known = after(*[{11: "12:30", 44: "an edit"}] * 16)
    assert habit.usual(known, 2.0) == {11, 44} and habit.is_early(known, 2.0, {77})
    later = known
    for number in range(16):
        later = habit.noted(later, Difference(number, 0.0, 2.0, (66,)))
    assert habit.usual(later, 2.0) == {44, 66}, "what was furniture once is known when it goes"


def test_an_operator_may_have_every_difference_kept() -> None:
    known = after(*[{11: "12:30"}] * 9)
    ruled = Habit(known.compared, known.known, ruling=Ruling.ALLOW)
    assert not habit.usual(ruled, 1.0) and not habit.is_early(ruled, 2.0, {77}) and not habit.is_in_force(ruled)


def test_what_is_remembered_is_bounded_and_a_page_counts_once() -> None:
    known = Habit()
    for number in range(400):
        known = habit.noted(
            known, Difference(number, 0.0, float(number // 8), tuple(range(number // 8 * 40, number // 8 * 40 + 40, 2)))
        )
    assert len(known.compared) == habit.REMEMBERED and len(known.known) == habit.KNOWN
    same = Habit()
    for _ in range(9):
        same = habit.noted(same, Difference(7, 0.0, 1.0, (11,)))
    assert len(same.compared) == 1 and not habit.usual(same, 1.0)


def test_whatever_the_text_it_is_taken_apart_in_linear_time() -> None:
    began = perf_counter()
    for text in ("a" * 200_000, "1:" * 100_000, "a. " * 60_000, "é1" * 100_000):
        outline(text, f"http://a.test/{'a1' * 50_000}?{'a&' * 50_000}")
    assert perf_counter() - began < 2.0
