"""Dates of cookies, as sites write them."""

import pytest

from gossamer.policy.cookiedate import seconds_of


@pytest.mark.parametrize(
    "text",
    [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "06-Nov-1994 08:49:37",
        "1994 nov 06 8:49:37 and more",
        "Nov 6 08:49:37 94",
    ],
)
def test_a_date_is_read_in_any_form(text: str) -> None:
    assert seconds_of(text) == 784111777.0


def test_a_year_of_two_digits_is_near() -> None:
    assert seconds_of("1 Jan 70 00:00:00") == 0.0
    assert seconds_of("1 Jan 38 00:00:00") == 2145916800.0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "06 Nov 1994",
        "08:49:37 1994",
        "31 Feb 1994 08:49:37",
        "6 Nov 1600 08:49:37",
        "6 Nov 1994 24:49:37",
        "9" * 9999,
    ],
)
def test_what_says_no_time_says_none(text: str) -> None:
    assert seconds_of(text) is None
