"""The embedded frontier's books: what a call changes in memory and on disk, gathered and written as one batch.

Every change goes through here, so that a row on disk, its place in a queue and the counters cannot come apart: a call changes
what it likes, then `commit` writes the batch with the rows of all touched hosts and the counters. A waiting URL has two equal
rows, one under its slot and one in its queue, so that a lease needs one read and mostly none.
"""

from math import inf

from gossamer import faults
from gossamer.config.sections import Politeness
from gossamer.frontier.ahead import ReadAhead
from gossamer.frontier.keys import (
    HOSTS,
    LEASES,
    META,
    host_key,
    host_name,
    host_queues,
    later_key,
    later_prefix,
    lease_key,
    queue_key,
    url_key,
)
from gossamer.frontier.order import rank
from gossamer.frontier.rows import (
    HostRow,
    LeaseRow,
    Meta,
    UrlRow,
    decode_host,
    decode_lease,
    decode_url,
    encode,
    encode_host,
)
from gossamer.frontier.schedule import NO_POLICY, Host, Schedule
from gossamer.frontier.seen import Seen
from gossamer.frontier.store import Store
from gossamer.policy.politeness import after_restart, delay_of
from gossamer.records import Priority, State


class Ledger:
    """Rows, queues, hosts and counters of one open store."""

    def __init__(self, store: Store, meta: Meta, seen: Seen, schedule: Schedule, politeness: Politeness, now: float) -> None:
        self.meta = meta
        self.seen = seen
        self.schedule = schedule
        self._store = store
        self._ahead = ReadAhead(store)
        self._politeness = politeness
        self._opened = now
        self._batch = store.batch()
        self._touched: set[Host] = set()

    # --- the batch ---------------------------------------------------------------------------------------------------

    def touch(self, host: Host) -> None:
        """Note that a host changed; it is written and placed by `commit`."""
        self._touched.add(host)

    def is_clean(self) -> bool:
        """Tell whether there is nothing to write."""
        return not self._touched and self._batch.is_empty()

    def commit(self, placed: bool = False) -> None:
        """Write everything since the last commit, as one; the caller may have placed the touched hosts already."""
        batch = self._batch
        for host in self._touched:
            batch.put(host_key(host.name), encode_host(self._row(host)))
            if placed:
                continue
            self.schedule.place(host)
            if not host.leased and not host.waiting:
                self.schedule.retire(host)
        batch.put(META, encode(self.meta))
        self._store.write(batch)
        self._batch = self._store.batch()
        self._touched.clear()
        self.seen.written()

    # --- hosts -------------------------------------------------------------------------------------------------------

    def host(self, name: str) -> Host | None:
        """Return a host that is known, from memory or from disk."""
        host = self.schedule.hosts.get(name)
        if host is None:
            raw = self._store.get(host_key(name))
            if raw is not None:
                host = self.revive(name, decode_host(raw))
        return host

    def acquire(self, name: str) -> Host:
        """Return a host to change, known or new, and keep it in memory; `commit` lets go of it when it has no work."""
        host = self.schedule.hosts.get(name)
        if host is None:
            host = self.host(name)
            if host is None:
                self.meta.number += 1
                host = Host(name, self.meta.number)
            self.schedule.hosts[name] = host
        self._touched.add(host)
        return host

    def revive(self, name: str, row: HostRow) -> Host:
        """Make a host of its row; one that was written before this opening waits one delay from there."""
        policy, clock = row.policy or NO_POLICY, row.clock
        if row.opening != self.meta.opening:
            clock = after_restart(clock, delay_of(policy, clock, self._politeness), self._opened)
        host = Host(name, row.number, policy, clock)
        host.high, host.medium, host.low = row.high, row.medium, row.low
        host.later, host.first_due = row.later, row.first_due
        return host

    def _row(self, host: Host) -> HostRow:
        policy = None if host.policy is NO_POLICY else host.policy
        opening = self.meta.opening
        return HostRow(host.number, host.high, host.medium, host.low, host.later, host.first_due, opening, policy, host.clock)

    # --- URLs --------------------------------------------------------------------------------------------------------

    def write(self, row: UrlRow) -> bytes:
        """Write a URL's row."""
        raw = encode(row)
        self._batch.put(url_key(row.slot), raw)
        self.seen.change(row)
        return raw

    def queue(self, host: Host, row: UrlRow, since: float) -> None:
        """Put a URL into its host's queue, at the place its discovery gave it."""
        self._join(host, row, self.write(row), since)

    def _join(self, host: Host, row: UrlRow, raw: bytes, since: float) -> None:
        if not (host.high or host.medium or host.low):
            host.since = max(host.since, since)
        key = _queue_key(host, row)
        self._batch.put(key, raw)
        self._ahead.push(host.number, row.priority, key, raw, host.queued(row.priority))
        host.count(row.priority, 1)
        self._touched.add(host)

    def postpone(self, host: Host, row: UrlRow, due: float) -> None:
        """Let a URL wait for its date."""
        self._batch.put(later_key(host.number, due, row.sequence), self.write(row))
        host.later += 1
        host.first_due = min(host.first_due, due)
        self._touched.add(host)

    def wake(self, host: Host, now: float) -> None:
        """Move the URLs whose date has come into the queue."""
        host.first_due = inf
        for key, raw in self._store.scan(later_prefix(host.number)):
            row = decode_url(raw)
            if row.due is not None and row.due > now:
                host.first_due = row.due
                break
            self._batch.delete(key)
            host.later -= 1
            self._join(host, row, raw, row.due or 0.0)

    def take(self, host: Host, priority: int) -> UrlRow:
        """Take the first URL out of a queue."""
        key, raw = self._ahead.pop(host.number, priority, host.queued(priority))
        self._batch.delete(key)
        host.count(priority, -1)
        self._touched.add(host)
        return decode_url(raw)

    def withdraw(self, host: Host, row: UrlRow) -> None:
        """Take a waiting URL out of wherever it waits."""
        self._touched.add(host)
        if row.due is not None:
            key = later_key(host.number, row.due, row.sequence)
            if self._store.get(key) is not None:
                self._batch.delete(key)
                host.later -= 1
                host.first_due = self._first_due(host, key)
                return
        key = _queue_key(host, row)
        self._batch.delete(key)
        host.count(row.priority, -1)
        self._ahead.discard(host.number, row.priority, key)

    def empty(self, host: Host) -> list[UrlRow]:
        """Take every waiting URL out of a host's queues."""
        rows = []
        for prefix in (host_queues(host.number), later_prefix(host.number)):
            for key, raw in self._store.scan(prefix):
                self._batch.delete(key)
                rows.append(decode_url(raw))
        for priority in Priority:
            self._ahead.forget(host.number, priority)
        host.high = host.medium = host.low = host.later = 0
        host.first_due = inf
        self._touched.add(host)
        return rows

    def _first_due(self, host: Host, gone: bytes) -> float:
        rest = (raw for key, raw in self._store.scan(later_prefix(host.number)) if key != gone)
        row = next(map(decode_url, rest), None)
        return inf if row is None or row.due is None else row.due

    # --- leases ------------------------------------------------------------------------------------------------------

    def open_lease(self, token: int, host: Host, row: UrlRow | None) -> None:
        """Note a lease, to be given back when the store is opened again before it ended."""
        self._batch.put(lease_key(token), encode(LeaseRow(host.name, None if row is None else row.slot)))

    def close_lease(self, token: int) -> None:
        """Forget a lease."""
        self._batch.delete(lease_key(token))

    def recover(self) -> None:
        """Bring the hosts with work into memory and give every live lease back."""
        self.meta.opening += 1
        for key, raw in self._store.scan(HOSTS):
            host = self.revive(host_name(key), decode_host(raw))
            if host.waiting:
                self.schedule.hosts[host.name] = host
                self.schedule.place(host)
        for key, raw in self._store.scan(LEASES):
            self._batch.delete(key)
            lease = decode_lease(raw)
            if lease.slot is not None:
                self._give_back(lease)
        faults.reach("during-recovery")
        self.commit()

    def _give_back(self, lease: LeaseRow) -> None:
        raw = self._store.get(url_key(lease.slot or 0))
        row = None if raw is None else decode_url(raw)
        if row is not None and row.state is State.WAITING:
            row.returns += 1
            self.meta.leased -= 1
            self.meta.waiting += 1
            self.queue(self.acquire(lease.host), row, 0.0)


def _queue_key(host: Host, row: UrlRow) -> bytes:
    return queue_key(host.number, row.priority, rank(row.entry.score, row.discovered_at), row.sequence)
