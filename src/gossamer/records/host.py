"""A host: what an operator decided about it, what its next turn depends on, and how it stands."""

from enum import StrEnum

from msgspec import Struct

from gossamer.records.entry import Priority
from gossamer.records.reason import Reason


class HostPolicy(Struct, frozen=True, kw_only=True):
    """The policy of an operator for one host; None means the crawl's configuration decides."""

    max_qps: float | None = None
    max_connections: int | None = None
    crawl_depth: int | None = None
    priority: Priority | None = None
    user_agent: str | None = None
    interval: float | None = None  # seconds between two visits of a page
    insecure: bool | None = None  # accept any certificate of this host
    paused: bool = False  # not leased; keeps its queue
    blocked: bool = False  # not leased; new URLs are refused


class HostClock(Struct, frozen=True, array_like=True):
    """The state that decides a host's next turn. Durable. Changed only by the pure rules of `policy`."""

    next_time: float = 0.0  # no request before this
    robots_delay: float = 0.0  # Crawl-delay
    slowdown: float = 1.0  # grows while the host answers slowly, shrinks back to 1
    blocked_until: float = 0.0
    block_reason: Reason | None = None
    failures: int = 0  # in a row
    openings: int = 0  # of the breaker, in a row
    probing: bool = False  # the breaker allows exactly one request
    given_up_until: float = 0.0  # the breaker opened too often: URLs end as breaker_open
    recent: int = 0  # the last 100 requests as bits, newest lowest; 1 is a failure
    recent_count: int = 0


class HostStatus(Struct, frozen=True, kw_only=True):
    """The operator's view of one host."""

    host: str
    waiting: int
    leased: int
    policy: HostPolicy
    clock: HostClock
    delay: float
    max_connections: int


class HostOrder(StrEnum):
    """The orders in which hosts are listed."""

    WAITING = "waiting"  # most waiting URLs first
    NEXT = "next"  # whose turn comes first
    NAME = "name"


class HostState(StrEnum):
    """How a host stands, in one word (`policy/standing.py`)."""

    READY = "ready"  # it has work, and gets its turns
    PAUSED = "paused"  # by an operator
    BLOCKED = "blocked"  # by an operator, or until a time because it asked for that
    OPEN = "open"  # its breaker: it failed too often
    IDLE = "idle"  # it has no work


class HostMark(Struct, frozen=True, array_like=True):
    """Where a listing of hosts stands: the last one told, and what it was told by."""

    place: float
    host: str


class HostPage(Struct, frozen=True):
    """A part of a listing of hosts. It may be shorter than was asked for and yet have a next one: looking takes time."""

    hosts: tuple[HostStatus, ...]
    next: HostMark | None = None  # None: there are no more
