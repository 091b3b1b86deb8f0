"""The default frontier: RocksDB in a directory, nothing else to install.

    path/store        the rows (`keys.py` says where each stands)
    path/slots        where the entry of each URL stands (`slots.py`); what is missing is read from the store
    path/seen.bloom   the Bloom filter as of the last clean end; built anew when it does not match

Hosts with work live in memory, their URLs stay on disk and are read ahead a few at a time: memory does not grow with the
number of waiting URLs. Each call changes memory and gathers one batch; it returns when the batch is written. If anything goes
wrong in between, memory is not trusted any more, and nothing half-done is ever written. Where the store failed, a full disk
included, every further change is refused: opening the directory again shows the state of the last call that returned. Where a
bug of ours struck, memory is read from the store again at once, as after a restart, except that leases go on (decision 0013).

What a call acknowledges has also reached the disk when it returns, or will within a second (`durability.py`). Turns that are
given out acknowledge nothing: after a power loss they come back, and every host rests for one delay.

It is long because it is all that the joint has, a few lines each; the work is done by the files beside it.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path

from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.durability import Syncing
from gossamer.errors import StoreError
from gossamer.frontier.embedded.admission import Admission
from gossamer.frontier.embedded.endings import Endings, ends_for_good
from gossamer.frontier.embedded.ledger import Ledger
from gossamer.frontier.embedded.moves import Promotions, Removals
from gossamer.frontier.embedded.payments import Payments
from gossamer.frontier.embedded.recovery import read_ledger, recover
from gossamer.frontier.embedded.survey import FrontierSurvey
from gossamer.frontier.embedded.turns import Turn, Turns
from gossamer.frontier.embedded.whole import Trusted, acknowledged, whole
from gossamer.frontier.gone import is_gone
from gossamer.frontier.layout.host import NO_POLICY, Host
from gossamer.frontier.layout.keys import HOSTS
from gossamer.frontier.layout.rows import decode_host
from gossamer.frontier.layout.store import Store, check_version, refuse_emptiness
from gossamer.frontier.order import Whose
from gossamer.frontier.views import known_of, outlook_of, slowest_of, status_of
from gossamer.joints.shelving import Shelving
from gossamer.policy import politeness
from gossamer.records.entry import Discovered, Entry, Priority
from gossamer.records.host import HostMark, HostOrder, HostPage, HostPolicy, HostState, HostStatus
from gossamer.records.lease import KnownUrl, Lease, Leases, Settlement
from gossamer.records.location import Location
from gossamer.records.outcome import State
from gossamer.records.reason import Reason
from gossamer.records.standing import FrontierStatistics, Outlook, Pending
from gossamer.records.token import count_in


class EmbeddedFrontier(Trusted):
    """A frontier in a directory of its own."""

    def __init__(
        self,
        path: Path,
        store: Store,
        ledger: Ledger,
        settings: FrontierSettings,
        politeness: Politeness,
        breaker: Breaker,
        lease: float,
        durable: bool,
    ) -> None:
        super().__init__(path, Syncing(store.sync, durable))
        self._store = store
        self._settings = settings
        self._politeness = politeness
        self._breaker = breaker
        self._lease = lease
        self._take_up(ledger)
        self._now = ledger.opened  # when a turn was last given, or ended
        self._given = ledger.meta.lease  # the last lease that its worker has heard of
        self._ending: Sequence[Turn | None] = ()  # turns that are being ended: should that fail, they go on
        self._closed = False

    def _take_up(self, ledger: Ledger) -> None:
        """Work with what is in memory of a store."""
        self._ledger = ledger
        self._meta = ledger.meta
        self._seen = ledger.seen
        self._schedule = ledger.schedule
        self._admission = Admission(ledger, self._settings.max_waiting)
        self._turns = Turns(ledger, self._politeness, self._lease)
        self._endings = Endings(ledger, self._turns, self._politeness, self._breaker)
        self._promotions = Promotions(ledger, self._turns)
        self._removals = Removals(ledger, self._turns)
        self._survey = FrontierSurvey(ledger, self._turns, self._settings, self._status, self._credit)
        self._payments = None if ledger.credit is None else Payments(ledger.credit, ledger, self._turns)

    def _begin_again(self) -> None:
        """Forget what is in memory and read the store again, which no half-done call has touched; leases go on.

        Every host waits one delay from the last turn on: clocks may have moved that nobody has written down.
        """
        before, opic = self._turns, self._ledger.credit is not None
        turns = (turn for turn in (*self._ending, *before.live.values()) if turn is not None)
        going = {count: turn for turn in turns if (count := count_in(turn.lease.token)) <= self._given}
        ledger = read_ledger(self._path, self._store, self._settings, self._politeness, self._now, opic, self._seen)
        held = recover(ledger, going)
        self._take_up(ledger)
        self._turns.go_on(before, going, held)
        self._ending = ()
        self._commit_changes()

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
    ) -> "EmbeddedFrontier":
        return cls.open_at(location.on_disk, settings, politeness, breaker, lease, now, durable, opic)

    @classmethod
    async def exists(cls, location: Location) -> bool:
        return location.on_disk.exists()

    @classmethod
    def open_at(
        cls,
        path: Path,
        settings: FrontierSettings,
        politeness: Politeness,
        breaker: Breaker,
        lease: float,
        now: float,
        durable: bool = True,
        opic: bool = False,
    ) -> "EmbeddedFrontier":
        """Open the frontier in a directory, or make one there; live leases come back, every host waits one delay.

        `durable`: what a call acknowledged outlives a power loss. `opic`: pages have credit, and the richest of a host is next.
        """
        refuse_emptiness(path)
        store = Store(path / "store", settings.cache)
        ledger = None
        try:
            check_version(store, path)
            ledger = read_ledger(path, store, settings, politeness, now, opic)
            recover(ledger)
        except BaseException:
            if ledger is not None:
                ledger.seen.slots.close()
            store.close()
            raise
        return cls(path, store, ledger, settings, politeness, breaker, lease, durable)

    # --- URLs in -----------------------------------------------------------------------------------------------------

    @acknowledged
    async def discover(self, entries: Sequence[Entry], now: float) -> Discovered:
        counts = self._admission.admit(entries, now)
        self._commit_changes()
        return Discovered(*counts)

    # --- turns out ---------------------------------------------------------------------------------------------------

    @whole
    async def lease(self, worker: Whose, limit: int, now: float) -> Leases:
        self._return_expired(now)
        self._wake(now)
        turns = self._turns.claim_ready(limit, now)
        leases = self._give(worker, turns, now) if turns else ()
        granted = Leases(leases, self._next_time(now))
        self._now, self._given = now, self._meta.lease
        return granted

    def _give(self, worker: Whose, turns: list[Turn], now: float) -> tuple[Lease, ...]:
        self._meta.waiting -= len(turns)
        self._meta.leased += len(turns)
        leases = self._turns.give(worker, turns, now)
        if self._ledger.changed:
            self._ledger.commit()
        else:
            self._ledger.write()
        return leases

    async def time(self) -> float | None:
        return None

    @whole
    async def reserve(self, worker: str, host: str, now: float) -> Lease | None:
        known = self._ledger.host(host)
        if known is not None and self._schedule.ready_at(known) > now:
            return None
        lease = self._turns.give_bare(worker, self._ledger.touch(self._ledger.acquire(host)), now)
        self._ledger.commit()
        self._now, self._given = now, self._meta.lease
        return lease

    @acknowledged
    async def abandon(self, worker: str, now: float) -> int:
        self._ending = turns = self._turns.held_by(worker)
        for turn in turns:
            self._endings.take_back(turn, now)
        self._commit_changes()
        self._ending = ()
        return len(turns)

    def _return_expired(self, now: float) -> None:
        while (turn := self._turns.expired(now)) is not None:
            self._endings.take_back(turn, now)
        self._commit_changes()

    def _wake(self, now: float) -> None:
        for host in self._schedule.woken(now):
            self._ledger.wake(host, now)
        self._commit_changes()  # what comes back is on disk before the queues are read

    def _commit_changes(self) -> None:
        if not self._ledger.is_clean():
            self._ledger.commit()

    def _next_time(self, now: float) -> float | None:
        soonest = self._schedule.next_time()
        if soonest < inf:
            return max(now, soonest)
        if (end := self._turns.first_end()) < inf:
            return end
        return inf if self._meta.waiting else None

    # --- turns back --------------------------------------------------------------------------------------------------

    @acknowledged
    async def settle(self, settlements: Sequence[Settlement], now: float) -> int:
        live = self._turns.live
        self._now, self._ending = now, [live.get(count_in(settlement.lease.token)) for settlement in settlements]
        settled = self._settle_all(settlements, now)
        if settled and self._payments is None:
            self._ledger.commit()
        self._ending = ()
        return settled

    def _settle_all(self, settlements: Sequence[Settlement], now: float) -> int:
        """End the turns that are still their owners', and admit what they led to, together as far as the order allows."""
        settled, found = 0, list[Entry]()
        for settlement in settlements:
            turn = self._turns.of(settlement.lease, now)
            if turn is None:
                continue
            settled += 1
            if self._payments is not None:
                self._settle_and_pay(self._payments, turn, settlement, now)
                continue
            if found and not ends_for_good(settlement):  # a host is full by what was found before
                self._admission.admit(found, now)
                found = []
            self._end(turn, settlement, now)
            found += settlement.discovered
        if found:
            self._admission.admit(found, now)
        return settled

    def _end(self, turn: Turn, settlement: Settlement, now: float) -> None:
        self._endings.settle(turn, settlement, now)
        if turn.ticket and is_gone(settlement.fate, settlement.outcome):
            self._admission.try_others(settlement, turn.slot, now)

    def _settle_and_pay(self, payments: Payments, turn: Turn, settlement: Settlement, now: float) -> None:
        payments.pay(turn, settlement)
        self._end(turn, settlement, now)
        self._admission.admit(settlement.discovered, now)
        payments.hand_out()
        self._ledger.commit()  # the next one may pay what this one found, and lines and rows are read from the store

    @acknowledged
    async def revisit(self, dates: Sequence[tuple[str, float]], now: float) -> int:
        count = 0
        for key, due in dates:
            slot, reference = self._seen.find(key)
            if reference is not None and self._turns.at(slot) is None:
                count += self._endings.revisit(slot, self._ledger.told([reference])[0], due, now)
                self._commit_changes()  # the next key may be the same one, and rows are read from the store
        return count

    @acknowledged
    async def promote(self, worth: Sequence[tuple[int, float, Priority]]) -> int:
        promoted = self._promotions.promote(worth)
        self._commit_changes()
        return promoted

    # --- what an operator decides ------------------------------------------------------------------------------------

    @acknowledged
    async def block(self, host: str, until: float, reason: Reason | None) -> None:
        known = self._ledger.touch(self._ledger.acquire(host))
        known.clock = politeness.block(known.clock, until, reason) if until else politeness.lift(known.clock)
        self._ledger.commit()

    @acknowledged
    async def pace(self, host: str, seconds: float) -> None:
        known = self._ledger.touch(self._ledger.acquire(host))
        known.clock = politeness.pace(known.clock, seconds, known.policy, self._politeness)
        self._ledger.commit()

    @acknowledged
    async def set_policy(self, host: str, policy: HostPolicy) -> None:
        known = self._ledger.touch(self._ledger.acquire(host))
        before, after = (politeness.delay_of(each, known.clock, self._politeness) for each in (known.policy, policy))
        known.policy = NO_POLICY if policy == NO_POLICY else policy
        known.clock = politeness.stretch(known.clock, before, after)
        self._ledger.commit()

    @acknowledged
    async def remove(self, key: str) -> bool:
        slot, reference = self._seen.find(key)
        if reference is None:
            return False
        ((row, _),) = self._ledger.told([reference])
        self._removals.remove(slot, row)
        self._ledger.commit()
        return True

    @acknowledged
    async def drop(self, host: str) -> int:
        known = self._ledger.host(host)
        if known is None or not known.waiting:
            return 0
        dropped = self._removals.drop(host)
        self._ledger.commit()
        return dropped

    # --- what it knows -----------------------------------------------------------------------------------------------

    async def lookup(self, key: str) -> KnownUrl | None:
        slot, reference = self._seen.find(key)
        if reference is None:
            return None
        ((row, written),) = self._ledger.told([reference])
        turn = self._turns.at(slot)
        (credit,) = self._credit([slot])
        return known_of(written.entry, written.discovered_at, row, None if turn is None else turn.lease, credit)

    async def names(self, fingerprints: Sequence[int]) -> list[str]:
        stands = list(map(self._seen.slots.find, fingerprints))
        entries = iter(self._ledger.sheets.read([reference for reference in stands if reference is not None]))
        return ["" if reference is None else next(entries).entry.url for reference in stands]

    async def known(self, state: State | None = None) -> AsyncIterator[KnownUrl]:
        for some in self._ledger.walk():
            leases = self._turns.leases()
            credits = self._credit([written.slot for _, written in some])
            for (row, written), credit in zip(some, credits, strict=True):
                known = known_of(written.entry, written.discovered_at, row, leases.get(written.slot), credit)
                if state is None or known.state is state:
                    yield known

    def _credit(self, slots: Sequence[int]) -> Sequence[int | None]:
        return [None] * len(slots) if self._ledger.credit is None else self._ledger.credit.of(slots)

    async def host(self, host: str) -> HostStatus | None:
        known = self._ledger.host(host)
        return None if known is None else self._status(known)

    async def hosts(self) -> AsyncIterator[HostStatus]:
        held = {host.name: host for host in (*self._schedule.hosts.values(), *self._ledger.resting.values())}
        for host in held.values():
            yield self._status(host)
        for _, raw in self._store.scan(HOSTS):
            row = decode_host(raw)
            if row.name not in held:
                yield self._status(self._ledger.revive(row))

    async def list_hosts(
        self, order: HostOrder, after: HostMark | None, limit: int, now: float, state: HostState | None = None, prefix: str = ""
    ) -> HostPage:
        return await self._survey.list_hosts(order, after, limit, now, state, prefix)

    async def waiting_of(self, host: str, limit: int) -> list[KnownUrl]:
        return self._survey.waiting_of(host, limit)

    async def pending(self) -> Pending:
        return await self._survey.pending()

    async def sample(self, count: int, seed: int) -> list[KnownUrl]:
        return await self._survey.sample(count, seed)

    async def known_by(self, fingerprints: Sequence[int]) -> list[KnownUrl | None]:
        stands = list(map(self._seen.slots.find, fingerprints))
        told = iter(self._survey.told([reference for reference in stands if reference is not None]))
        return [None if reference is None else next(told) for reference in stands]

    def _status(self, host: Host) -> HostStatus:
        return status_of(host.name, host.waiting, host.leased, host.policy, host.clock, self._politeness)

    async def statistics(self) -> FrontierStatistics:
        seen = self._seen
        asked = {"recent_hits": seen.recent_hits, "bloom_misses": seen.bloom_misses, "store_reads": seen.store_reads}
        return self._meta.statistics(len(self._schedule.hosts), **asked)

    async def outlook(self, most: int) -> Outlook:
        schedule = self._schedule
        slowest = slowest_of(map(self._status, schedule.hosts.values())) if len(schedule.hosts) <= most else None
        host = schedule.next_host()
        return outlook_of(None if host is None else self._status(host), schedule.next_time(), slowest)

    # --- keeping -----------------------------------------------------------------------------------------------------

    async def checkpoint(self, target: Shelving) -> None:
        async with target.path(self._path) as copy:
            self._store.checkpoint(copy / "store")
            self._seen.slots.copy(copy / "slots")
            self._seen.save(copy / "seen.bloom")

    async def aclose(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            await self._syncing.aclose()
        finally:
            self._close()

    def _close(self) -> None:
        if self._failed:
            with suppress(StoreError):  # it was raised when it happened
                self._seen.slots.close()
            with suppress(StoreError):
                self._store.close()
            return
        self._failed = True
        with suppress(StoreError):  # without it the next opening takes longer, that is all
            self._seen.save(self._path / "seen.bloom")
            self._seen.slots.keep(self._meta.sequence)
        try:
            self._seen.slots.close()
        finally:
            self._store.close()
