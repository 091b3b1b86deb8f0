"""How much one asker may ask, with the time as an argument."""

from gossamer.api.rates import Failures, Rate


def test_a_bucket_gives_a_burst_and_then_its_rate() -> None:
    rate = Rate(2.0, 3)
    assert [rate.wait("a", 0.0) for _ in range(3)] == [0.0] * 3
    assert rate.wait("a", 0.0) == 0.5
    assert rate.wait("b", 0.0) == 0.0, "others have their own"
    assert rate.wait("a", 0.5) == 0.0 and rate.wait("a", 0.5) > 0


def test_the_sixth_wrong_token_in_a_minute_waits_for_the_first_to_be_forgotten() -> None:
    failures = Failures()
    assert [failures.note("a", float(second)) for second in range(5)] == [0.0] * 5
    assert failures.note("a", 10.0) == 50.0
    assert failures.note("a", 60.5) == 0.0
