"""Rules of requests: all that match count, the first of two alike, and what is secret goes where the pattern says."""

import pytest

from gossamer.filters.access import AccessRule, AccessRules, Reach
from gossamer.records.access import Access, Proxy, Secret
from gossamer.records.visit import Cookie

LOGIN = Access(headers=(("X-Plain", "1"),), secrets=(("Authorization", Secret("Basic x")),), certificate=("c", "k"))


def rule(*hosts: str, access: Access = LOGIN, refuses_proxy: bool = False) -> AccessRule:
    return AccessRule(Reach(hosts, "hosts", is_strict=False), Reach(hosts, "hosts", is_strict=True), access, refuses_proxy)


@pytest.mark.parametrize(
    ("pattern", "url", "holds", "tells"),
    [
        ("a.com", "https://a.com/x", True, True),
        ("a.com", "http://a.com/", True, False),
        ("a.com", "https://a.com:8443/", True, False),
        ("a.com", "https://b.a.com/", False, False),
        ("*.a.com", "https://b.a.com/", True, True),
        ("*.a.com", "https://a.com/", False, False),
        ("*.a.com", "https://b.a.com.evil.com/", False, False),
        ("http://a.com", "http://a.com/", True, True),
        ("http://a.com", "https://a.com/", False, False),
        ("http://a.com", "http://a.com:8080/", True, False),
        ("https://a.com", "http://a.com/", False, False),
        ("a.com:8443", "https://a.com:8443/", True, True),
        ("a.com:8443", "http://a.com:8443/", True, False),
        ("a.com:8443", "https://a.com/", False, False),
        ("http://a.com:8080", "http://a.com:8080/", True, True),
        ("[::1]:8080", "https://[::1]:8080/", True, True),
        ("https://*", "https://anything.test/", True, True),
        ("A.COM", "https://a.com/", True, True),
    ],
)
def test_what_is_secret_goes_where_the_pattern_says_and_the_rest_wherever_it_matches(
    pattern: str, url: str, holds: bool, tells: bool
) -> None:
    access = AccessRules([rule(pattern)]).of(url)
    assert (access is not None) is holds
    assert bool(access and access.secrets) is tells
    assert bool(access and access.certificate) is tells


def test_of_two_rules_the_first_counts_for_each_thing_they_say() -> None:
    proxy = Proxy("http", "p", 1)
    one = rule("a.com", access=Access(headers=(("X-A", "1"),), secrets=(("X-S", Secret("1")),)))
    two = rule("*", access=Access(headers=(("x-a", "2"), ("X-B", "2"), ("x-s", "2")), proxy=proxy, keeps_cookies=True))
    access = AccessRules([one, two]).of("https://a.com/")
    assert access == Access(
        headers=(("X-A", "1"), ("X-B", "2")), secrets=(("X-S", Secret("1")),), proxy=proxy, keeps_cookies=True
    )


def test_a_host_may_be_excepted_from_a_proxy() -> None:
    rules = AccessRules(
        [rule("a.com", access=Access(), refuses_proxy=True), rule("*", access=Access(proxy=Proxy("http", "p", 1)))]
    )
    near, far = rules.of("http://a.com/"), rules.of("http://b.com/")
    assert near is not None and near.proxy is None
    assert far is not None and far.proxy is not None


def test_what_is_no_page_of_the_web_has_no_rules() -> None:
    assert AccessRules([rule("*")]).of("file:///etc/passwd") is None


def test_a_secret_does_not_show_itself() -> None:
    secret, cookie = Secret("sesame"), Cookie("login", "sesame", "a.com", "/")
    proxy = Proxy("http", "p", 1, False, "u", secret)
    assert "sesame" not in repr(Access(secrets=(("A", secret),), cookies=(cookie,), proxy=proxy))
