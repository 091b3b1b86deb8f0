"""Where each row of the embedded frontier stands: fixed-width big-endian keys, so that a prefix scan is a queue.

    U slot                      a known URL; the slot is its key's fingerprint, or the next free number after it
    Q host class rank sequence  a waiting URL, in the order in which its host's URLs of that class are leased
    D host due sequence         a waiting URL that is not to be leased before `due`
    H name                      a host; the only key with a text in it, always looked up whole or walked over
    L token                     a live lease
    M                           the counters

Numbers are 8 bytes, a class is 1. A float is written so that the order of the bytes is the order of the floats.
"""

from struct import Struct

META = b"M"
URLS = b"U"
HOSTS = b"H"
LEASES = b"L"

_DOUBLE = Struct(">d").pack
_SIGN = 1 << 63
_ALL = (1 << 64) - 1
_numbered = Struct(">cQ").pack
_queue = Struct(">cQBQQ").pack
_queue_prefix = Struct(">cQB").pack
_later = Struct(">cQQQ").pack


def url_key(slot: int) -> bytes:
    """Return where the URL of that slot stands."""
    return _numbered(b"U", slot)


def slot_of(key: bytes) -> int:
    """Return the slot in a URL's key."""
    return int.from_bytes(key[1:], "big")


def lease_key(token: int) -> bytes:
    """Return where the lease of that token stands."""
    return _numbered(b"L", token)


def host_key(name: str) -> bytes:
    """Return where the host of that name stands."""
    return b"H" + name.encode()


def host_name(key: bytes) -> str:
    """Return the name in a host's key."""
    return key[1:].decode()


def queue_key(host: int, priority: int, rank: float, sequence: int) -> bytes:
    """Return where a waiting URL stands in its host's queue of a class."""
    return _queue(b"Q", host, priority, sortable(rank), sequence)


def queue_prefix(host: int, priority: int) -> bytes:
    """Return what every key of that queue begins with."""
    return _queue_prefix(b"Q", host, priority)


def host_queues(host: int) -> bytes:
    """Return what every key of the host's queues of all classes begins with."""
    return _numbered(b"Q", host)


def later_key(host: int, due: float, sequence: int) -> bytes:
    """Return where a URL stands that waits for its date."""
    return _later(b"D", host, sortable(due), sequence)


def later_prefix(host: int) -> bytes:
    """Return what every key of the URLs begins with that wait for their date at that host."""
    return _numbered(b"D", host)


def sortable(number: float) -> int:
    """Return 64 bits in the order of the floats: negative ones turned over, positive ones above them."""
    bits = int.from_bytes(_DOUBLE(number), "big")
    return bits ^ _ALL if bits & _SIGN else bits | _SIGN
