"""Cookies go to whom they belong, along a chain of redirects or out of a jar, and no farther."""

import pytest

from gossamer.policy.cookies import LARGEST_JAR, LONGEST_HEADER, MOST, MOST_KEPT, carried, exported, header, kept, received
from gossamer.records.visit import Chain, Cookie

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


# --- domains, dates and jars ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "by", "goes_to", "not_to"),
    [
        ("a=1", "https://www.a.com/", "https://www.a.com/", "https://a.com/"),
        ("a=1; Domain=a.com", "https://www.a.com/", "https://b.a.com/", "https://xa.com/"),
        ("a=1; Domain=.a.com", "https://www.a.com/", "https://a.com/", "https://a.com.evil.com/"),
        ("a=1; Domain=www.a.com", "https://www.a.com/", "https://x.www.a.com/", "https://a.com/"),
        ("a=1; Domain=A.COM; domain=", "https://www.a.com/", "https://www.a.com/", "https://a.com/"),
        ("a=1; Domain=github.io", "https://github.io/", "https://github.io/", "https://ann.github.io/"),
        ("a=1; Domain=127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", "http://1.127.0.0.1.test/"),
    ],
)
def test_a_domain_is_its_own_hosts_and_none_beside(said: str, by: str, goes_to: str, not_to: str) -> None:
    cookies = received(by, [said], NOW)
    assert header(cookies, goes_to, NOW) == (("Cookie", "a=1"),)
    assert header(cookies, not_to, NOW) == ()


@pytest.mark.parametrize(
    ("said", "by"),
    [
        ("a=1; Domain=com", "https://www.a.com/"),
        ("a=1; Domain=co.uk", "https://www.a.co.uk/"),
        ("a=1; Domain=github.io", "https://ann.github.io/"),
        ("a=1; Domain=b.com", "https://www.a.com/"),
        ("a=1; Domain=x.www.a.com", "https://www.a.com/"),
        ("a=1; Domain=0.0.1", "https://127.0.0.1/"),
    ],
)
def test_nobody_sets_a_cookie_for_a_whole_suffix_or_for_others(said: str, by: str) -> None:
    assert received(by, [said], NOW) == ()


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("a=1", None),
        ("a=1; Max-Age=60", 60),
        ("a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 60),
        ("a=1; Expires=Tue, 14 Nov 2023 22:14:20 GMT", 60),
        ("a=1; Max-Age=soon", None),
        ("a=1; Expires=soon", None),
    ],
)
def test_a_cookie_ends_when_it_was_said_to(said: str, seconds: int | None) -> None:
    cookies = received(HERE, [said], NOW)
    assert header(cookies, HERE, NOW + 59) == (("Cookie", "a=1"),)
    assert bool(header(cookies, HERE, NOW + 61)) is (seconds is None)


def test_of_two_alike_the_last_counts_and_the_longest_path_comes_first() -> None:
    cookies = received("http://a.example/shop/x", ["a=old; Path=/", "a=new; Path=/", "a=deep; Path=/shop"], NOW)
    assert header(cookies, "http://a.example/shop/y", NOW) == (("Cookie", "a=deep; a=new"),)


def test_a_jar_keeps_the_newest_of_too_many_and_forgets_what_is_over() -> None:
    jar: tuple[Cookie, ...] = ()
    for number in range(200):
        jar = kept(jar, received(HERE, [f"c{number}=x"], NOW), NOW)
    assert [cookie.name for cookie in jar] == [f"c{number}" for number in range(200 - MOST_KEPT, 200)]
    jar = kept(jar, received(HERE, ["c199=; Max-Age=0", "c198=y; Max-Age=5"], NOW), NOW)
    assert [cookie.name for cookie in jar][-1] == "c198" and len(jar) == MOST_KEPT - 1
    assert "c198" not in [cookie.name for cookie in kept(jar, (), NOW + 6)]


def test_neither_a_jar_nor_a_header_grows_beyond_its_bounds() -> None:
    bomb = received(HERE, [f"c{number}={'x' * 4000}" for number in range(100)], NOW)
    jar = kept((), bomb, NOW)
    assert sum(len(cookie.value) for cookie in jar) <= LARGEST_JAR
    assert jar[-1].name == "c99"
    ((_, value),) = header(jar, HERE, NOW)
    assert len(value) <= LONGEST_HEADER


def test_what_a_browser_exported_is_read() -> None:
    text = (
        "# Netscape HTTP Cookie File\n\n"
        ".a.com\tTRUE\t/\tTRUE\t2000000000\tsid\tx=1\n"
        "#HttpOnly_www.a.com\tFALSE\t/in\tFALSE\t0\tonly\there\r\n"
    )
    shared, own = exported(text)
    assert shared == Cookie("sid", "x=1", "a.com", "/", True, True, 2_000_000_000.0)
    assert own == Cookie("only", "here", "www.a.com", "/in", False, False, None)


@pytest.mark.parametrize(
    "line",
    [
        "sid=x",
        "a.com\tTRUE\t/\tTRUE\tsoon\tsid\tsesame",
        "a.com TRUE / TRUE 0 sid sesame",
        ".com\tTRUE\t/\tTRUE\t0\tsid\tsesame",
    ],
)
def test_a_file_that_has_no_cookies_is_refused_by_line_without_showing_it(line: str) -> None:
    with pytest.raises(ValueError, match="line 2") as refused:
        exported(f"# a comment\n{line}\n")
    assert "sesame" not in str(refused.value)
