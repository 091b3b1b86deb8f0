"""What a sitemap or a feed says about a URL it lists: when it changed last, how often it does, how much it matters.

Hints are claims of whoever wrote the list. They are read with care and believed by nobody here: the policy weighs them.
"""

from msgspec import Struct


class Hint(Struct, frozen=True, array_like=True, gc=False):
    """A claim about one URL; None: nothing is said."""

    url: str  # absolute, as the list's link to it
    modified_at: float | None = None
    interval: float | None = None  # seconds between two changes
    priority: float | None = None  # 0 to 1, beside other URLs of the same site
