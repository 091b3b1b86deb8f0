"""The pieces of the reference frontier: a host with its queues, and a live lease."""

from bisect import insort
from collections.abc import Callable, Iterable
from math import inf

from msgspec import Struct

from gossamer.config.sections import Politeness
from gossamer.frontier.order import LAST, QUEUES, QueueOrder, Whose, class_of, is_again, queue_of, rank
from gossamer.policy.politeness import after_lease, connections_of, delay_of
from gossamer.records.entry import Entry
from gossamer.records.host import HostClock, HostPolicy
from gossamer.records.lease import Fate, Lease, Settlement
from gossamer.records.outcome import Outcome, State
from gossamer.records.reason import Reason
from gossamer.records.token import token_of
from gossamer.url.fingerprint import home


class ModelUrl(Struct):
    """All that is known of a URL in one piece, as the reference keeps it."""

    entry: Entry
    state: State
    queue: int = 1  # the one it waits in, or waited in
    sequence: int = 0  # of its discovery; 0: never queued
    discovered_at: float = 0.0
    refused: bool = False  # known only as refused: may still be queued when it is found again
    attempts: int = 0
    returns: int = 0
    outcome: Outcome | None = None
    reason: Reason | None = None
    due: float | None = None
    settled_at: float | None = None
    rank: float | None = None  # its place in the queue; None: the one its discovery gave it
    spellings: tuple[str, ...] = ()  # other ones it was found in


class ModelHost:
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


class ModelTurn(Struct):
    """A live lease."""

    lease: Lease
    host: ModelHost
    row: ModelUrl | None  # None: a bare turn
    before: HostClock


def ready_at(host: ModelHost, settings: Politeness) -> float:
    """Return when a host may be leased, as far as its clock, its policy and its leases go; infinite: not for now."""
    if host.policy.paused or host.policy.blocked:
        return inf
    if host.leased >= connections_of(host.policy, host.clock, settings):
        return inf
    return max(host.clock.next_time, host.clock.blocked_until, host.since)


def due_at(host: ModelHost, ready: float) -> float:
    """Return when a host that is ready then, and has waiting URLs, gives the first of them."""
    return max(ready, 0.0 if any(host.queues) else host.later[0][0])


def may_have_asked(host: ModelHost, settings: Politeness, now: float) -> None:
    """Move a host's clock because nobody knows whether a request was sent, or when."""
    host.clock = after_lease(host.clock, delay_of(host.policy, host.clock, settings), now)


def lease_of(
    count: int, worker: Whose, host: ModelHost, row: ModelUrl | None, now: float, until: float, delay: float, connections: int
) -> Lease:
    """Return a lease at a host whose clock was moved for it."""
    entry = Entry("", "", host.name) if row is None else row.entry
    return Lease(
        token=token_of(home(entry.group), count),
        worker=worker if isinstance(worker, str) else worker(host.name, connections, delay),
        entry=entry,
        leased_at=now,
        until=until,
        attempts=0 if row is None else row.attempts,
        returns=0 if row is None else row.returns,
        again=row is not None and is_again(row.queue),
        due=None if row is None else row.due,
        discovered_at=0.0 if row is None else row.discovered_at,
        delay=delay,
        max_connections=connections,
        policy=host.policy,
        clock=host.clock,
    )


def promoted(host: ModelHost, row: ModelUrl, score: float, priority: int) -> bool:
    """Let a waiting URL that was never fetched be worth more, in its queue or for when its date has come; False: it is not."""
    place = rank(row.entry.score, row.discovered_at) if row.rank is None else row.rank
    if row.queue == LAST:
        return False
    better = min(place, rank(score, row.discovered_at))
    queue = row.queue if host.policy.priority is not None else min(row.queue, priority)
    if (queue, better) == (row.queue, place):
        return False
    stood = (place, row.sequence, row.entry.key)
    if stood in host.queues[row.queue]:
        host.queues[row.queue].remove(stood)
        insort(host.queues[queue], (better, row.sequence, row.entry.key))
    row.queue, row.rank = queue, better
    return True


def pick(
    hosts: Iterable[ModelHost], ready_at: Callable[[ModelHost], float], shares: QueueOrder, patience: float, now: float
) -> tuple[ModelHost, int] | None:
    """Return the host whose turn it is, and the queue its URL is taken from; None: nobody's."""
    ready = sorted((ready_at(host), host.number, host) for host in hosts if any(host.queues))
    chosen = [host for time, _, host in ready if time <= now]
    if ready and ready[0][0] <= now - patience:
        chosen = chosen[:1]
    queues = [queue for queue in QUEUES if any(host.queues[queue] for host in chosen)]
    if not queues:
        return None
    queue = shares.choose(queues)
    return next(host for host in chosen if host.queues[queue]), queue


def placed(host: ModelHost, row: ModelUrl, settlement: Settlement, now: float) -> None:
    """Give a URL whose lease ends the place that the settlement says, if it says one."""
    if settlement.fate is Fate.AGAIN:
        come_again(host, row, settlement.due or now, settlement.score)
    elif settlement.fate is Fate.DEFERRED and settlement.score is not None:
        row.rank = rank(settlement.score, row.discovered_at)
        row.queue = LAST if host.policy.priority is None else row.queue


def come_again(host: ModelHost, row: ModelUrl, due: float, score: float | None) -> None:
    """Make a URL one that is due again, of the class its host's policy says."""
    priority = class_of(row.queue) if host.policy.priority is None else host.policy.priority
    row.queue = queue_of(priority, again=True)
    row.rank = rank(row.entry.score if score is None else score, due)
    row.attempts = row.returns = 0
    row.due = due
