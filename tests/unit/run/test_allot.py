"""A host stays with the worker that keeps a connection to it, and no worker is left with more than its part."""

from collections import Counter

from gossamer.run.allot import GENERATION, SLACK, Allotment, Homes

MUCH = 100_000
DELAY = 1.0


def allotment(homes: Homes, rooms: dict[str, int], **loads: int) -> Allotment:
    """Two workers that are trusted with everything."""
    return Allotment(homes, {"w1": 0, "w2": 0, **loads}, {"w1": MUCH, "w2": MUCH}, rooms, lambda host: "")


def test_a_host_goes_home_also_while_its_worker_asks_for_nothing() -> None:
    homes = Homes()
    assert allotment(homes, {"w1": 5})("a.example", 1, DELAY) == "w1"
    assert allotment(homes, {"w2": 5})("b.example", 1, DELAY) == "w2"
    assert allotment(homes, {"w2": 5}, w1=200)("a.example", 1, DELAY) == "w1"


def test_a_host_with_several_connections_and_no_delay_goes_to_whoever_asks_and_has_least_under_way() -> None:
    homes = Homes()
    assert allotment(homes, {"w1": 5})("a.example", 2, 0.0) == "w1"
    assert allotment(homes, {"w1": 5, "w2": 5}, w1=1)("a.example", 2, 0.0) == "w2"


def test_a_host_with_several_connections_and_a_delay_moves_only_while_nobody_visits_it() -> None:
    homes, visited = Homes(), {"a.example": "w1"}
    both = Allotment(homes, {"w1": 900, "w2": 0}, {"w1": 800, "w2": 800}, {"w2": 9}, lambda host: visited.get(host, ""))
    assert both("a.example", 2, DELAY) == "w1"
    assert [both("b.example", 2, DELAY) for _ in range(3)] == ["w2", "w2", "w2"]
    visited.clear()
    later = Allotment(homes, {"w1": 900, "w2": 0}, {"w1": 800, "w2": 800}, {"w2": 9}, lambda host: visited.get(host, ""))
    assert later("a.example", 2, DELAY) == "w2"


def test_hosts_move_until_no_worker_has_many_more_than_another() -> None:
    homes, names = Homes(), [f"h{number}.example" for number in range(1_000)]
    one = allotment(homes, {"w1": MUCH})
    assert {one(name, 1, DELAY) for name in names} == {"w1"}
    for _ in range(5):
        other = allotment(homes, {"w2": MUCH}, w1=1_000)
        at = Counter(other(name, 1, DELAY) for name in names)
    assert 0 <= at["w1"] - at["w2"] <= SLACK + 1_000 / 16
    assert Counter(allotment(homes, {"w1": MUCH, "w2": MUCH})(name, 1, DELAY) for name in names) == at


def test_a_host_does_not_move_to_a_worker_that_has_more_under_way() -> None:
    homes, names = Homes(), [f"h{number}.example" for number in range(1_000)]
    one = allotment(homes, {"w1": MUCH})
    assert {one(name, 1, DELAY) for name in names} == {"w1"}
    assert allotment(homes, {"w2": MUCH}, w1=5, w2=6)("h0.example", 1, DELAY) == "w1"


def test_the_hosts_of_a_worker_that_is_gone_find_another() -> None:
    homes = Homes()
    assert allotment(homes, {"w1": 5})("a.example", 1, DELAY) == "w1"
    assert Allotment(homes, {"w2": 0, "w3": 0}, {"w2": 9, "w3": 9}, {"w3": 1}, lambda host: "")("a.example", 1, DELAY) == "w3"


def test_a_worker_is_never_given_more_than_it_is_trusted_with() -> None:
    homes = Homes()
    assert allotment(homes, {"w1": 5})("a.example", 1, DELAY) == "w1"
    few = Allotment(homes, {"w1": 3, "w2": 50}, {"w1": 3, "w2": 60}, {"w2": 5}, lambda host: "")
    assert few("a.example", 1, DELAY) == "w2"


def test_there_is_somebody_for_every_lease_that_was_asked_for() -> None:
    homes = Homes()
    both = allotment(homes, {"w1": 3, "w2": 4})
    assert both.room == 7
    assert Counter(both(f"h{number}.example", number % 2 + 1, DELAY) for number in range(7)) == {"w1": 3, "w2": 4}


def test_a_host_without_a_turn_for_long_is_forgotten_and_one_with_turns_is_not() -> None:
    homes = Homes()
    for generation in range(1, 4):
        homes.forget(generation * GENERATION)
        first = allotment(homes, {"w1": 5}) if generation == 1 else allotment(homes, {"w2": 5})
        assert first("busy.example", 1, DELAY) == "w1"
        if generation == 1:
            assert first("idle.example", 1, DELAY) == "w1"
    assert allotment(homes, {"w2": 5})("idle.example", 1, DELAY) == "w2"
