"""The embedded frontier's books: what a call changes in memory and on disk, gathered and written as one batch.

Every change goes through here, so that a row on disk, its place in a line and the counters cannot come apart: a call changes
what it likes, then `commit` writes the batch with a page about all changed hosts and the counters.

A leased URL stays where it waited, as far as the disk is concerned: a lease writes nothing but its number and ticket, in one
row for all leases of a call. What a host's clock was after a lease need not be written either: after a restart every host
waits one delay.
"""

from collections.abc import Iterator
from itertools import islice
from math import inf
from struct import Struct as Packed

from gossamer.config.sections import Politeness
from gossamer.frontier.embedded.credit import Credit
from gossamer.frontier.embedded.schedule import Schedule
from gossamer.frontier.embedded.seen import SeenUrls
from gossamer.frontier.layout.host import NEW_CLOCK, NO_POLICY, Host
from gossamer.frontier.layout.journal import Journal, rows_of
from gossamer.frontier.layout.keys import (
    TICKET,
    host_key,
    host_queues,
    later_key,
    later_prefix,
    lease_key,
    number_key,
    reference_in,
    ticket_of,
    url_key,
)
from gossamer.frontier.layout.line import HostQueues, all_queues, whole
from gossamer.frontier.layout.rows import ELSEWHERE, HostRow, Meta, UrlRow, clock_of, decode_host, encode, url_row
from gossamer.frontier.layout.sheets import TRIED, SheetEntry
from gossamer.frontier.layout.spellings import Spellings
from gossamer.frontier.layout.store import ColumnFamily, Store
from gossamer.frontier.order import rank
from gossamer.policy.politeness import after_restart, delay_of
from gossamer.records.host import HostClock
from gossamer.records.outcome import Outcome, State
from gossamer.records.reason import Reason

_AT_ONCE = 256  # URLs read together when all are walked over
RESTING = 50_000  # hosts without work that are kept at hand: many soon have some again
_dated = Packed(f">d{TICKET}s")  # due, ticket
_lease = Packed(f">Q{TICKET}s")  # number of the host, ticket
lease_row = _lease.pack
leases_in = _lease.iter_unpack


class Ledger:
    """Rows, lines, hosts and counters of one open store."""

    def __init__(
        self, store: Store, meta: Meta, seen: SeenUrls, schedule: Schedule, politeness: Politeness, now: float
    ) -> None:
        self.meta = meta
        self.seen = seen
        self.sheets = seen.sheets
        self.schedule = schedule
        self.lines = HostQueues(store)
        self.spellings = Spellings(store)
        self.credit = None if meta.bank is None else Credit(store, meta, meta.bank)  # None: the order is not opic
        self.batch = store.batch()
        self.changed: set[Host] = set()  # to be written by `commit`
        self.resting: dict[str, Host] = {}  # without work, not yet in rows of their own
        self.moved: set[Host] = set()  # to be placed
        self.store = store
        self.journal = Journal(store, meta)
        self._politeness = politeness
        self.opened = now
        self._restarted: dict[HostClock, HostClock] = {}
        self._unvisited = after_restart(NEW_CLOCK, delay_of(NO_POLICY, NEW_CLOCK, politeness), now)  # of most hosts there are

    # --- the batch ---------------------------------------------------------------------------------------------------

    def is_clean(self) -> bool:
        """Tell whether there is nothing to write."""
        return not self.changed and self.batch.is_empty()

    def commit(self) -> None:
        """Write everything since the last commit, as one, and place the changed hosts."""
        batch, changed, schedule = self.batch, self.changed, self.schedule
        schedule.retire(changed, self.moved, self.resting)
        gone = self._put_away() if len(self.resting) > RESTING else []
        for host in self.moved:
            schedule.place(host)
        self.sheets.finish(batch)
        self.journal.write(batch, changed, gone, len(schedule.hosts) + len(self.resting))
        self.write()

    def _put_away(self) -> list[str]:
        """Write a fifth of the resting hosts, those that rest longest, into rows of their own; return their names.

        In the order of their keys: the store puts a row near the last one at half the cost of one anywhere.
        """
        names = sorted(islice(self.resting, len(self.resting) - RESTING * 4 // 5))
        hosts = list(map(self.resting.pop, names))
        self.changed.difference_update(hosts)
        for name, row in zip(names, rows_of(hosts, self.meta.opening), strict=True):
            self.batch.put(host_key(name), row)
        return names

    def write(self) -> None:
        """Write the batch as it is: nothing about hosts or counters."""
        self.store.write(self.batch)
        self.batch = self.store.batch()
        self.changed.clear()
        self.moved.clear()
        self.seen.written(self.meta.sequence)
        self.spellings.written()
        if self.credit is not None:
            self.credit.written()

    # --- hosts -------------------------------------------------------------------------------------------------------

    def host(self, name: str) -> Host | None:
        """Return a host that is known, from memory or from disk."""
        host = self.schedule.hosts.get(name) or self.resting.get(name)
        if host is None and self.seen.may_know(name):
            raw = self.store.get(host_key(name))
            if raw is not None:
                host = self.revive(decode_host(raw))
        return host

    def acquire(self, name: str) -> Host:
        """Return a host to queue URLs for, known or new, and keep it in memory; `commit` lets go of it when it has no work."""
        host = self.schedule.hosts.get(name)
        if host is None:
            host = self.resting.pop(name, None)
            if host is None and not self.seen.is_first_of(name):
                host = self.host(name)
                if host is None:
                    self.seen.add_host()
            if host is None:
                self.meta.number += 1
                host = Host(name, self.meta.number)
            self.schedule.hosts[name] = host
        self.changed.add(host)
        return host

    def touch(self, host: Host) -> Host:
        """Note that a host changed in a way that may move its turn."""
        self.changed.add(host)
        self.moved.add(host)
        return host

    def revive(self, row: HostRow) -> Host:
        """Make a host of its row; one that was written before this opening waits one delay from there."""
        policy, is_before = row.policy or NO_POLICY, row.opening != self.meta.opening
        if is_before and row.clock is None and row.policy is None and not row.recent_high:
            clock = self._unvisited
        else:
            clock = clock_of(row)
            if is_before:
                clock = after_restart(clock, delay_of(policy, clock, self._politeness), self.opened)
                clock = self._restarted.setdefault(clock, clock) if not clock.recent_count else clock  # most are alike
        host = Host(row.name, row.number, policy, clock)
        host.line, host.more = whole(row.line), all_queues(row.more)
        host.later, host.first_due, host.out = row.later, row.first_due, whole(row.leased)
        return host

    @property
    def urls(self) -> ColumnFamily:
        """Return the family of rows that say what became of URLs."""
        return self.store.urls

    # --- URLs --------------------------------------------------------------------------------------------------------

    def put(self, row: UrlRow) -> None:
        """Write what became of a URL."""
        self.batch.put(url_key(row.reference), encode(row), self.urls)

    def end(
        self,
        ticket: bytes,
        state: State,
        attempts: int,
        returns: int,
        lease: int,
        outcome: Outcome | None,
        reason: Reason | None,
        due: float | None,
        settled_at: float | None,
        rank: float | None,
    ) -> None:
        """Write the row of a URL whose lease has ended: a `UrlRow` as a tuple, which is made and encoded in half the time."""
        reference = reference_in(ticket) | TRIED
        row = (reference, state, ticket[0], False, attempts, returns, lease, outcome, reason, due, settled_at, rank)
        self.batch.put(number_key(reference >> 8), encode(row), self.store.urls)

    def queue(self, host: Host, ticket: bytes, since: float) -> None:
        """Put a URL into its host's line, at the place its discovery gave it."""
        if host.line:
            self.lines.push(self.batch, host, ticket)
        else:
            host.line = ticket
            if host.since < since:
                host.since = since
        self.changed.add(host)
        stands = host.stands
        if not stands or not stands >> ticket[0] & 1:
            self.moved.add(host)

    def postpone(self, host: Host, ticket: bytes, due: float) -> None:
        """Let a URL wait for its date."""
        self.batch.put(later_key(host.number, due, reference_in(ticket) >> 8), _dated.pack(due, ticket))
        host.later += 1
        host.first_due = min(host.first_due, due)
        self.touch(host)

    def wake(self, host: Host, now: float) -> None:
        """Move the URLs whose date has come into the line."""
        start = later_key(host.number, host.first_due, 0)  # what stood before is gone, and the store would wade through it
        host.first_due = inf
        self.touch(host)
        for key, raw in self.store.scan(later_prefix(host.number), start):
            due, ticket = _dated.unpack(raw)
            if due > now:
                host.first_due = due
                break
            self.batch.delete(key)
            host.later -= 1
            self.queue(host, ticket, due)

    def take(self, host: Host, queue: int) -> bytes:
        """Lease the first URL of a queue."""
        more = host.more
        ticket = self.lines.pop(self.batch, host, queue)
        if host.more is not more:
            self.changed.add(host)
        return ticket

    def withdraw(self, row: UrlRow) -> None:
        """Take a waiting URL out of wherever it waits."""
        (written,) = self.sheets.read([row.reference])
        host, ticket = self.touch(self.acquire(written.entry.host)), self.ticket_at(row, written)
        if row.due is not None:
            key = later_key(host.number, row.due, row.reference >> 8)
            if self.store.get(key) is not None:
                self.batch.delete(key)
                host.later -= 1
                host.first_due = self._first_due(host, key)
                return
        self.lines.discard(self.batch, host, ticket)

    def advance(self, name: str, row: UrlRow, before: float, after: float) -> None:
        """Let a waiting URL of a host move from a place to one nearer to the front."""
        host, (old, new) = self.acquire(name), (ticket_of(row.queue, place, row.reference) for place in (before, after))
        if row.due is not None:
            key = later_key(host.number, row.due, row.reference >> 8)
            if self.store.get(key) is not None:
                self.batch.put(key, _dated.pack(row.due, new))
                return
        self.lines.advance(self.batch, host, old, new)

    def move(self, host: Host, row: UrlRow, before: bytes, after: bytes) -> None:
        """Give a waiting URL another place, maybe in another queue; writes all so far when the store has to be read for it."""
        if row.due is not None:
            key = later_key(host.number, row.due, row.reference >> 8)
            if self.store.get(key) is not None:
                self.batch.put(key, _dated.pack(row.due, after))
                return
        if self.lines.would_read(host, before):
            self.commit()
        self.lines.discard(self.batch, host, before)
        self.queue(host, after, 0.0)

    def empty(self, host: Host) -> list[bytes]:
        """Take every waiting URL out of a host's lines; return their tickets."""
        tickets = [host.line[at : at + TICKET] for at in range(0, len(host.line), TICKET)]
        for key, _ in self.store.scan(host_queues(host.number)):
            self.batch.delete(key)
            tickets.append(key[-TICKET:])
        for key, raw in self.store.scan(later_prefix(host.number)):
            self.batch.delete(key)
            tickets.append(_dated.unpack(raw)[1])
        host.line, host.more, host.later, host.first_due = b"", None, 0, inf
        self.touch(host)
        return tickets

    def _first_due(self, host: Host, gone: bytes) -> float:
        dates = (_dated.unpack(raw)[0] for key, raw in self.store.scan(later_prefix(host.number)) if key != gone)
        return next(dates, inf)

    # --- leases ------------------------------------------------------------------------------------------------------

    def open_leases(self, first: int, given: bytes) -> None:
        """Note leases, each a `lease_row`, to be given back when the store is opened again before they ended."""
        self.batch.put(lease_key(first), given)

    def close_leases(self, first: int) -> None:
        """Forget leases, all of which have ended."""
        self.batch.delete(lease_key(first))

    def ticket_at(self, row: UrlRow, written: SheetEntry) -> bytes:
        """Return the place of a URL in the line of its host."""
        if self.credit is not None:
            place = self.credit.place(written.slot)
        else:
            place = rank(written.entry.score, written.discovered_at) if row.rank is None else row.rank
        return ticket_of(row.queue, place, row.reference)

    def renewed(self, slot: int, ticket: bytes) -> bytes:
        """Return the ticket of a URL that comes back from a lease, during which it may have been paid."""
        return ticket if self.credit is None else ticket_of(ticket[0], self.credit.place(slot), reference_in(ticket))

    def row(self, reference: int, priority: int = 0) -> UrlRow:
        """Return what became of a URL whose entry stands there, and has that priority."""
        return url_row(self.store.url([url_key(reference)])[0], reference, priority)

    def rows_at(self, references: list[int]) -> list[UrlRow]:
        """Return what became of URLs of which their rows say more than their entries, which stand there."""
        rows = self.store.url(list(map(url_key, references)))
        return [url_row(row, reference, 0) for row, reference in zip(rows, references, strict=True)]

    def rows(self, slots: list[int]) -> list[tuple[UrlRow, SheetEntry]]:
        """Return what became of URLs that are known, and their entries."""
        return self.told([each for each in map(self.seen.slots.find, slots) if each is not None])

    def told(self, references: list[int]) -> list[tuple[UrlRow, SheetEntry]]:
        """Return what became of the URLs whose entries stand there, and their entries."""
        rows, entries = self.store.url([url_key(each) for each in references]), self.sheets.read(references)
        priorities = [written.entry.priority for written in entries]
        return list(zip(map(url_row, rows, references, priorities), entries, strict=True))

    def walk(self) -> Iterator[list[tuple[UrlRow, SheetEntry]]]:
        """Give all known URLs, some at a time, in the order in which they were found."""
        entries = self.sheets.walk()
        while some := list(islice(entries, _AT_ONCE)):
            rows = self.store.url([url_key(reference) for reference, _ in some])
            yield [
                (url_row(row, reference, written.entry.priority), written)
                for row, (reference, written) in zip(rows, some, strict=True)
                if row != ELSEWHERE
            ]


def due_tickets(store: Store, host: Host, limit: int) -> list[bytes]:
    """Return the tickets of the URLs of a host whose dates come first."""
    if limit < 1 or not host.later:
        return []
    return [_dated.unpack(raw)[1] for _, raw in islice(store.scan(later_prefix(host.number)), limit)]
