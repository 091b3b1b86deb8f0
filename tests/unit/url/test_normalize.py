"""Keys: each rule merges what it says and nothing else, and a key is its own key."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.config.sections import Key
from gossamer.errors import UrlError
from gossamer.url.normalize import KeyRules, normalize_percent
from gossamer.url.parse import Url, parse

RULES = KeyRules()
SWITCHES = tuple(Key.model_fields)

STARTS = ["http://a.example/", "https://a.example:8443/", "ftp://a.example/", "file:///", "custom://h/", "custom:/", "mailto:"]
PATHS = ["/", "//", ".", "..", "%2e", "%2E", "%41", "%7e", "%2f", "%zz", "%", "4", "1", "%34", "%25", "^", "é", "a", "b"]
QUERIES = ["?", "&", "=", "a=1", "b=2", "utm_source=x", "UTM_medium", "sid=1", "PHPSESSID=2", "=x", "#", "#f"]
SESSIONS = [";", ";jsessionid=1", ";SID=", ";v=1", "/..;sid=1/", "/%2e;sid=1"]
PIECES = st.sampled_from([*STARTS, *PATHS, *QUERIES, *SESSIONS])
TEXTS = st.tuples(st.sampled_from(["http://a.example/", "https://[::1]:81/", ""]), st.lists(PIECES, max_size=10)).map(
    lambda parts: parts[0] + "".join(parts[1])
)


def key(text: str, **switches: bool) -> str:
    return KeyRules(**switches).key(parse(text))


@given(TEXTS, st.fixed_dictionaries(dict.fromkeys(SWITCHES, st.booleans())))
@example("http://a.example/b/..;sid=1/c", {})
@example("http://a.example/%2e;sid=1", {"normalize_percent": False})
@example("http://a.example/%%341?%%341", {})
@example("http://a.example/;sid=1//", {})
def test_a_key_is_a_url_and_its_own_key_whatever_rules_are_on(text: str, switches: dict[str, bool]) -> None:
    try:
        url = parse(text)
    except UrlError:
        return
    rules = KeyRules(**switches)
    found = rules.key(url)
    assert rules.key(parse(found)) == found


@given(TEXTS)
def test_a_key_never_changes_scheme_host_or_port(text: str) -> None:
    try:
        url = parse(text)
    except UrlError:
        return
    again = parse(RULES.key(url))
    assert (again.scheme, again.host, again.port) == (url.scheme, url.host, url.port)


@given(TEXTS)
def test_with_every_rule_off_the_key_is_the_wire_url_with_port_and_fragment(text: str) -> None:
    try:
        url = parse(text)
    except UrlError:
        return
    found = KeyRules(**dict.fromkeys(SWITCHES, False)).key(url)
    again = parse(found)
    assert (again.wire, again.fragment) == (url.wire, url.fragment)


def test_the_rules_are_named_like_the_knobs() -> None:
    assert KeyRules(**Key().model_dump()).key(parse("http://a.example/b/?utm_id=1")) == "http://a.example/b"


SAME = [
    ("sort_query", "http://a.example/?b=2&a=1", "http://a.example/?a=1&b=2"),
    ("drop_tracking", "http://a.example/?utm_campaign=x&a=1&fbclid=y&gclid=z", "http://a.example/?a=1"),
    ("drop_tracking", "http://a.example/?UTM_Source=x", "http://a.example/"),
    ("drop_session", "http://a.example/?PHPSESSID=1&sid=2&a=1&ASP.NET_SessionId=3", "http://a.example/?a=1"),
    ("drop_session", "http://a.example/b;jsessionid=1A2B?c=1", "http://a.example/b?c=1"),
    ("drop_session", "http://a.example/b;JSESSIONID=1;v=2/c", "http://a.example/b;v=2/c"),
    ("drop_trailing_slash", "http://a.example/b/", "http://a.example/b"),
    ("drop_trailing_slash", "http://a.example/b//?c=1", "http://a.example/b?c=1"),
    ("normalize_percent", "http://a.example/%7Eb%2dc?%41=%61", "http://a.example/~b-c?A=a"),
    ("normalize_percent", "http://a.example/%c3%a9?b=%2f", "http://a.example/%C3%A9?b=%2F"),
    ("drop_empty_query", "http://a.example/b?", "http://a.example/b"),
    ("drop_empty_query", "http://a.example/b?&&c=1&", "http://a.example/b?c=1"),
    ("drop_fragment", "http://a.example/b#c", "http://a.example/b"),
]


@pytest.mark.parametrize(("switch", "text", "expected"), SAME)
def test_a_rule_merges_what_it_says_and_can_be_switched_off(switch: str, text: str, expected: str) -> None:
    assert key(text) == expected
    assert key(text, **{switch: False}) != expected


def test_a_default_port_is_dropped_or_always_written() -> None:
    assert key("http://a.example:80/b") == key("http://a.example/b") == "http://a.example/b"
    assert key("http://a.example/b", drop_default_port=False) == "http://a.example:80/b"
    assert key("https://a.example:444/b", drop_default_port=False) == "https://a.example:444/b"


APART = [
    ("http://a.example/B", "http://a.example/b"),
    ("http://a.example/", "https://a.example/"),
    ("http://a.example/", "http://www.a.example/"),
    ("http://a.example/b%2Fc", "http://a.example/b/c"),
    ("http://a.example/b%3Bc", "http://a.example/b;c"),
    ("http://a.example/?a=b%26c=d", "http://a.example/?a=b&c=d"),
    ("http://a.example/?a=%2B", "http://a.example/?a=+"),
    ("http://a.example/?a=1", "http://a.example/?a=1&a=1"),
    ("http://a.example/?a", "http://a.example/?a="),
    ("http://a.example/?inside=1", "http://a.example/"),
    ("http://a.example/?utmost=1", "http://a.example/"),
    ("http://a.example/%2541", "http://a.example/%41"),
    ("http://a.example/%%341", "http://a.example/A"),
    ("http://a.example/b;v=1", "http://a.example/b"),
    ("http://a.example/b/..;sid=1/c", "http://a.example/c"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_may_be_another_page_keeps_another_key(one: str, other: str) -> None:
    assert key(one) != key(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%", "%"),
        ("%4", "%4"),
        ("%zz%41", "%zzA"),
        ("%%41", "%%41"),
        ("%4%31", "%4%31"),
        ("%25%34%31", "%2541"),
        ("%e2%82%ac%7E", "%E2%82%AC~"),
    ],
)
def test_a_stray_percent_sign_never_completes_an_escape(text: str, expected: str) -> None:
    assert normalize_percent(text) == expected


@pytest.mark.parametrize("text", ["file:///b/?utm_id=1", "custom://h/b/?b&a", "mailto:a@b.example?b&a", "data:,%41/"])
def test_rules_about_web_servers_do_not_touch_other_urls(text: str) -> None:
    assert key(text) == parse(text).wire


def test_the_key_does_not_depend_on_how_the_url_was_taken_apart() -> None:
    url = Url("http://a.example/b/?b&a", "http", "a.example", None, "/b/", "b&a")
    assert RULES.key(url) == RULES.key(parse(url.wire)) == "http://a.example/b?a&b"
