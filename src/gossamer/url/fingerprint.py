"""The fixed-size name of a key: what the seen test and the stores use instead of the text.

It is part of what is on disk: changing it orphans every frontier ever written. Two keys may share a fingerprint (one pair in
about 2**64), so whoever uses it to decide that a URL was seen also keeps the key and compares.
"""

from xxhash import xxh3_64_digest, xxh3_64_intdigest


def fingerprint(key: str) -> int:
    """Return the unsigned 64-bit XXH3 hash of the key's UTF-8 bytes."""
    return xxh3_64_intdigest(key.encode())


def fingerprint_bytes(key: str) -> bytes:
    """Return the same as eight bytes, the highest first; in two thirds of the time."""
    return xxh3_64_digest(key.encode())
