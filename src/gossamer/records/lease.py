"""A lease, how it ends, and all the frontier knows of one URL."""

from enum import StrEnum
from math import inf

from msgspec import Struct, field

from gossamer.records.entry import Entry, Priority
from gossamer.records.host import HostClock, HostPolicy
from gossamer.records.outcome import Outcome, State
from gossamer.records.reason import Reason


class Lease(Struct, frozen=True, kw_only=True, array_like=True):
    """The right to send one request to one host, now, until `until`."""

    token: int  # never used twice; it tells the home of the entry's group, in which tokens grow (`records/token.py`)
    worker: str
    entry: Entry  # for a bare turn (`reserve`) only its host is set
    leased_at: float
    until: float
    start_by: float = inf  # its request may not begin later; a store whose answers may be late says less than `until`
    attempts: int = 0  # visits of this URL that failed and were to be repeated
    returns: int = 0  # leases of this URL that came back without a settlement
    again: bool = False  # it was finished before and is due again
    due: float | None = None  # since when
    discovered_at: float = 0.0  # 0: a bare turn
    delay: float = 0.0  # the host's delay when leased
    max_connections: int = 1
    policy: HostPolicy = field(default_factory=HostPolicy)
    clock: HostClock = field(default_factory=HostClock)  # the host's, moved by this lease


class Leases(Struct, frozen=True):
    """The result of `lease`, and when it is worth asking again (None: nothing waits at all)."""

    leases: tuple[Lease, ...]
    next_time: float | None


class Fate(StrEnum):
    """The way a lease ends."""

    DONE = "done"  # finished; again at `due` by a later crawl, if any
    AGAIN = "again"  # finished for now; due again at `due`
    RETRY = "retry"  # failed for now; again at `due`, counted
    DEFERRED = "deferred"  # not tried; keeps its place, or goes to the last class; not before `due`; not counted
    DEAD = "dead"  # finished without a page; again at `due` by a later crawl, if any


class Answer(Struct, frozen=True, kw_only=True, array_like=True):
    """How a host behaved when its turn was used: moves its clock, its breaker and its pace."""

    at: float  # first byte of the answer, or the end of waiting for it
    seconds: float = 0.0  # from request to first byte
    failed: bool | None = False  # None: says nothing about the host's health
    robots_delay: float | None = None  # Crawl-delay learned with this answer
    block_until: float = 0.0  # Retry-After, or robots.txt out of reach
    block_reason: Reason | None = None


class Settlement(Struct, frozen=True, kw_only=True, array_like=True):
    """The end of a lease. Applied with all its parts in one atomic step, or not at all."""

    lease: Lease
    fate: Fate
    outcome: Outcome
    reason: Reason | None = None
    due: float | None = None
    score: float | None = None  # with AGAIN, or DEFERRED to the last class: what it is worth then; None: as it was
    answer: Answer | None = None  # None: the turn was not used, the host's clock goes back
    clock: HostClock | None = None  # the host's next, if that of the lease still holds (`policy/turn.py`); None: not computed
    discovered: tuple[Entry, ...] = ()
    links: tuple[int, ...] | None = ()  # who gets the credit of a page that is done, by fingerprint; None: it keeps it


class KnownUrl(Struct, frozen=True, kw_only=True):
    """All the frontier knows of one URL."""

    entry: Entry
    state: State
    outcome: Outcome | None
    reason: Reason | None
    due: float | None
    attempts: int
    returns: int
    discovered_at: float
    settled_at: float | None = None
    leased_by: str = ""
    leased_until: float | None = None
    again: bool = False  # it was finished before and waits for its date, or is due
    credit: int | None = None  # what it has, where the order is opic
    score: float | None = None  # what it is worth while it waits; None: nobody can tell
    priority: Priority = Priority.MEDIUM  # the class it waits in, or waited in
