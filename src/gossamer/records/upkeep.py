"""What the upkeep of an archive tells: which revisits refer to what, and what a file came to without some of its records."""

from msgspec import Struct


class Reference(Struct, frozen=True):
    """A revisit record, where it is, and the URL and date of the capture it refers to."""

    file: str
    offset: int
    url: str
    target: tuple[str, str]


class Rewritten(Struct, frozen=True, kw_only=True):
    """A file without some of its records."""

    file: str
    offsets: dict[int, int]  # of what it holds: where it was, where it is
    is_empty: bool  # it holds no capture
    before: int  # bytes
    after: int
