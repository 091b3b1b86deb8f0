"""What the frontier keeps on disk, as MessagePack arrays: one row a URL, one a host, one a lease, one for the counters.

Rows only ever grow at their end, with a default, so that an older store can be read. `VERSION` changes when that is not
enough.
"""

from collections.abc import Callable
from typing import TypeVar

from msgspec import DecodeError, Struct
from msgspec.msgpack import Decoder, Encoder
from msgspec.structs import replace

from gossamer.config.sections import Politeness
from gossamer.errors import StoreError
from gossamer.policy.politeness import connections_of, delay_of
from gossamer.records import Entry, HostClock, HostPolicy, HostStatus, Known, Lease, Outcome, Priority, State

VERSION = 1
_LOW_BITS = (1 << 64) - 1  # MessagePack has no longer integers; `HostClock.recent` has 100 bits


class UrlRow(Struct, array_like=True):
    """A known URL. `state` on disk is never leased: leases have rows of their own."""

    entry: Entry
    state: State
    priority: Priority = Priority.MEDIUM  # the class it was queued in
    sequence: int = 0  # of its discovery; 0: never queued
    discovered_at: float = 0.0
    refused: bool = False  # known only as refused: may still be queued when it is found again
    attempts: int = 0
    returns: int = 0
    outcome: Outcome | None = None
    reason: str = ""
    due: float | None = None
    settled_at: float | None = None
    slot: int = 0  # where it stands in a store with slots


class HostRow(Struct, array_like=True):
    """A host: its number in the keys, how many URLs wait for it in each class and for a date, and what its turn depends on."""

    number: int
    high: int
    medium: int
    low: int
    later: int
    first_due: float  # of those that wait for a date; infinite: none
    opening: int  # of the store in which this was written: `next_time` means nothing after a restart
    policy: HostPolicy | None  # None: the operator decided nothing
    clock: HostClock
    recent_high: int = 0  # the bits of `clock.recent` above the 64th


class LeaseRow(Struct, array_like=True):
    """A live lease: what to give back when the store is opened again. No slot: a bare turn."""

    host: str
    slot: int | None


class Meta(Struct, array_like=True):
    """The counters: states of URLs, and the last number given of each kind."""

    version: int = VERSION
    opening: int = 0
    number: int = 0
    sequence: int = 0
    token: int = 0
    waiting: int = 0
    leased: int = 0
    done: int = 0
    dead: int = 0
    removed: int = 0

    @property
    def known(self) -> int:
        """Return how many URLs were ever accepted."""
        return self.waiting + self.leased + self.done + self.dead + self.removed


encode = Encoder().encode
_url = Decoder(UrlRow).decode
_host = Decoder(HostRow).decode
_lease = Decoder(LeaseRow).decode
_meta = Decoder(Meta).decode
_Row = TypeVar("_Row")


def _sound(decode: Callable[[bytes], _Row], raw: bytes) -> _Row:
    try:
        return decode(raw)
    except DecodeError as problem:
        raise StoreError(f"the frontier's store is damaged: {problem}; restore a checkpoint") from problem


def decode_url(raw: bytes) -> UrlRow:
    """Decode a URL."""
    return _sound(_url, raw)


def decode_lease(raw: bytes) -> LeaseRow:
    """Decode a lease."""
    return _sound(_lease, raw)


def decode_meta(raw: bytes) -> Meta:
    """Decode the counters."""
    return _sound(_meta, raw)


def encode_host(row: HostRow) -> bytes:
    """Encode a host, its 100 bits in two parts."""
    if row.clock.recent > _LOW_BITS:
        row.recent_high = row.clock.recent >> 64
        row.clock = replace(row.clock, recent=row.clock.recent & _LOW_BITS)
    return encode(row)


def decode_host(raw: bytes) -> HostRow:
    """Decode a host, its 100 bits in one again."""
    row = _sound(_host, raw)
    if row.recent_high:
        row.clock = replace(row.clock, recent=row.clock.recent | row.recent_high << 64)
        row.recent_high = 0
    return row


def known_of(row: UrlRow, lease: Lease | None) -> Known:
    """Return a URL as the operator sees it; `lease` is its live one, if it has one."""
    return Known(
        entry=row.entry,
        state=row.state if lease is None else State.LEASED,
        outcome=row.outcome,
        reason=row.reason,
        due=row.due,
        attempts=row.attempts,
        returns=row.returns,
        discovered_at=row.discovered_at,
        settled_at=row.settled_at,
        leased_by="" if lease is None else lease.worker,
        leased_until=None if lease is None else lease.until,
    )


def status_of(host: str, waiting: int, leased: int, policy: HostPolicy, clock: HostClock, settings: Politeness) -> HostStatus:
    """Return a host as the operator sees it."""
    return HostStatus(
        host=host,
        waiting=waiting,
        leased=leased,
        policy=policy,
        clock=clock,
        delay=delay_of(policy, clock, settings),
        max_connections=connections_of(policy, clock, settings),
    )
