"""The live leases of the embedded frontier: who owns which turn, until when, and what to undo when it was not used."""

from collections import deque
from collections.abc import Mapping
from math import inf

from msgspec import Struct

from gossamer.config.sections import Politeness
from gossamer.frontier.embedded.ledger import Ledger, lease_row
from gossamer.frontier.embedded.recovery import Held
from gossamer.frontier.layout.host import Host
from gossamer.frontier.layout.keys import reference_in
from gossamer.frontier.layout.line import joined, without
from gossamer.frontier.layout.rows import UrlRow
from gossamer.frontier.layout.sheets import TRIED
from gossamer.frontier.order import Whose, is_again
from gossamer.policy.politeness import after_lease, connections_of, delay_of
from gossamer.records.entry import Entry
from gossamer.records.host import HostClock
from gossamer.records.lease import Lease
from gossamer.records.token import count_in, token_of
from gossamer.url.fingerprint import home

_NONE = Lease(token=0, worker="", entry=Entry("", "", ""), leased_at=0.0, until=0.0)


class Turn(Struct, gc=False, eq=False):
    """A live lease, or one about to be given; without a ticket it is a bare turn."""

    host: Host
    ticket: bytes
    before: HostClock  # the host's before the lease moved it
    after: HostClock
    delay: float
    connections: int
    lease: Lease = _NONE
    first: int = 0  # count of the first lease of the row it stands in; 0: it stands in none
    slot: int = 0
    row: UrlRow | None = None  # None: this is the first lease of its URL, there is no more to know


class Turns:
    """Gives turns, finds them by token or URL, and takes them back; by token means by its count, as there is one partition."""

    def __init__(self, ledger: Ledger, politeness: Politeness, lease: float) -> None:
        self._ledger = ledger
        self._politeness = politeness
        self._lease = lease
        self.live: dict[int, Turn] = {}  # by count
        self._open: dict[int, int] = {}  # first count of a row of leases: how many of them live
        self._ends: deque[tuple[float, int, int]] = deque()  # of leases given together: when they end, first count, how many

    def claim_ready(self, limit: int, now: float) -> list[Turn]:
        """Begin up to so many turns at hosts that are ready, in the order of their turns."""
        schedule, turns = self._ledger.schedule, list[Turn]()
        while len(turns) < limit and (picked := schedule.pick(now)) is not None:
            host, queue = picked
            turn = self.claim(host, self._ledger.take(host, queue), now)
            turns.append(turn)
            if host.leased == turn.connections:
                schedule.occupy(host)
            else:
                schedule.place(host)
        return turns

    def claim(self, host: Host, ticket: bytes, now: float) -> Turn:
        """Begin a turn at a host: its clock moves."""
        if ticket:
            host.out = joined(host.out, ticket) if host.out else ticket
        before, policy, politeness = host.clock, host.policy, self._politeness
        delay = delay_of(policy, before, politeness)
        host.clock = after_lease(before, delay, now)
        host.leased += 1
        return Turn(host, ticket, before, host.clock, delay, connections_of(policy, before, politeness))

    def give(self, worker: Whose, turns: list[Turn], now: float) -> tuple[Lease, ...]:
        """Give the turns that were claimed to a worker; their entries are read all at once."""
        ledger, live = self._ledger, self.live
        first, until = ledger.meta.lease + 1, now + self._lease
        self._open[first] = len(turns)
        self._ends.append((until, first, len(turns)))
        if isinstance(worker, str):
            workers = len(turns) * [worker]
        else:
            workers = [worker(turn.host.name, turn.connections, turn.delay) for turn in turns]
        ledger.open_leases(first, b"".join([lease_row(turn.host.number, turn.ticket) for turn in turns]))
        references = [reference_in(turn.ticket) for turn in turns]
        rows = iter(ledger.rows_at([reference for reference in references if reference & TRIED]))
        leases = []
        for count, (turn, whose, reference, written) in enumerate(
            zip(turns, workers, references, ledger.sheets.read(references), strict=True), first
        ):
            turn.first, turn.slot = first, written.slot
            if reference & TRIED:
                turn.row = next(rows)
            turn.lease = lease = _lease_of(count, whose, turn, written.entry, now, until, written.discovered_at)
            live[count] = turn
            leases.append(lease)
        ledger.meta.lease += len(turns)
        return tuple(leases)

    def go_on(self, before: "Turns", going: Mapping[int, Turn], held: list[Held]) -> None:
        """Take over turns of `before` that go on, by count: the URLs of those that are `held` are out, the others are bare.

        Nobody knows any more what the clocks of their hosts were, so one that is not used gives nothing back.
        """
        told = self._ledger.told([reference_in(ticket) for *_, ticket in held])
        for (count, first, host, ticket), (row, written) in zip(held, told, strict=True):
            self._take_over(going[count].lease, host, ticket, first, written.slot, row)
            self._open[first] = self._open.get(first, 0) + 1
        bare = [turn.lease for turn in going.values() if not turn.ticket]
        for lease in bare:
            host = self._ledger.touch(self._ledger.acquire(lease.entry.host))
            host.leased += 1
            self._take_over(lease, host, b"")
        ends = [end for end in before._ends if end[1] in self._open]
        self._ends.extend(sorted([*ends, *((lease.until, count_in(lease.token), 1) for lease in bare)]))

    def _take_over(
        self, lease: Lease, host: Host, ticket: bytes, first: int = 0, slot: int = 0, row: UrlRow | None = None
    ) -> None:
        made = Turn(host, ticket, host.clock, host.clock, lease.delay, lease.max_connections, lease, first, slot, row)
        self.live[count_in(lease.token)] = made

    def give_bare(self, worker: str, host: Host, now: float) -> Lease:
        """Give a turn at a host, without a URL."""
        turn, meta = self.claim(host, b"", now), self._ledger.meta
        meta.lease += 1
        turn.lease = _lease_of(meta.lease, worker, turn, Entry("", "", host.name), now, now + self._lease, 0.0)
        self.live[meta.lease] = turn
        self._ends.append((turn.lease.until, meta.lease, 1))
        return turn.lease

    def of(self, lease: Lease, now: float) -> Turn | None:
        """Return the turn of a lease if it is still its owner's."""
        turn = self.live.get(count_in(lease.token))
        return turn if turn is not None and turn.lease.worker == lease.worker and turn.lease.until > now else None

    def at(self, slot: int) -> Turn | None:
        """Return the turn of a leased URL; rarely asked for, so there is no index."""
        return next((turn for turn in self.live.values() if turn.slot == slot and turn.ticket), None)

    def leases(self) -> dict[int, Lease]:
        """Return the lease of every leased URL by its slot."""
        return {turn.slot: turn.lease for turn in self.live.values() if turn.ticket}

    def slots(self) -> set[int]:
        """Return the slots of all leased URLs, and 0 for turns without one."""
        return {turn.slot for turn in self.live.values()}

    def end(self, turn: Turn, now: float) -> None:
        """End a turn; its host is ready again from now on, if its clock says so."""
        host, first, opened = turn.host, turn.first, self._open
        del self.live[count_in(turn.lease.token)]
        host.leased -= 1
        host.since = now
        self._ledger.touch(host)
        if turn.ticket:
            host.out = without(host.out, turn.ticket)
        if first:
            opened[first] -= 1
            if not opened[first]:
                del opened[first]
                self._ledger.close_leases(first)

    def bare(self, turn: Turn) -> None:
        """Part a turn from its URL: what is left is the request that was sent."""
        turn.host.out = without(turn.host.out, turn.ticket)
        turn.ticket = b""
        self._ledger.changed.add(turn.host)

    def held_by(self, worker: str) -> list[Turn]:
        """Return the turns of a worker, oldest first."""
        return [turn for turn in self.live.values() if turn.lease.worker == worker]

    def expired(self, now: float) -> Turn | None:
        """Return a turn whose end has come."""
        if self.first_end() > now:
            return None
        _, first, count = self._ends[0]
        return next(self.live[each] for each in range(first, first + count) if each in self.live)

    def first_end(self) -> float:
        """Return when the next lease runs out; infinite: there is none."""
        ends = self._ends
        while ends and ends[0][1] not in self._open and ends[0][1] not in self.live:
            ends.popleft()
        return ends[0][0] if ends else inf


def _lease_of(count: int, worker: str, turn: Turn, entry: Entry, now: float, until: float, discovered_at: float) -> Lease:
    row, ticket = turn.row, turn.ticket
    return Lease(
        token=token_of(home(entry.group), count),
        worker=worker,
        entry=entry,
        leased_at=now,
        until=until,
        attempts=0 if row is None else row.attempts,
        returns=0 if row is None else row.returns,
        again=bool(ticket) and is_again(ticket[0]),
        due=None if row is None else row.due,
        discovered_at=discovered_at,
        delay=turn.delay,
        max_connections=turn.connections,
        policy=turn.host.policy,
        clock=turn.after,
    )
