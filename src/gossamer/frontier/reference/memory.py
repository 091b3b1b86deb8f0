"""The frontier in dicts and sorted lists: the reference that says what every other backend must do.

Written to be obviously right, not fast: a pick looks at every host. It shares no scheduling code with the other backends, only
the rules of `policy` and `order`. What decides the order of leases, to the last tie:

- A host is *ready* at the latest of its `next_time`, its `blocked_until` and `since`, the moment its queues last stopped being
  empty or its last lease ended. Paused, blocked or fully leased hosts are not ready at all.
- URLs whose date has come join their queue when a lease is asked for and their host is ready.
- The queue (kind of work and class) is chosen by `QueueOrder` among those of ready hosts; in it the host ready longest, then
  the one known longest; of that host the URL of least `rank`, then the one discovered first. A host that has been ready for
  longer than `patience` is chosen before that.

Nothing is durable but what `checkpoint` writes; `restore` opens it like any backend opens its store.

It is long because whoever compares another backend with it reads all that a frontier does in one place.
"""

from bisect import insort
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from functools import partial
from math import inf
from pathlib import Path
from random import Random

from msgspec.structs import replace

from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.frontier.gone import is_gone, spelled_otherwise
from gossamer.frontier.listing import in_turn, place_of
from gossamer.frontier.order import QueueOrder, Whose, class_of, is_again, place, rank
from gossamer.frontier.reference.accounts import Accounts
from gossamer.frontier.reference.dump import NAME, Dump, encode, read, saved
from gossamer.frontier.reference.model import (
    ModelHost,
    ModelTurn,
    ModelUrl,
    come_again,
    due_at,
    lease_of,
    may_have_asked,
    pick,
    placed,
    promoted,
    ready_at,
)
from gossamer.frontier.refusal import end_by_host, end_by_verdict
from gossamer.frontier.views import is_not_for_us, known_of, outlook_of, slowest_of, status_of
from gossamer.joints.shelving import Shelving
from gossamer.policy import politeness
from gossamer.policy.standing import state_of
from gossamer.policy.turn import TurnRules
from gossamer.records.entry import Discovered, Entry, LinkKind, Priority
from gossamer.records.host import HostMark, HostOrder, HostPage, HostPolicy, HostState, HostStatus
from gossamer.records.lease import Fate, KnownUrl, Lease, Leases, Settlement
from gossamer.records.location import Location
from gossamer.records.outcome import Outcome, State
from gossamer.records.reason import Reason
from gossamer.records.standing import FrontierStatistics, Outlook, Pending
from gossamer.url.fingerprint import fingerprint
from gossamer.url.spelling import is_spelled, spelled, with_spelling

_STATES = {Fate.DONE: State.DONE, Fate.DEAD: State.DEAD}  # after any other fate a URL waits


class MemoryFrontier:
    """The reference frontier."""

    def __init__(
        self,
        settings: FrontierSettings,
        politeness: Politeness,
        breaker: Breaker,
        lease: float,
        now: float,
        opic: bool = False,
    ) -> None:
        self._settings = settings
        self._politeness = politeness
        self._ready = partial(ready_at, settings=politeness)
        self._rules = TurnRules(politeness, breaker)  # asked each time: the clock of a settlement only spares that
        self._lease = lease
        self._opened = now
        self._shares = QueueOrder(settings.kinds, settings.shares)
        self._urls: dict[str, ModelUrl] = {}
        self._hosts: dict[str, ModelHost] = {}
        self._turns: dict[int, ModelTurn] = {}
        self._accounts = Accounts() if opic else None
        self._sequence = 0
        self._count = 0

    @classmethod
    async def open(
        cls,
        location: Location,
        settings: FrontierSettings,
        politeness: Politeness,
        breaker: Breaker,
        lease: float,
        now: float,
        durable: bool,
        opic: bool,
    ) -> "MemoryFrontier":
        return cls(settings, politeness, breaker, lease, now, opic)

    @classmethod
    async def exists(cls, location: Location) -> bool:
        return False

    # --- URLs in -----------------------------------------------------------------------------------------------------

    async def discover(self, entries: Sequence[Entry], now: float) -> Discovered:
        results = Counter(self._admit(entry, now) for entry in entries)
        return Discovered(new=results["new"], known=results["known"], refused=results["refused"])

    def _admit(self, entry: Entry, now: float) -> str:
        row = self._urls.get(entry.key)
        if row is not None and (entry.refused is not None or not row.refused or row.state is not State.DEAD):
            return "known" if entry.refused is not None or entry.url == row.entry.url else self._spell(entry, row, now)
        if entry.refused is None:
            host = self._host(entry.host)
            end = end_by_host(host.policy, host.waiting, self._settings.max_waiting)
            if end is None:
                self._sequence += 1
                priority = entry.priority if host.policy.priority is None else host.policy.priority
                self._urls[entry.key] = ModelUrl(entry, State.WAITING, priority, self._sequence, now)
                if self._accounts is not None:
                    self._accounts.enter(entry.key, entry.kind is LinkKind.SEED)
                self._queue(host, self._urls[entry.key], now)
                return "new"
        else:
            end = end_by_verdict(entry.refused)
        if row is not None:
            return "known"
        outcome, reason = end
        self._urls[entry.key] = ModelUrl(entry, State.DEAD, discovered_at=now, refused=True, outcome=outcome, reason=reason)
        return "refused"

    def _spell(self, entry: Entry, row: ModelUrl, now: float) -> str:
        """Take note of another spelling of a known URL; enter it if that one is gone."""
        if is_spelled(entry.key):
            return "known"
        if row.state is State.DEAD and row.outcome is Outcome.GONE:
            return self._admit(replace(entry, key=spelled(entry.url)), now)
        row.spellings = with_spelling(row.spellings, entry.url)
        return "known"

    def _host(self, name: str) -> ModelHost:
        return self._hosts.setdefault(name, ModelHost(name, len(self._hosts) + 1))

    def _queue(self, host: ModelHost, row: ModelUrl, since: float) -> None:
        if not any(host.queues):
            host.since = max(host.since, since)
        insort(host.queues[row.queue], self._place(row))

    def _place(self, row: ModelUrl) -> tuple[float, int, str]:
        key = row.entry.key
        if self._accounts is not None:
            return place(self._accounts.balances[key]), row.sequence, key
        return rank(row.entry.score, row.discovered_at) if row.rank is None else row.rank, row.sequence, key

    def _wait(self, host: ModelHost, row: ModelUrl, now: float) -> None:
        """Put a URL back among the waiting, into its old place or to wait for its date."""
        row.state = State.WAITING
        if row.due is not None and row.due > now:
            insort(host.later, (row.due, row.sequence, row.entry.key))
        else:
            self._queue(host, row, now)

    def _unqueue(self, host: ModelHost, key: str) -> None:
        for queue in (*host.queues, host.later):
            queue[:] = [place for place in queue if place[2] != key]

    # --- turns out ---------------------------------------------------------------------------------------------------

    async def lease(self, worker: Whose, limit: int, now: float) -> Leases:
        self._return_expired(now)
        self._wake(now)
        leases: list[Lease] = []
        shares, patience = self._shares, self._settings.patience
        while len(leases) < limit and (picked := pick(self._hosts.values(), self._ready, shares, patience, now)) is not None:
            host, queue = picked
            row = self._urls[host.queues[queue].pop(0)[2]]
            row.state = State.LEASED
            leases.append(self._take(worker, host, row, now))
        return Leases(tuple(leases), self._next_time(now))

    async def time(self) -> float | None:
        return None

    async def reserve(self, worker: str, host: str, now: float) -> Lease | None:
        asked = self._host(host)
        return self._take(worker, asked, None, now) if self._ready(asked) <= now else None

    def _take(self, worker: Whose, host: ModelHost, row: ModelUrl | None, now: float) -> Lease:
        before = host.clock
        delay = politeness.delay_of(host.policy, before, self._politeness)
        host.clock = politeness.after_lease(before, delay, now)
        host.leased += 1
        self._count += 1
        connections = politeness.connections_of(host.policy, before, self._politeness)
        lease = lease_of(self._count, worker, host, row, now, now + self._lease, delay, connections)
        self._turns[lease.token] = ModelTurn(lease, host, row, before)
        return lease

    def _return_expired(self, now: float) -> None:
        for turn in [turn for turn in self._turns.values() if turn.lease.until <= now]:
            self._return(turn, now)

    async def abandon(self, worker: str, now: float) -> int:
        turns = [turn for turn in self._turns.values() if turn.lease.worker == worker]
        for turn in turns:
            self._return(turn, now)
        return len(turns)

    def _return(self, turn: ModelTurn, now: float) -> None:
        host, row = turn.host, turn.row
        del self._turns[turn.lease.token]
        host.leased -= 1
        host.since = now
        may_have_asked(host, self._politeness, now)
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
        soonest = min([due_at(host, self._ready(host)) for host in waiting], default=inf)
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
            host.clock = self._rules.clock_after(host.clock, host.policy, settlement.answer, now)
        elif settlement.outcome is Outcome.BUG:
            may_have_asked(host, self._politeness, now)
        elif host.clock == turn.lease.clock:
            host.clock = turn.before
        if row is not None and row.state is State.LEASED:
            if self._accounts is not None:
                self._accounts.settle(row.entry.key, settlement.fate, settlement.links)
            row.state = _STATES.get(settlement.fate, State.WAITING)
            row.outcome, row.reason, row.due = settlement.outcome, settlement.reason, settlement.due
            row.settled_at = now
            row.attempts += settlement.fate is Fate.RETRY
            placed(host, row, settlement, now)
            if row.state is State.WAITING:
                self._wait(host, row, now)
        is_lost = row is not None and row.state is State.DEAD and is_gone(settlement.fate, settlement.outcome)
        others = spelled_otherwise(row.entry, row.spellings) if row is not None and is_lost else []
        for entry in (*others, *settlement.discovered):
            self._admit(entry, now)
        for key in [] if self._accounts is None else self._accounts.hand_out():
            row = self._urls[key]
            for queue in self._hosts[row.entry.host].queues:
                queue[:] = sorted(self._place(row) if each[2] == key else each for each in queue)
        return True

    async def revisit(self, dates: Sequence[tuple[str, float]], now: float) -> int:
        return sum(self._revisit(key, due, now) for key, due in dates)

    def _revisit(self, key: str, due: float, now: float) -> bool:
        row = self._urls.get(key)
        if row is None or row.refused or row.state in (State.LEASED, State.REMOVED):
            return False
        host = self._host(row.entry.host)
        if row.state is State.WAITING:
            if not is_again(row.queue) or row.due is None or row.due <= due:
                return False
            self._unqueue(host, key)
        if self._accounts is not None and row.state is State.DEAD:
            self._accounts.enter(key, False)
        come_again(host, row, due, None)
        self._wait(host, row, now)
        return True

    async def promote(self, worth: Sequence[tuple[int, float, Priority]]) -> int:
        wanted = {name: (score, priority) for name, score, priority in worth} if self._accounts is None else {}
        fresh = [row for row in self._urls.values() if row.state is State.WAITING and not is_again(row.queue)]
        chosen = [(row, wanted.get(fingerprint(row.entry.key))) for row in fresh]
        return sum(promoted(self._hosts[row.entry.host], row, *new) for row, new in chosen if new is not None)

    # --- what an operator decides ------------------------------------------------------------------------------------

    async def block(self, host: str, until: float, reason: Reason | None) -> None:
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
        if self._accounts is not None:
            self._accounts.leave(key)
        return True

    async def drop(self, host: str) -> int:
        keys = [key for key, row in self._urls.items() if row.entry.host == host and row.state is State.WAITING]
        for key in keys:
            await self.remove(key)
        return len(keys)

    # --- what it knows -----------------------------------------------------------------------------------------------

    async def lookup(self, key: str) -> KnownUrl | None:
        row = self._urls.get(key)
        return None if row is None else self._known(row)

    async def names(self, fingerprints: Sequence[int]) -> list[str]:
        urls = {fingerprint(key): row.entry.url for key, row in self._urls.items()}
        return [urls.get(each, "") for each in fingerprints]

    async def known(self, state: State | None = None) -> AsyncIterator[KnownUrl]:
        for row in list(self._urls.values()):
            if state is None or row.state is state:
                yield self._known(row)

    def _known(self, row: ModelUrl) -> KnownUrl:
        live = row.state is State.LEASED
        lease = next(turn.lease for turn in self._turns.values() if turn.row is row) if live else None
        credit = None if self._accounts is None else self._accounts.of(row.entry.key)
        return known_of(row.entry, row.discovered_at, row, lease, credit)

    async def host(self, host: str) -> HostStatus | None:
        return self._status(self._hosts[host]) if host in self._hosts else None

    async def hosts(self) -> AsyncIterator[HostStatus]:
        for host in list(self._hosts.values()):
            yield self._status(host)

    async def list_hosts(
        self, order: HostOrder, after: HostMark | None, limit: int, now: float, state: HostState | None = None, prefix: str = ""
    ) -> HostPage:
        turns = [(host, due_at(host, self._ready(host)) if host.waiting else inf) for host in self._hosts.values()]
        places = sorted(
            (place_of(order, host.waiting, turn), host.name)
            for host, turn in turns
            if host.name.startswith(prefix) and (state is None or state_of(host.policy, host.clock, host.waiting, now) is state)
        )
        rest = [each for each in places if after is None or each > (after.place, after.host)]
        hosts = tuple(self._status(self._hosts[name]) for _, name in rest[:limit])
        return HostPage(hosts, HostMark(*rest[limit - 1]) if len(rest) > limit else None)

    async def waiting_of(self, host: str, limit: int) -> list[KnownUrl]:
        asked = self._hosts.get(host)
        if asked is None:
            return []
        turns = QueueOrder(self._settings.kinds, self._settings.shares)
        places = [*in_turn(asked.queues, turns, limit), *asked.later]
        return [self._known(self._urls[key]) for _, _, key in places[:limit]]

    async def pending(self) -> Pending:
        hosts = self._hosts.values()
        counts = Counter(class_of(queue) for host in hosts for queue, places in enumerate(host.queues) for _ in places)
        classes = {priority.name.lower(): counts[priority] for priority in Priority}
        return Pending(**classes, later=sum(len(host.later) for host in hosts))

    async def sample(self, count: int, seed: int) -> list[KnownUrl]:
        rows = list(self._urls.values())
        return [self._known(row) for row in Random(seed).sample(rows, min(count, len(rows)))]

    async def known_by(self, fingerprints: Sequence[int]) -> list[KnownUrl | None]:
        rows = {fingerprint(key): row for key, row in self._urls.items()}
        return [self._known(rows[each]) if each in rows else None for each in fingerprints]

    def _status(self, host: ModelHost) -> HostStatus:
        return status_of(host.name, host.waiting, host.leased, host.policy, host.clock, self._politeness)

    async def statistics(self) -> FrontierStatistics:
        states = Counter(row.state for row in self._urls.values())
        hosts = sum(1 for host in self._hosts.values() if host.waiting or host.leased)
        accounts = self._accounts
        credit = {"credit": accounts.minted, "lambda_credit": accounts.bank.lambda_credit} if accounts else {}
        refused = sum(map(is_not_for_us, self._urls.values()))
        dead = {"failed": states[State.DEAD] - refused, "not_for_us": refused}
        return FrontierStatistics(**{state.value: states[state] for state in State}, **dead, **credit, hosts=hosts)

    async def outlook(self, most: int) -> Outlook:
        hosts = [host for host in self._hosts.values() if host.waiting or host.leased]
        times = [(due_at(host, self._ready(host)), host.number, self._status(host)) for host in hosts if host.waiting]
        next_time, _, first = min(times, default=(inf, 0, None))
        slowest = slowest_of(map(self._status, hosts)) if len(hosts) <= most else None
        return outlook_of(None if next_time == inf else first, next_time, slowest)

    # --- keeping -----------------------------------------------------------------------------------------------------

    async def checkpoint(self, target: Shelving) -> None:
        hosts = {host.name: saved(host.number, host.policy, host.clock) for host in self._hosts.values()}
        later = {key for host in self._hosts.values() for _, _, key in host.later}
        dump = Dump(list(self._urls.values()), hosts, later, self._sequence, self._count, self._accounts)
        await target.put(NAME, [encode(dump)])

    @classmethod
    def restore(
        cls,
        source: Path,
        settings: FrontierSettings,
        politeness: Politeness,
        breaker: Breaker,
        lease: float,
        now: float,
        opic: bool = False,
    ) -> "MemoryFrontier":
        """Open what `checkpoint` wrote; live leases come back, every host waits one delay."""
        frontier = cls(settings, politeness, breaker, lease, now, opic)
        frontier._load(read(source))
        return frontier

    def _load(self, dump: Dump) -> None:
        self._sequence, self._count, self._accounts = dump.sequence, dump.count, dump.accounts
        for name, known in dump.hosts.items():
            clock = replace(known.clock, recent=int(known.recent))
            delay = politeness.delay_of(known.policy, clock, self._politeness)
            self._hosts[name] = ModelHost(
                name, known.number, known.policy, politeness.after_restart(clock, delay, self._opened)
            )
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
