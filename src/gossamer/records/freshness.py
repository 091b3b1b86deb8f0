"""What is known of how often a page changes: one small frozen record a page, kept with it for good.

Changed only by the pure rules of `policy/change.py` and `policy/recrawl.py`, which return a new one. The belief about the
change rate is a histogram over a fixed grid of rates, so that an estimate from visits at irregular times, from dates a server
names, and from a prior is exact up to the grid, costs the same after a thousand visits as after one, and takes 48 bytes.
"""

from msgspec import Struct


class Freshness(Struct, frozen=True, array_like=True):
    """How often a page was visited, how often it had changed, and what that says of its change rate."""

    visits: int = 0
    changes: int = 0  # visits that found it changed
    first_seen: float = 0.0
    changed_at: float = 0.0  # when it last changed, as far as is known
    interval: float = 0.0  # the adaptive policy's present one; 0: not visited yet
    posterior: bytes = b""  # how likely each rate of the grid is, see `policy/change.py`; empty: nothing is known
    etag: str = ""  # of the last answer, for a conditional request
    last_modified: str = ""
    found_at: float = 0.0  # when its URL was discovered; 0: not known
    priority: int = 1  # the class it waited in for its first visit, see `records.Priority`
