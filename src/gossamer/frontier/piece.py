"""The pieces of the reference frontier: a host with its queues, and a live lease."""

from msgspec import Struct

from gossamer.frontier.order import QUEUES, is_again
from gossamer.frontier.rows import Url
from gossamer.records import Entry, HostClock, HostPolicy, Lease


class Host:
    """A host that is known."""

    def __init__(self, name: str, number: int, policy: HostPolicy = HostPolicy(), clock: HostClock = HostClock()) -> None:
        self.name = name
        self.number = number
        self.policy = policy
        self.clock = clock
        self.queues: tuple[list[tuple[float, int, str]], ...] = tuple([] for _ in QUEUES)  # rank, sequence, key
        self.later: list[tuple[float, int, str]] = []  # due, sequence, key
        self.leased = 0
        self.since = 0.0

    @property
    def waiting(self) -> int:
        """Return how many URLs wait, whatever for."""
        return sum(map(len, self.queues)) + len(self.later)


class Turn(Struct):
    """A live lease."""

    lease: Lease
    host: Host
    row: Url | None  # None: a bare turn
    before: HostClock


def lease_of(
    token: int, worker: str, host: Host, row: Url | None, now: float, until: float, delay: float, connections: int
) -> Lease:
    """Return a lease at a host whose clock was moved for it."""
    return Lease(
        token=token,
        worker=worker,
        entry=Entry("", "", host.name) if row is None else row.entry,
        leased_at=now,
        until=until,
        attempts=0 if row is None else row.attempts,
        returns=0 if row is None else row.returns,
        again=row is not None and is_again(row.queue),
        due=None if row is None else row.due,
        delay=delay,
        max_connections=connections,
        policy=host.policy,
        clock=host.clock,
    )
