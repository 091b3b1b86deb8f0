"""Fingerprints: part of what is on disk, so they must never change."""

from gossamer.url.fingerprint import fingerprint, fingerprint_bytes


def test_a_fingerprint_is_what_earlier_crawls_wrote() -> None:
    assert fingerprint("") == 0x2D06800538D394C2  # XXH3's published value for no input
    assert fingerprint("http://a.example/") == 0xD9ADADF2D37A6499
    assert fingerprint("http://a.example/é") == 0xAE8A584CB2FBE63E


def test_a_fingerprint_fits_eight_bytes_and_has_no_sign() -> None:
    prints = {fingerprint(f"http://a.example/{number}") for number in range(1000)}
    assert len(prints) == 1000
    assert all(0 <= found < 2**64 for found in prints)
    assert any(found >= 2**63 for found in prints)


def test_its_bytes_are_the_same_number() -> None:
    assert fingerprint_bytes("http://a.example/é") == 0xAE8A584CB2FBE63E.to_bytes(8, "big")
    assert fingerprint_bytes("") == fingerprint("").to_bytes(8, "big")
