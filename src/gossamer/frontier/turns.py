"""The live leases of the embedded frontier: who owns which turn, until when, and what to undo when it was not used."""

from heapq import heappop, heappush
from math import inf

from gossamer.config.sections import Politeness
from gossamer.frontier.ledger import Ledger
from gossamer.frontier.rows import UrlRow
from gossamer.frontier.schedule import Host
from gossamer.policy.politeness import after_lease, connections_of, delay_of
from gossamer.records import Entry, HostClock, Lease


class Turn:
    """A live lease; without a row it is a bare turn."""

    __slots__ = ("before", "host", "lease", "row")

    def __init__(self, lease: Lease, host: Host, row: UrlRow | None, before: HostClock) -> None:
        self.lease = lease
        self.host = host
        self.row = row
        self.before = before  # the host's clock before the lease moved it


class Turns:
    """Gives turns, finds them by token or URL, and takes them back."""

    def __init__(self, ledger: Ledger, politeness: Politeness, lease: float) -> None:
        self._ledger = ledger
        self._politeness = politeness
        self._lease = lease
        self._live: dict[int, Turn] = {}
        self._slots: dict[int, Turn] = {}
        self._ends: list[tuple[float, int]] = []  # heap of ends and tokens; of ended leases too, until they come to the top

    def give(self, worker: str, host: Host, row: UrlRow | None, now: float) -> Lease:
        """Give a turn at a host and move its clock."""
        before, policy, meta = host.clock, host.policy, self._ledger.meta
        delay = delay_of(policy, before, self._politeness)
        host.clock = after_lease(before, delay, now)
        host.leased += 1
        meta.token += 1
        lease = Lease(
            token=meta.token,
            worker=worker,
            entry=Entry("", "", host.name) if row is None else row.entry,
            leased_at=now,
            until=now + self._lease,
            attempts=0 if row is None else row.attempts,
            returns=0 if row is None else row.returns,
            delay=delay,
            max_connections=connections_of(policy, before, self._politeness),
            policy=policy,
            clock=host.clock,
        )
        turn = self._live[lease.token] = Turn(lease, host, row, before)
        if row is not None:
            self._slots[row.slot] = turn
        heappush(self._ends, (lease.until, lease.token))
        self._ledger.open_lease(lease.token, host, row)
        return lease

    def of(self, lease: Lease, now: float) -> Turn | None:
        """Return the turn of a lease if it is still its owner's."""
        turn = self._live.get(lease.token)
        return turn if turn is not None and turn.lease.worker == lease.worker and turn.lease.until > now else None

    def at(self, slot: int) -> Turn | None:
        """Return the turn of a leased URL."""
        return self._slots.get(slot)

    def end(self, turn: Turn, now: float) -> None:
        """End a turn; its host is ready again from now on, if its clock says so."""
        del self._live[turn.lease.token]
        if turn.row is not None:
            del self._slots[turn.row.slot]
        turn.host.leased -= 1
        turn.host.since = now
        self._ledger.touch(turn.host)
        self._ledger.close_lease(turn.lease.token)

    def bare(self, turn: Turn) -> None:
        """Part a turn from its URL: what is left is the request that was sent."""
        if turn.row is not None:
            del self._slots[turn.row.slot]
            turn.row = None

    def expired(self, now: float) -> Turn | None:
        """Return a turn whose end has come."""
        return self._live[self._ends[0][1]] if self.first_end() <= now else None

    def first_end(self) -> float:
        """Return when the next lease runs out; infinite: there is none."""
        ends = self._ends
        while ends and ends[0][1] not in self._live:
            heappop(ends)
        return ends[0][0] if ends else inf
