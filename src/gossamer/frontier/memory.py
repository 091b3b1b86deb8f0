"""The frontier in dicts and sorted lists: the reference that says what every other backend must do.

Written to be obviously right, not fast: a pick looks at every host. It shares no scheduling code with the other backends, only
the rules of `policy` and `order`. What decides the order of leases, to the last tie:

- A host is *ready* at the latest of its `next_time`, its `blocked_until` and `since`, the moment its queues last stopped being
  empty or its last lease ended. Paused, blocked or fully leased hosts are not ready at all.
- URLs whose date has come join their queue when a lease is asked for and their host is ready.
- The class is chosen by `Shares` among the classes of ready hosts; in it the host ready longest, then the one known longest;
  of that host the URL of least `rank`, then the one discovered first.

Nothing is durable but what `checkpoint` writes; `restore` opens it like any backend opens its store.
"""

from bisect import insort
from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path

from msgspec import DecodeError, Struct
from msgspec.msgpack import Decoder
from msgspec.structs import replace

from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.errors import StoreError
from gossamer.frontier.order import Shares, rank
from gossamer.frontier.refusal import end_by_host, end_by_verdict
from gossamer.frontier.rows import Url, encode, known_of, status_of
from gossamer.policy import breaker, politeness
from gossamer.records import (
    Discovered,
    Entry,
    Fate,
    FrontierStatistics,
    HostClock,
    HostPolicy,
    HostStatus,
    Known,
    Lease,
    Leases,
    Priority,
    Settlement,
    State,
)

_DUMP = "frontier.msgpack"
_STATES = {Fate.DONE: State.DONE, Fate.DEAD: State.DEAD, Fate.RETRY: State.WAITING, Fate.DEFERRED: State.WAITING}


class _Host:
    def __init__(self, name: str, number: int, policy: HostPolicy = HostPolicy(), clock: HostClock = HostClock()) -> None:
        self.name = name
        self.number = number
        self.policy = policy
        self.clock = clock
        self.queues: tuple[list[tuple[float, int, str]], ...] = ([], [], [])  # by class: rank, sequence, key
        self.later: list[tuple[float, int, str]] = []  # due, sequence, key
        self.leased = 0
        self.since = 0.0

    @property
    def waiting(self) -> int:
        return sum(map(len, self.queues)) + len(self.later)


class _Turn(Struct):
    """A live lease."""

    lease: Lease
    host: _Host
    row: Url | None  # None: a bare turn
    before: HostClock


class _Saved(Struct):
    """A host in a dump."""

    number: int
    policy: HostPolicy
    clock: HostClock
    recent: str  # of the clock: MessagePack has no integers of 100 bits


class _Dump(Struct):
    urls: list[Url]
    hosts: dict[str, _Saved]
    later: set[str]  # keys of the URLs that wait for a date
    sequence: int
    token: int


class MemoryFrontier:
    """The reference frontier."""

    def __init__(self, settings: FrontierSettings, politeness: Politeness, breaker: Breaker, lease: float, now: float) -> None:
        self._settings = settings
        self._politeness = politeness
        self._breaker = breaker
        self._lease = lease
        self._opened = now
        self._shares = Shares(settings.shares)
        self._urls: dict[str, Url] = {}
        self._hosts: dict[str, _Host] = {}
        self._turns: dict[int, _Turn] = {}
        self._sequence = 0
        self._token = 0

    # --- URLs in -----------------------------------------------------------------------------------------------------

    async def discover(self, entries: Sequence[Entry], now: float) -> Discovered:
        results = Counter(self._admit(entry, now) for entry in entries)
        return Discovered(new=results["new"], known=results["known"], refused=results["refused"])

    def _admit(self, entry: Entry, now: float) -> str:
        row = self._urls.get(entry.key)
        if row is not None and (entry.refused is not None or not row.refused or row.state is not State.DEAD):
            return "known"
        if entry.refused is None:
            host = self._host(entry.host)
            end = end_by_host(host.policy, host.waiting, self._settings.max_waiting)
            if end is None:
                self._sequence += 1
                priority = entry.priority if host.policy.priority is None else host.policy.priority
                self._urls[entry.key] = Url(entry, State.WAITING, priority, self._sequence, now)
                self._queue(host, self._urls[entry.key], now)
                return "new"
        else:
            end = end_by_verdict(entry.refused)
        if row is not None:
            return "known"
        outcome, reason = end
        self._urls[entry.key] = Url(entry, State.DEAD, discovered_at=now, refused=True, outcome=outcome, reason=reason)
        return "refused"

    def _host(self, name: str) -> _Host:
        return self._hosts.setdefault(name, _Host(name, len(self._hosts) + 1))

    def _queue(self, host: _Host, row: Url, since: float) -> None:
        if not any(host.queues):
            host.since = max(host.since, since)
        insort(host.queues[row.priority], (rank(row.entry.score, row.discovered_at), row.sequence, row.entry.key))

    def _wait(self, host: _Host, row: Url, now: float) -> None:
        """Put a URL back among the waiting, into its old place or to wait for its date."""
        row.state = State.WAITING
        if row.due is not None and row.due > now:
            insort(host.later, (row.due, row.sequence, row.entry.key))
        else:
            self._queue(host, row, now)

    def _unqueue(self, host: _Host, key: str) -> None:
        for queue in (*host.queues, host.later):
            queue[:] = [place for place in queue if place[2] != key]

    # --- turns out ---------------------------------------------------------------------------------------------------

    async def lease(self, worker: str, limit: int, now: float) -> Leases:
        self._return_expired(now)
        self._wake(now)
        leases: list[Lease] = []
        while len(leases) < limit and (picked := self._pick(now)) is not None:
            host, priority = picked
            row = self._urls[host.queues[priority].pop(0)[2]]
            row.state = State.LEASED
            leases.append(self._take(worker, host, row, now))
        return Leases(tuple(leases), self._next_time(now))

    async def reserve(self, worker: str, host: str, now: float) -> Lease | None:
        asked = self._host(host)
        return self._take(worker, asked, None, now) if self._ready(asked) <= now else None

    def _ready(self, host: _Host) -> float:
        if host.policy.paused or host.policy.blocked:
            return inf
        if host.leased >= politeness.connections_of(host.policy, host.clock, self._politeness):
            return inf
        return max(host.clock.next_time, host.clock.blocked_until, host.since)

    def _pick(self, now: float) -> tuple[_Host, int] | None:
        ready = sorted((self._ready(host), host.number, host) for host in self._hosts.values() if any(host.queues))
        hosts = [host for time, _, host in ready if time <= now]
        classes = [priority for priority in Priority if any(host.queues[priority] for host in hosts)]
        if not classes:
            return None
        chosen = self._shares.choose(classes)
        return next(host for host in hosts if host.queues[chosen]), chosen

    def _take(self, worker: str, host: _Host, row: Url | None, now: float) -> Lease:
        before = host.clock
        delay = politeness.delay_of(host.policy, before, self._politeness)
        host.clock = politeness.after_lease(before, delay, now)
        host.leased += 1
        self._token += 1
        lease = Lease(
            token=self._token,
            worker=worker,
            entry=Entry("", "", host.name) if row is None else row.entry,
            leased_at=now,
            until=now + self._lease,
            attempts=0 if row is None else row.attempts,
            returns=0 if row is None else row.returns,
            delay=delay,
            max_connections=politeness.connections_of(host.policy, before, self._politeness),
            policy=host.policy,
            clock=host.clock,
        )
        self._turns[lease.token] = _Turn(lease, host, row, before)
        return lease

    def _return_expired(self, now: float) -> None:
        for turn in [turn for _, turn in sorted(self._turns.items()) if turn.lease.until <= now]:
            self._return(turn, now)

    async def abandon(self, worker: str, now: float) -> int:
        turns = [turn for _, turn in sorted(self._turns.items()) if turn.lease.worker == worker]
        for turn in turns:
            self._return(turn, now)
        return len(turns)

    def _return(self, turn: _Turn, now: float) -> None:
        host = turn.host
        del self._turns[turn.lease.token]
        host.leased -= 1
        host.since = now
        delay = politeness.delay_of(host.policy, host.clock, self._politeness)
        host.clock = politeness.after_lease(host.clock, delay, now)
        self._give_back(host, turn.row, now)

    def _give_back(self, host: _Host, row: Url | None, now: float) -> None:
        if row is not None and row.state is State.LEASED:
            row.returns += 1
            row.state = State.WAITING
            self._queue(host, row, now)

    def _wake(self, now: float) -> None:
        for host in self._hosts.values():
            while self._ready(host) <= now and host.later and host.later[0][0] <= now:
                due, _, key = host.later.pop(0)
                self._queue(host, self._urls[key], due)

    def _next_time(self, now: float) -> float | None:
        waiting = [host for host in self._hosts.values() if host.waiting]
        times = [max(self._ready(host), 0.0 if any(host.queues) else host.later[0][0]) for host in waiting]
        soonest = min(times, default=inf)
        if soonest < inf:
            return max(now, soonest)
        if self._turns:
            return min(turn.lease.until for turn in self._turns.values())
        return inf if waiting else None

    # --- turns back --------------------------------------------------------------------------------------------------

    async def settle(self, settlements: Sequence[Settlement], now: float) -> int:
        return sum(self._settle(settlement, now) for settlement in settlements)

    def _settle(self, settlement: Settlement, now: float) -> bool:
        turn = self._turns.get(settlement.lease.token)
        if turn is None or turn.lease.worker != settlement.lease.worker or turn.lease.until <= now:
            return False
        del self._turns[settlement.lease.token]
        host, row = turn.host, turn.row
        host.leased -= 1
        host.since = now
        if settlement.answer is not None:
            clock = breaker.after_answer(host.clock, settlement.answer, self._breaker, now)
            host.clock = politeness.after_answer(clock, settlement.answer, host.policy, self._politeness)
        elif host.clock == turn.lease.clock:
            host.clock = turn.before
        if row is not None and row.state is State.LEASED:
            row.state = _STATES[settlement.fate]
            row.outcome, row.reason, row.due = settlement.outcome, settlement.reason, settlement.due
            row.settled_at = now
            row.attempts += settlement.fate is Fate.RETRY
            if row.state is State.WAITING:
                self._wait(host, row, now)
        for entry in settlement.discovered:
            self._admit(entry, now)
        return True

    # --- what an operator decides ------------------------------------------------------------------------------------

    async def block(self, host: str, until: float, reason: str) -> None:
        known = self._host(host)
        known.clock = politeness.block(known.clock, until, reason) if until else politeness.lift(known.clock)

    async def pace(self, host: str, seconds: float) -> None:
        known = self._host(host)
        known.clock = politeness.pace(known.clock, seconds, known.policy, self._politeness)

    async def set_policy(self, host: str, policy: HostPolicy) -> None:
        known = self._host(host)
        before, after = (politeness.delay_of(each, known.clock, self._politeness) for each in (known.policy, policy))
        known.policy = policy
        known.clock = politeness.stretch(known.clock, before, after)

    async def remove(self, key: str) -> bool:
        row = self._urls.get(key)
        if row is None:
            return False
        if row.state is State.WAITING:
            self._unqueue(self._hosts[row.entry.host], key)
        row.state = State.REMOVED
        return True

    async def drop(self, host: str) -> int:
        keys = [key for key, row in self._urls.items() if row.entry.host == host and row.state is State.WAITING]
        for key in keys:
            await self.remove(key)
        return len(keys)

    # --- what it knows -----------------------------------------------------------------------------------------------

    async def lookup(self, key: str) -> Known | None:
        row = self._urls.get(key)
        return None if row is None else self._known(row)

    def known(self, state: State | None = None) -> Iterator[Known]:
        for row in list(self._urls.values()):
            if state is None or row.state is state:
                yield self._known(row)

    def _known(self, row: Url) -> Known:
        live = row.state is State.LEASED
        lease = next(turn.lease for turn in self._turns.values() if turn.row is row) if live else None
        return known_of(row.entry, row.discovered_at, row, lease)

    async def host(self, host: str) -> HostStatus | None:
        return self._status(self._hosts[host]) if host in self._hosts else None

    def hosts(self) -> Iterator[HostStatus]:
        return (self._status(host) for host in list(self._hosts.values()))

    def _status(self, host: _Host) -> HostStatus:
        return status_of(host.name, host.waiting, host.leased, host.policy, host.clock, self._politeness)

    def statistics(self) -> FrontierStatistics:
        states = Counter(row.state for row in self._urls.values())
        hosts = sum(1 for host in self._hosts.values() if host.waiting or host.leased)
        return FrontierStatistics(**{state.value: states[state] for state in State}, hosts=hosts)

    # --- keeping -----------------------------------------------------------------------------------------------------

    async def checkpoint(self, target: Path) -> None:
        hosts = {
            host.name: _Saved(host.number, host.policy, replace(host.clock, recent=0), str(host.clock.recent))
            for host in self._hosts.values()
        }
        later = {key for host in self._hosts.values() for _, _, key in host.later}
        _write(target, encode(_Dump(list(self._urls.values()), hosts, later, self._sequence, self._token)))

    @classmethod
    def restore(
        cls, source: Path, settings: FrontierSettings, politeness: Politeness, breaker: Breaker, lease: float, now: float
    ) -> "MemoryFrontier":
        """Open what `checkpoint` wrote; live leases come back, every host waits one delay."""
        try:
            dump = Decoder(_Dump).decode((source / _DUMP).read_bytes())
        except (OSError, DecodeError) as problem:
            raise StoreError(f"no checkpoint can be read in {source}: {problem}") from problem
        frontier = cls(settings, politeness, breaker, lease, now)
        frontier._load(dump)
        return frontier

    def _load(self, dump: _Dump) -> None:
        self._sequence, self._token = dump.sequence, dump.token
        for name, saved in dump.hosts.items():
            clock = replace(saved.clock, recent=int(saved.recent))
            delay = politeness.delay_of(saved.policy, clock, self._politeness)
            self._hosts[name] = _Host(name, saved.number, saved.policy, politeness.after_restart(clock, delay, self._opened))
        for row in dump.urls:
            key, host = row.entry.key, self._hosts.get(row.entry.host)
            self._urls[key] = row
            if row.state is State.LEASED:
                row.returns += 1
                row.state = State.WAITING
            if host is None or row.state is not State.WAITING:
                continue
            if key in dump.later and row.due is not None:
                insort(host.later, (row.due, row.sequence, key))
            else:
                self._queue(host, row, 0.0)

    async def aclose(self) -> None:
        self._turns.clear()


def _write(target: Path, dump: bytes) -> None:
    try:
        target.mkdir(parents=True)
        (target / _DUMP).write_bytes(dump)
    except OSError as problem:
        raise StoreError(f"the checkpoint cannot be written to {target}: {problem.strerror}") from problem
