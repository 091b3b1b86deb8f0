"""The number that a lease is known by: it tells whose turn the lease is, and which of two leases is the later one.

A token is 16 bits of the group whose turn it is (its *home*, `url/fingerprint.py`) and 47 of a count that grows with every
lease: together they fit into a signed number of 64 bits, which is what databases have. Whoever divides a frontier into
partitions by homes counts in each of them, and a token by itself tells which one to ask, as a fingerprint does.

Of two tokens of one group the greater is the later. Those of two groups only differ.
"""

COUNT_BITS = 47
_COUNT = (1 << COUNT_BITS) - 1


def token_of(home: int, count: int) -> int:
    """Return the token of the lease with that count, of a group with that home."""
    return home << COUNT_BITS | count


def home_in(token: int) -> int:
    """Return the home of the group whose turn the lease is."""
    return token >> COUNT_BITS


def count_in(token: int) -> int:
    """Return which lease of its partition it is."""
    return token & _COUNT
