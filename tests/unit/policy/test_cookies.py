"""Cookies go along a chain of redirects, to whom they belong, and no farther."""

import pytest

from gossamer.policy.cookies import MOST, carried, header
from gossamer.records.visit import Chain

HERE = "http://a.example/shop/gate"
NOW = 1_700_000_000.0


def chain(*set_cookies: str, wire: str = HERE, before: Chain | None = None) -> Chain | None:
    return carried(before, wire, list(set_cookies), 10, NOW)


def sent_with(carried_on: Chain | None, wire: str) -> tuple[tuple[str, str], ...]:
    return header(carried_on.cookies if carried_on else (), wire, NOW)


@pytest.mark.parametrize(
    ("said", "wire", "sent"),
    [
        ("a=1", HERE, "a=1"),
        ("a=1", "http://a.example/shop/", "a=1"),
        ("a=1", "http://a.example/other", ""),
        ("a=1; Path=/", "http://a.example/other", "a=1"),
        ("a=1; path=/sho", HERE, ""),
        ("a=1; Path=/; Secure", HERE, ""),
        ("a=1; Path=/; Secure", "https://a.example/", "a=1"),
        ("a=1; Path=/", "http://b.example/", ""),
        ("a=1; Path=/; Domain=example", "http://www.a.example/", ""),
        ("a = b=c ; HttpOnly; SameSite=Lax", HERE, "a=b=c"),
        ("a=", HERE, "a="),
        ("", HERE, ""),
        ("=1", HERE, ""),
        ("no equals sign", HERE, ""),
        ("a=1\r\nX-Forged: 1", HERE, ""),
        ("a=\xe4", HERE, ""),
        (f"a={'x' * 5000}", HERE, ""),
    ],
)
def test_a_cookie_goes_where_it_belongs(said: str, wire: str, sent: str) -> None:
    assert sent_with(chain(said), wire) == ((("Cookie", sent),) if sent else ())


def test_a_cookie_that_is_set_again_is_replaced_and_one_that_is_over_is_gone() -> None:
    first = chain("a=1", "b=2")
    assert sent_with(chain("a=3", before=first), HERE) == (("Cookie", "b=2; a=3"),)
    over = chain("a=; Max-Age=0", "b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", before=first)
    assert over is None


def test_what_a_host_makes_us_carry_is_bounded() -> None:
    many = chain(*(f"c{number}={'x' * 100}" for number in range(1000)))
    assert many is not None and len(many.cookies) == MOST


def test_a_chain_ends_with_the_redirects_that_are_followed() -> None:
    carried_on, hops = chain("a=1"), 1
    while carried_on is not None:
        assert carried_on.hops == hops
        carried_on, hops = carried(carried_on, HERE, [f"a={hops}"], 3, NOW), hops + 1
    assert hops == 4
    assert carried(None, HERE, [], 10, NOW) is None
