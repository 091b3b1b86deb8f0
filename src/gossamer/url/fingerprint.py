"""The fixed-size name of a key: what the seen test, the graph and the stores use instead of the text.

A fingerprint is 64 bits: 16 of what politeness is grouped by (the host of the key, its *home*) and 48 of the key. So it tells
by itself in which partition of a frontier its URL is kept, where one is divided by hosts. Two keys may share a fingerprint (one
pair of a host in about 2**48), so whoever uses it to decide that a URL was seen also keeps the key and compares.

It is part of what is on disk: changing it orphans every frontier ever written.
"""

from functools import lru_cache

from xxhash import xxh3_64_digest, xxh3_64_intdigest

KEY_BITS = 48
HOME_BITS = 16
_OF_KEY = (1 << KEY_BITS) - 1


def hashed(text: str) -> int:
    """Return the unsigned 64-bit XXH3 hash of the UTF-8 bytes of any text."""
    return xxh3_64_intdigest(text.encode())


def hashed_bytes(text: str) -> bytes:
    """Return the same as eight bytes, the highest first; in two thirds of the time."""
    return xxh3_64_digest(text.encode())


def home(host: str) -> int:
    """Return the 16 bits that the fingerprints of all keys of a host begin with."""
    return hashed(host) >> KEY_BITS


def fingerprint(key: str) -> int:
    """Return the fingerprint of a key, which is a URL."""
    pieces = key.split("/", 3)  # scheme, nothing, authority, the rest
    return _home_above(pieces[2] if len(pieces) > 2 else "") | xxh3_64_intdigest(key.encode()) & _OF_KEY


def home_of(name: int) -> int:
    """Return the home of a URL by its fingerprint."""
    return name >> KEY_BITS


def next_of_home(name: int) -> int:
    """Return the number after a fingerprint, of the same home: the first one comes after the last."""
    return name & ~_OF_KEY | (name + 1) & _OF_KEY


@lru_cache(maxsize=1 << 14)
def _home_above(authority: str) -> int:
    """Return the home of a host, in place, by the authority of a key: an address in brackets goes without them, a port away."""
    host, colon, port = authority.rpartition(":")
    if not colon or not (port.isdecimal() or not port):
        host = authority
    return home(host.strip("[]")) << KEY_BITS
