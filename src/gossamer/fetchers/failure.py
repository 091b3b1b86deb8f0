"""How an exchange ended, and what that means for a crawl: the outcome, and one plain sentence.

An answer whose head came whole is kept whatever happened later; these are the cases with nothing to keep, and the WARC word
for a body that is not whole.
"""

import errno
from enum import Enum

from gossamer.errors import DiskFull, StoreError
from gossamer.records.outcome import Outcome


class ExchangeEnd(Enum):
    """How an exchange ended."""

    WHOLE = 0
    LIMIT = 1  # there is more than the limit
    TIMED_OUT = 2
    TURN_OVER = 3  # before the request could leave
    NO_CONNECTION = 4
    NO_TLS = 5
    SPOKE_FIRST = 6  # the server did, on a new connection
    UNANSWERED = 7  # a kept connection ended before one byte of the answer
    SILENT = 8  # a new connection was closed without a word
    LOST = 9  # the connection broke
    CUT = 10  # the server closed before the end of the body
    NOT_HTTP = 11
    BROKEN = 12  # head or framing cannot be read


Ended = tuple[ExchangeEnd, str]  # with the words for it

_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}


def failure_of(ending: ExchangeEnd, text: str, *, requested: bool, received: bool) -> tuple[Outcome, str]:
    """Say what it means that no answer came: by how it ended, whether a request left and whether any byte came back."""
    said = f" ({text})" if text else ""
    if ending is ExchangeEnd.TIMED_OUT:
        return Outcome.TIMED_OUT, f"no {'answer' if requested else 'connection'} in time{said}"
    if ending is ExchangeEnd.NO_TLS:
        return Outcome.TLS_FAILED, f"no secure connection{said}"
    if ending is ExchangeEnd.UNANSWERED:
        return Outcome.CONNECT_FAILED, "the server closed a kept connection as the request left; asking again needs a new turn"
    if ending is ExchangeEnd.NO_CONNECTION:
        return Outcome.CONNECT_FAILED, f"no connection{said}"
    if ending is ExchangeEnd.SPOKE_FIRST:
        return Outcome.PROTOCOL_ERROR, "the server spoke before it was asked: its words answer nothing"
    if received:
        return Outcome.PROTOCOL_ERROR, f"the head of the answer is broken{said}"
    if ending is ExchangeEnd.SILENT:
        return Outcome.PROTOCOL_ERROR, "the server closed the connection without an answer"
    if ending is ExchangeEnd.LOST:
        return Outcome.CONNECT_FAILED, f"the connection was lost{said}"
    return Outcome.PROTOCOL_ERROR, f"the answer is not HTTP{said}"


_TRUNCATION = {
    ExchangeEnd.TIMED_OUT: "time",
    ExchangeEnd.LIMIT: "length",
    ExchangeEnd.CUT: "disconnect",
    ExchangeEnd.LOST: "disconnect",
}


def truncation_of(ending: ExchangeEnd) -> str:
    """Return WARC's word for why a body that had begun is not whole."""
    return _TRUNCATION.get(ending, "unspecified")  # the framing itself is broken: what came is kept, its end is anyone's guess


def spool_error(error: OSError) -> StoreError:
    """Return our error for a body that could not be spooled to its temporary file."""
    if error.errno in _DISK_FULL:
        return DiskFull("no space is left for a temporary file; make room where TMPDIR points to")
    return StoreError(f"a temporary file failed ({error.strerror}); see where TMPDIR points to")
