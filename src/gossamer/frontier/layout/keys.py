"""Where each row of the embedded frontier stands: fixed-width big-endian keys, so that a prefix scan is a queue.

    Q host ticket               a waiting URL that its host's row has no room for, in the order of leases
    D host due sequence         a waiting URL that is not to be leased before `due`
    H name                      a host that rests; the only key with a text in it, always looked up whole or walked over
    L count                     live leases, counted from that one on
    C slot                      the credit of the URL in that slot, where the order is opic (`credit.py`)
    S slot                      other spellings of the URL in that slot (`spellings.py`)
    V                           the version of all this

In families of their own, because they are written in the order of their keys, or nearly, and so never, or seldom, sorted again:

    sequence                    a sheet: the entries of that and the following numbers (`sheets.py`)
    sequence                    what became of the URL with that entry, if it does not just wait as it was found (`rows.py`)
    number                      a page of the journal (`journal.py`)

The *slot* of a URL is its key's fingerprint, or the next free number of its home after it; `slots.py` finds its entry by it.

Numbers are 8 bytes. A float is written so that the order of the bytes is the order of the floats.

A *ticket* is a place in the line of a host, 17 bytes: the class, the rank, and where the URL's entry stands. Tickets compare
like the URLs are leased. The last number holds the sequence of the URL's discovery, its place in the sheet (5 bits), and
whether it was leased before (1 bit), in which case its row says more than its entry does.
"""

from functools import partial
from struct import Struct

VERSION_KEY = b"V"
HOSTS = b"H"
LEASES = b"L"
TICKET = 17  # bytes

_DOUBLE = Struct(">d").pack
_SIGN = 1 << 63
_ALL = (1 << 64) - 1
_numbered = Struct(">cQ").pack
_queue_prefix = Struct(">cQB").pack
_later = Struct(">cQQQ").pack
_positive = Struct(">BdQ").pack
_any = Struct(">BQQ").pack

number_key = Struct(">Q").pack  # of a sheet, a URL or a page
credit_key = partial(_numbered, b"C")  # of the URL in a slot
spellings_key = partial(_numbered, b"S")  # likewise


def number_in(key: bytes) -> int:
    """Return the number a key ends with."""
    return int.from_bytes(key[-8:], "big")


def lease_key(count: int) -> bytes:
    """Return where the leases from that count on stand."""
    return _numbered(b"L", count)


def host_key(name: str) -> bytes:
    """Return where the host of that name stands."""
    return b"H" + name.encode()


def host_name(key: bytes) -> str:
    """Return the name in a host's key."""
    return key[1:].decode()


def queue_key(host: int, ticket: bytes) -> bytes:
    """Return where a waiting URL stands for which its host's row has no room."""
    return _numbered(b"Q", host) + ticket


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


def ticket_of(priority: int, rank: float, reference: int) -> bytes:
    """Return a URL's place in the line of its host."""
    if rank > 0:
        return _positive(priority, -rank, reference)  # the sign turned over is what `sortable` does to it, in one call
    return _any(priority, sortable(rank), reference)


def url_key(reference: int) -> bytes:
    """Return where it stands what became of a URL."""
    return number_key(reference >> 8)


def reference_in(ticket: bytes) -> int:
    """Return where the entry of a ticket stands."""
    return int.from_bytes(ticket[9:], "big")


def tried(ticket: bytes) -> bytes:
    """Return the same place for a URL that was leased."""
    return ticket[:-1] + bytes([ticket[-1] | 1])


def sortable(number: float) -> int:
    """Return 64 bits in the order of the floats: negative ones turned over, positive ones above them."""
    bits = int.from_bytes(_DOUBLE(number), "big")
    return bits ^ _ALL if bits & _SIGN else bits | _SIGN
