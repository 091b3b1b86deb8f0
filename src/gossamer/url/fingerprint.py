"""The fixed-size name of a key: what the seen test, the graph and the stores use instead of the text.

Politeness is grouped: URLs of one *group* take turns at one clock. A group is a host, and has its name. A fingerprint is 64
bits: 16 of the group (its *home*) and 48 of the key. So it tells by itself in which partition of a frontier its URL is kept,
where one is divided by groups. Two keys may share a fingerprint (one pair of a group in about 2**48), so whoever uses it to
decide that a URL was seen also keeps the key and compares.

It is part of what is on disk: changing it orphans every frontier ever written.
"""

from functools import lru_cache

from xxhash import xxh3_64_digest, xxh3_64_intdigest

KEY_BITS = 48
HOME_BITS = 16
_OF_KEY = (1 << KEY_BITS) - 1
_OF_HOME = (1 << HOME_BITS) - 1 << KEY_BITS


def hashed(text: str) -> int:
    """Return the unsigned 64-bit XXH3 hash of the UTF-8 bytes of any text."""
    return xxh3_64_intdigest(text.encode())


def hashed_bytes(text: str) -> bytes:
    """Return the same as eight bytes, the highest first; in two thirds of the time."""
    return xxh3_64_digest(text.encode())


def home(group: str) -> int:
    """Return the 16 bits that the fingerprints of all keys of a group, and the tokens of all its leases, begin with."""
    return hashed(group) >> KEY_BITS


def group_of(key: str) -> str:
    """Return the group of a key, which is a URL: its host; `Entry.group` is the same."""
    pieces = key.split("/", 3)  # scheme, nothing, authority, the rest
    return _without_port(pieces[2]) if len(pieces) > 2 else ""


def fingerprint(key: str) -> int:
    """Return the fingerprint of a key."""
    pieces = key.split("/", 3)
    return _home_bits(pieces[2] if len(pieces) > 2 else "") | xxh3_64_intdigest(key.encode()) & _OF_KEY


def home_of(name: int) -> int:
    """Return the home of a URL by its fingerprint."""
    return name >> KEY_BITS


def next_of_home(name: int) -> int:
    """Return the number after a fingerprint, of the same home: the first one comes after the last."""
    return name & _OF_HOME | (name + 1) & _OF_KEY


@lru_cache(maxsize=16_384)  # the links of a page lead to few hosts
def _home_bits(authority: str) -> int:
    """Return the bits that the fingerprints of all keys with an authority begin with."""
    return xxh3_64_intdigest(_without_port(authority).encode()) & _OF_HOME


def _without_port(authority: str) -> str:
    """Return the host of an authority, which may have a port, or be an address in brackets."""
    if ":" not in authority:
        return authority
    host, _, port = authority.rpartition(":")
    return (host if port.isdecimal() else authority).strip("[]")
