"""Fingerprints: part of what is on disk, so they must never change."""

import pytest

from gossamer.url.fingerprint import fingerprint, group_of, hashed, hashed_bytes, home, home_of, next_of_home
from gossamer.url.normalize import KeyRules
from gossamer.url.parse import parse
from gossamer.url.spelling import spelled


def test_a_fingerprint_is_what_earlier_crawls_wrote() -> None:
    assert hashed("") == 0x2D06800538D394C2  # XXH3's published value for no input
    assert fingerprint("http://a.example/") == 0x9EC4ADF2D37A6499
    assert fingerprint("http://a.example/é") == 0x9EC4584CB2FBE63E


def test_a_fingerprint_fits_eight_bytes_and_has_no_sign() -> None:
    prints = {fingerprint(f"http://{number % 50}.example/{number}") for number in range(1000)}
    assert len(prints) == 1000
    assert all(0 <= found < 2**64 for found in prints)
    assert any(found >= 2**63 for found in prints)


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/",
        "https://a.example/x?y=//b.example/",
        "http://a.example:8080/x",
        "http://A.example:80?q",
        "http://bücher.example/ä",
        "http://[2001:DB8::1]/",
        "http://[2001:db8::1]:8080/x",
        "http://127.1/",
        "ftp://user:secret@a.example/x",
        "file:///etc/hosts",
        "urn:isbn:1",
    ],
)
def test_it_tells_whose_turn_the_url_takes(url: str) -> None:
    parsed = parse(url)
    for rules in (KeyRules(), KeyRules(drop_default_port=False)):
        for key in (rules.key(parsed), spelled(parsed.wire)):
            assert group_of(key) == parsed.host and home_of(fingerprint(key)) == home(parsed.host)


def test_hosts_have_homes_all_over() -> None:
    homes = [home(f"{number}.example") for number in range(4096)]
    assert len({each >> 12 for each in homes}) == 16 and max(homes) < 1 << 16


def test_the_number_after_a_fingerprint_has_the_same_home() -> None:
    assert next_of_home(5 << 48 | 7) == 5 << 48 | 8
    assert next_of_home((6 << 48) - 1) == 5 << 48


def test_the_bytes_of_a_hash_are_the_same_number() -> None:
    assert hashed_bytes("http://a.example/é") == hashed("http://a.example/é").to_bytes(8, "big")
