"""What travels between a node and its workers: frames of messages, each message one call or one answer.

A frame (`children.py`) is MessagePack: a list of messages. Whatever is said in one turn of an event loop goes into one frame,
so that the cost of a message is shared by all the visits that wait at the same time. Calls are typed records, told apart by a
number; an answer carries the number of its call. Records travel without the names of their fields, which were a fifth of all
bytes; so both ends must have the same ones, which the version in the greeting tells.

A visit goes back without its lease, which the node has kept: its token says which.
"""

import asyncio
from collections.abc import Callable
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, get_args, get_type_hints
from zlib import crc32

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import astuple

from gossamer import errors
from gossamer.children import LENGTH, framed
from gossamer.document.body import Body
from gossamer.errors import CannotGoOn, GossamerError
from gossamer.records.consultation import Consultation
from gossamer.records.entry import Entry
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Lease, Settlement
from gossamer.records.likeness import Likeness
from gossamer.records.page import Original
from gossamer.records.reason import Reason
from gossamer.records.visit import Lesson, Visit

Message = TypeVar("Message")


class WorkerGreeting(Struct, frozen=True, array_like=True):
    """The first message to a worker: who it is, and what it works on."""

    worker: str
    directory: str
    settings: bytes  # JSON
    seeds: tuple[str, ...]
    clock: float  # what to add to the monotonic clock: all processes of a crawl have one time
    sources: bytes = b""  # of readers: all workers of a run have the same ones


def _parts(kind: type[Struct], without: str) -> list[tuple[str, Any]]:
    """Return name and type of every field of a record but one."""
    hints = get_type_hints(kind)
    return [(name, hints[name]) for name in kind.__struct_fields__ if name != without]


_SETTLED, _VISITED = _parts(Settlement, "lease"), _parts(Visit, "settlement")

if TYPE_CHECKING:

    class Ended(Struct, frozen=True, array_like=True):
        """A finished visit (`records.Visit`): all of it, but for its lease."""

        token: int  # of the lease
        claim: tuple[str, Original] | None
        learned: str

else:  # made of the records' own fields, so that none gets lost
    Ended = msgspec.defstruct("Ended", [("token", int), *_SETTLED, *_VISITED], frozen=True, array_like=True)

_settled = attrgetter(*[name for name, _ in _SETTLED])
_visited = attrgetter(*[name for name, _ in _VISITED])
_settled_names, _visited_names = ([name for name, _ in parts] for parts in (_SETTLED, _VISITED))


def ended(visit: Visit) -> Ended:
    """Return a visit as it travels."""
    settlement = visit.settlement
    return Ended(settlement.lease.token, *_settled(settlement), *_visited(visit))


def visit_of(ended: Ended, lease: Lease) -> Visit:
    """Return a visit that has travelled, with the lease that the node kept."""
    _, *values = astuple(ended)
    settled = dict(zip(_settled_names, values, strict=False))
    visited = dict(zip(_visited_names, values[len(_SETTLED) :], strict=True))
    return Visit(settlement=Settlement(lease=lease, **settled), **visited)


class Granted(Struct, frozen=True, array_like=True):
    """Leases (`records.Leases`), and for each what robots.txt says, if that is known, and what was learned: it saves asking.

    A lesson is None where a bug of ours struck: the visit ends for it.
    """

    leases: tuple[Lease, ...]
    next_time: float | None
    advice: tuple[Consultation | None, ...]
    lessons: tuple[Lesson | None, ...]
    arrivals: tuple[str, ...] = ()  # of seeds, that the worker has not heard of: they belong to the scope


# --- calls: what a worker asks or tells ------------------------------------------------------------------------------


class Call(Struct, frozen=True, array_like=True):
    """Something that is answered."""

    number: int


class LeaseCall(Call, frozen=True, tag=1):
    worker: str
    limit: int
    now: float


class ConsultCall(Call, frozen=True, tag=2):
    url: str
    agent: str
    now: float


class ClaimCall(Call, frozen=True, tag=3):
    page: Original
    digest: str
    likeness: Likeness | None


class CommitCall(Call, frozen=True, tag=4):
    visits: tuple[Ended, ...]


class LearnCall(Call, frozen=True, tag=5):
    url: str
    fetched: Fetched
    agent: str
    delay: float
    now: float


class DiscoverCall(Call, frozen=True, tag=6):
    entries: tuple[Entry, ...]
    now: float


class ReserveCall(Call, frozen=True, tag=7):
    worker: str
    host: str
    now: float


class SettleCall(Call, frozen=True, tag=8):
    settlements: tuple[Settlement, ...]
    now: float


class PaceCall(Call, frozen=True, tag=9):
    host: str
    seconds: float


class BlockCall(Call, frozen=True, tag=10):
    host: str
    until: float
    reason: Reason | None


class Unask(Struct, frozen=True, array_like=True, tag=11):
    """The robots.txt that `ConsultCall` asked for is not fetched now."""

    url: str


class Unclaim(Struct, frozen=True, array_like=True, tag=12):
    """The page of a claim was not kept."""

    page: Original
    digest: str
    likeness: Likeness | None


class Tell(Struct, frozen=True, array_like=True, tag=13):
    """An event for whoever watches the crawl."""

    event: bytes


class Fail(Struct, frozen=True, array_like=True, tag=14):
    """The worker cannot go on, and neither could another."""

    kind: str
    text: str


class OwnerCall(Call, frozen=True, tag=15):
    digest: str


Calls = (
    LeaseCall
    | ConsultCall
    | ClaimCall
    | CommitCall
    | LearnCall
    | DiscoverCall
    | ReserveCall
    | SettleCall
    | PaceCall
    | BlockCall
    | OwnerCall
    | Unask
    | Unclaim
    | Tell
    | Fail
)


class Reply(Struct, frozen=True, array_like=True):
    """The answer to a call: a value, or an error. Number 0 answers nothing: stop at once."""

    number: int
    value: Raw = Raw()
    kind: str = ""  # of an error of `errors.py`
    text: str = ""


STOP = Reply(0, Raw(b"\xc0"))


def rebuilt(kind: str, text: str) -> GossamerError:
    """Return an error that crossed the wire."""
    found = getattr(errors, kind, GossamerError)
    error: GossamerError = found(text)
    return error


# --- frames ----------------------------------------------------------------------------------------------------------


def _hook_out(value: object) -> bytes:
    if isinstance(value, Body):
        return value.read()
    raise TypeError(f"{type(value).__name__} does not travel")


def _hook_in(kind: type, value: Any) -> Any:
    return Body.of(value) if kind is Body else value


_encode = msgspec.msgpack.Encoder(enc_hook=_hook_out).encode
decode_calls = msgspec.msgpack.Decoder(list[Calls], dec_hook=_hook_in).decode
decode_replies = msgspec.msgpack.Decoder(list[Reply]).decode
_decode_greeting = msgspec.msgpack.Decoder(tuple[int, Raw]).decode


@cache
def version() -> int:
    """Return the version of all that travels: another number as soon as a record or call has other fields."""
    layout: dict[str, str] = {}
    for kind in (Calls, Granted, Reply, WorkerGreeting):
        _note_layout(kind, layout)
    return crc32(repr(sorted(layout.items())).encode())


def _note_layout(kind: Any, layout: dict[str, str]) -> None:
    """Note the fields of all records in a type, and the values of its enumerations."""
    for part in get_args(kind):
        _note_layout(part, layout)
    if not isinstance(kind, type) or kind.__name__ in layout:
        return
    if issubclass(kind, Enum):
        layout[kind.__name__] = repr([member.value for member in kind])
    elif issubclass(kind, Struct):
        hints = get_type_hints(kind)
        layout[kind.__name__] = repr([(name, hints[name]) for name in kind.__struct_fields__])
        for hint in hints.values():
            _note_layout(hint, layout)


def greet(greeting: WorkerGreeting) -> bytes:
    """Encode the first message to a worker, with the version of all that follows."""
    return encode((version(), greeting))


def decode_greeting(message: bytes) -> WorkerGreeting:
    """Return the first message of the node; raise `CannotGoOn` when it speaks otherwise than this worker."""
    theirs, greeting = _decode_greeting(message)
    if theirs != version():
        told = f"the node speaks version {theirs:08x}, this worker {version():08x}"
        raise CannotGoOn(f"gossamer was replaced while the crawl ran ({told}); stop it and resume it with the new one")
    return msgspec.msgpack.decode(greeting, type=WorkerGreeting)


def encode(message: object) -> bytes:
    """Encode a message; half a surrogate pair, in what some page calls its title, becomes a question mark."""
    try:
        return _encode(message)
    except UnicodeEncodeError:
        return _encode(_encodable(msgspec.to_builtins(message, builtin_types=(bytes, Raw), enc_hook=_hook_out)))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list | tuple):
        return [_encodable(part) for part in value]
    if isinstance(value, dict):
        return {key: _encodable(part) for key, part in value.items()}
    return value


class Line(asyncio.Protocol, Generic[Message]):
    """One end of the socket: gathers what is said in a turn of the loop into one frame, and hands on what comes."""

    def __init__(
        self,
        decode: Callable[[bytes], list[Message]],
        received: Callable[[list[Message]], None],
        lost: Callable[[], None],
    ) -> None:
        self._decode = decode
        self._received = received
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._outgoing: list[object] = []
        self._incoming = bytearray()

    def send(self, message: object) -> None:
        """Send a message with the others of this turn; one that can no longer arrive is dropped."""
        if not self._outgoing:
            self._loop.call_soon(self.flush)
        self._outgoing.append(message)

    def flush(self) -> None:
        """Send what is still to be sent."""
        messages, self._outgoing = self._outgoing, []
        if messages and self._transport is not None and not self._transport.is_closing():
            self._transport.write(framed(encode(messages)))

    def close(self) -> None:
        """Send what is still to be sent and hang up."""
        self.flush()
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's are no subclass of it

    def data_received(self, data: bytes) -> None:
        incoming = self._incoming
        incoming += data
        start = 0
        while len(incoming) - start >= LENGTH:
            end = start + LENGTH + int.from_bytes(incoming[start : start + LENGTH], "big")
            if len(incoming) < end:
                break
            frame = bytes(incoming[start + LENGTH : end])
            start = end
            self._received(self._decode(frame))
        del incoming[:start]

    def connection_lost(self, error: Exception | None) -> None:
        self._lost()
