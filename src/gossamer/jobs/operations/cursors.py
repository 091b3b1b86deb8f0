"""Cursors: where a list goes on. Opaque to whoever asks; one that another question gave is refused."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import msgspec
from xxhash import xxh3_64_intdigest

from gossamer.errors import CursorError, UsageError

MOST = 500  # rows of a page


def cursor_of(question: tuple[object, ...], *place: object) -> str:
    """Return the cursor of a place in the list that answers a question."""
    return urlsafe_b64encode(msgspec.msgpack.encode([_mark(question), *place])).decode().rstrip("=")


def place_in(cursor: str, question: tuple[object, ...], *kinds: type) -> list[Any] | None:
    """Return the place that a cursor stands for, parts of these kinds; None: the list begins."""
    if not cursor:
        return None
    try:
        whole = msgspec.msgpack.decode(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)), type=list[Any])
    except ValueError:
        whole = []
    mark, place = whole[0] if whole else None, whole[1:]
    if mark != _mark(question) or len(place) != len(kinds) or not all(map(isinstance, place, kinds)):
        raise CursorError("this list never gave that cursor; begin without one, and keep order and filters as they are")
    return place


def limited(limit: int, most: int = MOST) -> int:
    """Return how many rows a page has; raise when that makes no sense."""
    if not 1 <= limit <= most:
        raise UsageError(f"a page has 1 to {most} rows, not {limit}")
    return limit


def _mark(question: tuple[object, ...]) -> int:
    return xxh3_64_intdigest(msgspec.msgpack.encode(question)) >> 32
