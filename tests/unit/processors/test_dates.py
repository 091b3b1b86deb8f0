"""Dates of sitemaps and feeds: what people write, and what is no date."""

from datetime import UTC, datetime

import pytest

from gossamer.processors.dates import parse_date


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026", datetime(2026, 1, 1)),
        ("2026-03", datetime(2026, 3, 1)),
        ("2026-03-04", datetime(2026, 3, 4)),
        (" 2026-03-04T05:06Z\n", datetime(2026, 3, 4, 5, 6)),
        ("2026-03-04T05:06:07Z", datetime(2026, 3, 4, 5, 6, 7)),
        ("2026-03-04T05:06:07.5+02:00", datetime(2026, 3, 4, 3, 6, 7, 500_000)),
        ("2026-03-04T05:06:07-0130", datetime(2026, 3, 4, 6, 36, 7)),
        ("2026-03-04 05:06:07", datetime(2026, 3, 4, 5, 6, 7)),
        ("Sat, 07 Sep 2002 00:00:01 GMT", datetime(2002, 9, 7, 0, 0, 1)),
        ("Sat, 07 Sep 2002 9:42:31 -0700", datetime(2002, 9, 7, 16, 42, 31)),
        ("7 September 02 09:42 EDT", datetime(2002, 9, 7, 13, 42)),
        ("sat, 7-sep-2002 09:42:31 xyz", datetime(2002, 9, 7, 9, 42, 31)),
    ],
)
def test_a_date_is_read(text: str, moment: datetime) -> None:
    assert parse_date(text) == moment.replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "yesterday evening",
        "0001-01-01T00:00:00Z",
        "0000-00-00",
        "1970-01-01",
        "2026-13-01",
        "2026-02-30T00:00:00Z",
        "9999-12-31T23:59:59-23:59",
        "20.03.2026",
        "Sat, 07 Foo 2002 00:00:01 GMT",
        "Sat, 32 Sep 2002 00:00:01 GMT",
        "31 Dec 9999 23:59:59 -9999",
        "1 Jan 1969 00:00 GMT",
        "2026-03-04" * 1000,
        "٢٠٢٦-٠١-٠١",
        "²026-01-01",
        "2026-W",
        "\x00\x00\x00\x00\x00",
    ],
)
def test_what_is_no_date_says_nothing(text: str) -> None:
    assert parse_date(text) is None
