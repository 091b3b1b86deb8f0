"""A version of a page: one capture of what was there at some time, and where it is kept.

The newest one is the page's own place in the catalog; earlier ones stay until `gossamer prune` takes them out.
"""

from msgspec import Struct

from gossamer.records.page import Place


class Version(Struct, frozen=True, kw_only=True):
    """One capture of a page."""

    key: str
    captured_at: float
    digest: str
    place: Place
    length: int  # of the body on the wire
    status: int
    mime: str
