"""What travels over the control socket of a crawl: frames of MessagePack, a question or a reply in each.

A frame is its length in four bytes, then so many bytes (`children.py`). A connection is kept, and questions interleave: a reply
carries the number of its question. A question that is watched (`watch`) gets events until its connection ends. What went wrong
crosses as a problem with the name of its error in `errors.py`, and is that error again at the other end.
"""

from typing import Any

import msgspec
from msgspec import Struct

from gossamer import errors
from gossamer.children import LENGTH, framed
from gossamer.errors import GossamerError, UsageError

MOST = 16 * 1024 * 1024  # bytes of a question; 10,000 long URLs fit
WATCH = "watch"  # the operation that is answered by events of the `kinds` asked for, until the connection ends
UNWATCH = "unwatch"  # the operation that ends one, by the number of its question; nothing is answered
PULSE, TROUBLE = "pulse", "trouble"  # these kinds: the crawl in numbers, and what happens to it that is no visit
YIELD = "yield"  # the operation that asks a keeper to let go of the crawl


class Question(Struct, frozen=True):
    """An operation to be carried out."""

    id: int
    operation: str
    arguments: dict[str, Any] = {}
    who: str = ""  # on whose behalf, where that is not the user at the other end


class WireProblem(Struct, frozen=True):
    """An error that crosses the wire."""

    kind: str  # its class in `errors.py`
    detail: str


class ControlReply(Struct, frozen=True, omit_defaults=True):
    """The answer to a question, or what is wrong with it, or one of the events it asked for."""

    id: int
    answer: Any = None
    problem: WireProblem | None = None
    event: Any = None
    kind: str = ""  # of the event


_question = msgspec.msgpack.Decoder(Question)
_reply = msgspec.msgpack.Decoder(ControlReply)
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode


def sent(message: Question | ControlReply) -> bytes:
    """Return a message as it is sent."""
    content = _encode(message)
    if isinstance(message, Question) and len(content) > MOST:
        raise UsageError(
            f"{message.operation} has {len(content):,} bytes of arguments, and {MOST:,} are taken; ask for less at once"
        )
    return framed(content)


def length_of(prefix: bytes) -> int:
    """Return how many bytes a frame has behind its prefix."""
    return int.from_bytes(prefix[:LENGTH], "big")


def question_of(content: bytes) -> Question:
    """Read a question; whatever is no question is refused."""
    try:
        return _question.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"not understood: {error}") from None


def reply_of(content: bytes) -> ControlReply:
    """Read a reply."""
    return _reply.decode(content)


def problem_of(error: GossamerError) -> WireProblem:
    """Return an error as it crosses the wire."""
    return WireProblem(type(error).__name__, str(error))


def raised(problem: WireProblem) -> GossamerError:
    """Return the error that crossed the wire."""
    kind = getattr(errors, problem.kind, GossamerError)
    made: GossamerError = (
        kind(problem.detail) if isinstance(kind, type) and issubclass(kind, GossamerError) else GossamerError(problem.detail)
    )
    return made
