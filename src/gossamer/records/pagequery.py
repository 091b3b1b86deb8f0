"""Which pages somebody asks a catalog for, in which order; a slice of them; and the cursor that goes on behind it.

One record for every door: command line, exports, programs and REST filter pages, and the items found on them, by the same
words. A cursor is text that nobody looks into: where the slice ended, by what its rows are sorted by, and a digest of the
query, so that one of another query is refused and not misread.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from enum import StrEnum
from hashlib import blake2b
from typing import TypeVar

import msgspec
from msgspec import Struct

from gossamer.errors import CursorError, UsageError
from gossamer.records.page import Page

_Position = TypeVar("_Position")
_DIGEST = 6  # bytes: against mistakes, not against forgers, who could ask for these pages anyway


class Order(StrEnum):
    """How pages come."""

    NEW = "new"  # those fetched last first; of words, those first fetched last
    KEY = "key"  # by key: a host's pages stand together, and a page that is fetched again keeps its place
    BEST = "best"  # of words: title before address and text, the newest 5,000 hits first


class PageQuery(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What must hold of a page, all of it; the default asks for every page."""

    words: str = ""  # all of them in URL, title or indexed text; a phrase in double quotes
    host: str = ""  # or host:port
    status: int | None = None
    outcome: str = ""
    mime: str = ""
    rule: str = ""  # that decided
    cut: bool = False  # only those whose body is not whole
    since: float | None = None  # fetched then or later
    until: float | None = None  # fetched before
    order: Order | None = None  # None: what suits, see `ordered`

    @property
    def ordered(self) -> Order:
        """The order in which pages come: by words best first, of one host by key, otherwise newest first."""
        has_words = bool(self.words.strip())
        if self.order is None:
            return Order.BEST if has_words else Order.KEY if self.host else Order.NEW
        if self.order is Order.BEST and not has_words:
            raise UsageError("only what is found by words has a best match; ask for words, or for another order")
        if self.order is Order.KEY and has_words:
            raise UsageError("what is found by words comes best or newest first; leave the order out, or the words")
        return self.order


EVERY_PAGE = PageQuery()


class PageSlice(Struct, frozen=True):
    """Some pages of a list; fewer than were asked for, or none, when very many were looked at that do not match."""

    items: tuple[Page, ...] = ()
    next: str = ""  # the cursor of what follows; empty: this was all


def cursor_of(query: PageQuery, position: tuple[object, ...]) -> str:
    """Write a cursor: plain values by which a catalog finds the place again."""
    return urlsafe_b64encode(_digest(query) + msgspec.msgpack.encode(position)).rstrip(b"=").decode()


def position_in(query: PageQuery, cursor: str, form: type[_Position]) -> _Position:
    """Read where a cursor of the same query stands; `form` is the tuple of values that the catalog wrote."""
    try:
        read = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        digest, position = read[:_DIGEST], msgspec.msgpack.decode(read[_DIGEST:], type=form)
    except (ValueError, msgspec.DecodeError) as error:
        raise CursorError("that is no cursor; begin again without one") from error
    if digest != _digest(query):
        raise CursorError("the cursor is of another query; ask as the first time, or begin again without one")
    return position


def _digest(query: PageQuery) -> bytes:
    return blake2b(msgspec.msgpack.encode(query), digest_size=_DIGEST).digest()
