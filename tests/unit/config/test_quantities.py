"""Durations and sizes in every spelling people use; what could mean two things is no quantity."""

import pytest

from gossamer.config.quantities import seconds, size

MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("30", 30),
        ("0.5", 0.5),
        (".5s", 0.5),
        ("100ms", 0.1),
        ("0.1s", 0.1),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("1 hour 30 minutes", 5400),
        ("1.5h", 5400),
        ("2 days", 172_800),
        ("1d", 86_400),
        ("1D", 86_400),
        ("1w2d3h4m5s6ms", 788_645.006),
        ("90 min", 5400),
        (" 5 secs ", 5),
        ("1_000", 1000),
        ("-1s", -1),
    ],
)
def test_a_duration_is_read_however_it_is_spelled(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize(
    "text", ["", "fast", "1h30", "30m1h", "1h1h", "1:30", "1,5s", "1h,30m", "5 parsecs", "10MB", "1mo", "1e3", "nan", "inf"]
)
def test_what_could_mean_two_things_is_no_duration(text: str) -> None:
    assert seconds(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4096", 4096),
        ("20MB", 20_000_000),
        ("20 MB", 20_000_000),
        ("20mb", 20_000_000),
        ("20 megabytes", 20_000_000),
        ("1.5GiB", 1536 * MIB),
        ("512k", 512_000),
        ("512Ki", 512 * 1024),
        ("10m", 10_000_000),
        ("1.3MiB", 1_363_148),
        ("100 bytes", 100),
        ("2TiB", 2 * MIB * MIB),
        ("1_000_000", 1_000_000),
        ("-1", -1),
    ],
)
def test_a_size_is_read_however_it_is_spelled(text: str, value: int) -> None:
    assert size(text) == value


@pytest.mark.parametrize("text", ["", "lots", "5h", "0.5", "1,000", "1k5", "10 m b", "k", "MB20"])
def test_what_counts_nothing_whole_is_no_size(text: str) -> None:
    assert size(text) is None


def test_a_number_alone_is_in_the_unit_that_was_asked_for() -> None:
    assert (seconds("2", 86_400), seconds("2h", 86_400)) == (172_800, 7200)
    assert (size("100", 1000), size("1.5MB", 1000)) == (100_000, 1_500_000)
