"""Hosts: which belong together, and which are addresses."""

import pytest

from gossamer.url.host import is_ip, registrable_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.org", "example.org"),
        ("example.org", "example.org"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("one.github.io", "one.github.io"),  # two users of one hosting service are two sites
        ("x.one.github.io", "one.github.io"),
        ("www.xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("a.site-7.test", "site-7.test"),
        ("www.example.org.", "example.org"),
    ],
)
def test_a_registrable_domain_is_one_label_more_than_the_public_suffix(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "2001:db8::1", "co.uk", "com", ""])
def test_what_nobody_can_register_is_its_own_domain(host: str) -> None:
    assert registrable_domain(host) == host


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("[::1]", True),
        ("a.example", False),
        ("1.2.3", False),
        ("1.2.3.4.example", False),
        ("", False),
    ],
)
def test_an_address_is_told_from_a_name(host: str, expected: bool) -> None:
    assert is_ip(host) is expected
