"""Whose turn it is."""

from collections import Counter

import pytest

from gossamer.frontier.order import AGEING, Shares, rank


def test_a_higher_score_is_sooner_and_waiting_makes_up_for_it() -> None:
    assert rank(1.0, 100.0) < rank(0.5, 100.0) < rank(0.5, 101.0)
    assert rank(0.0, 100.0) == rank(1.0, 100.0 + AGEING)


@pytest.mark.parametrize("shares", [(80, 15, 5), (1, 1, 1), (34, 33, 33), (97, 2, 1)])
def test_a_class_is_never_off_its_share_by_more_than_two_picks(shares: tuple[int, int, int]) -> None:
    turns, picks = Shares(shares), Counter[int]()
    for number in range(1, 10_001):
        picks[turns.choose((0, 1, 2))] += 1
        assert all(abs(picks[each] - number * shares[each] / sum(shares)) < 2 for each in range(3))


def test_an_empty_class_gives_its_share_away_and_does_not_save_it_up() -> None:
    turns = Shares((80, 15, 5))
    without = Counter(turns.choose((1, 2)) for _ in range(4000))
    assert without == {1: 3000, 2: 1000}
    assert Counter(turns.choose((0, 1, 2)) for _ in range(100))[0] in (79, 80, 81)


def test_a_class_without_a_share_is_picked_only_when_it_is_alone() -> None:
    turns = Shares((100, 0, 0))
    assert [turns.choose((0, 1, 2)) for _ in range(5)] == [0] * 5
    assert turns.choose((2,)) == 2
