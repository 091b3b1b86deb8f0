"""Tokens: a home and a count in a signed number of 64 bits."""

from gossamer.records.token import COUNT_BITS, count_in, home_in, token_of
from gossamer.url.fingerprint import HOME_BITS


def test_a_token_is_taken_apart_into_what_it_was_made_of() -> None:
    for home in (0, 1, (1 << HOME_BITS) - 1):
        for count in (1, 2, (1 << COUNT_BITS) - 1):
            token = token_of(home, count)
            assert (home_in(token), count_in(token)) == (home, count)


def test_the_greatest_token_fits_into_a_database() -> None:
    assert token_of((1 << HOME_BITS) - 1, (1 << COUNT_BITS) - 1) == (1 << 63) - 1


def test_the_later_token_of_a_home_is_the_greater() -> None:
    assert token_of(7, 1) < token_of(7, 2) < token_of(8, 1)
