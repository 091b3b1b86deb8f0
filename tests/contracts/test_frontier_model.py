"""The embedded frontier and the reference, driven by the same operations: they must agree on everything, always.

Besides agreeing, four invariants are checked on what both say: a key is in one state and leased to one owner (1, 4), between
two turns of a host there is its delay, with never more turns at once than it has connections (2), and where the order is opic,
all pages and lambda have what was minted, to the unit (5).
"""

import asyncio
import contextlib
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from killing import leave_as_killed
from msgspec.structs import replace

from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.frontier.embedded import ledger, schedule, seen
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.frontier.heap import PureHeap
from gossamer.frontier.layout import journal, line, slots
from gossamer.frontier.order import MINT, QueueOrder
from gossamer.frontier.reference.memory import MemoryFrontier
from gossamer.joints.walks import first
from gossamer.policy import politeness
from gossamer.policy.turn import TurnRules
from gossamer.records.entry import Entry, LinkKind, Priority, Verdict
from gossamer.records.host import HostOrder, HostPolicy
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.outcome import Outcome, State
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.records.token import home_in
from gossamer.storage.shelving import DirectoryShelving
from gossamer.testing.frontier_listing import listed
from gossamer.url.fingerprint import fingerprint, home

START = 1_700_000_000.0
PURE = (
    (schedule, "Heap", PureHeap),
    (slots, "Gathered", slots.PureGathered),
    (slots, "find", slots.pure_find),
    (slots, "merge", slots.pure_merge),
)  # None: the way without a compiler
LEASE = 20.0
MEMORY = Path("/dev/shm")  # hundreds of stores are opened: where files live in memory, that is quick
HOSTS = ("a", "b", "c", "d")
PATHS = tuple(map(str, range(30)))

hosts = st.sampled_from(HOSTS)
verdicts = st.none() | st.just(Verdict(False, because(Rule.SCOPE_WITHIN, site="elsewhere", within="host")))
waits = st.sampled_from((0.0, 0.3, 1.0, 2.5, 7.0, 19.0, 60.0))


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    host, path = draw(hosts), draw(st.sampled_from(PATHS))
    url = f"http://{host}/{path}"
    score = draw(st.sampled_from((0.0, 0.3, 0.3000001, 1.0)))
    refused = draw(verdicts) if draw(st.integers(0, 4)) == 0 else None
    kind = draw(st.sampled_from((LinkKind.ANCHOR, LinkKind.ANCHOR, LinkKind.SEED)))
    wire = url + draw(st.sampled_from(("", "", "/", "?utm_source=x")))
    return Entry(wire, url, host, kind=kind, score=score, priority=draw(st.sampled_from(Priority)), refused=refused)


policies = st.builds(
    HostPolicy,
    max_qps=st.sampled_from((None, 0.2, 10.0)),
    max_connections=st.sampled_from((None, 1, 3)),
    priority=st.sampled_from((None, *Priority)),
    paused=st.sampled_from((False, False, False, True)),
    blocked=st.sampled_from((False, False, False, True)),
)
workers = st.sampled_from(("one", "two"))
hows = st.fixed_dictionaries(
    {
        "fate": st.sampled_from(Fate),
        "outcome": st.sampled_from((Outcome.OK, Outcome.GONE, Outcome.TRAP, Outcome.BUG)),
        "wait": st.none() | waits,
        "used": st.sampled_from((True, True, True, False)),
        "failed": st.sampled_from((False, False, False, True, None)),
        "seconds": st.sampled_from((0.1, 0.1, 1.0, 9.0)),
        "block": st.sampled_from((0.0, 0.0, 0.0, 5.0)),
        "crawl_delay": st.sampled_from((None, None, 3.0)),
        "score": st.sampled_from((None, 0.2, 0.9)),
        "links": st.none() | st.lists(st.builds("http://{}/{}".format, hosts, st.sampled_from(PATHS)), max_size=9),
    }
)


lives = st.tuples(st.sampled_from((Fate.DONE, Fate.DONE, Fate.DEAD, Fate.RETRY)), st.sampled_from((False, False, True, None)))


class BothFrontiers(RuleBasedStateMachine):
    """The model and the real thing."""

    @initialize(
        delay=st.sampled_from((0.0, 1.0)),
        connections=st.sampled_from((1, 2)),
        max_waiting=st.sampled_from((3, 100)),
        recent_keys=st.sampled_from((0, 3, 100)),
        slack=st.sampled_from((0, 3, 100)),
        resting=st.sampled_from((0, 2, 100)),
        many=st.sampled_from((1, 5, 100)),
        compiled=st.booleans(),
        patience=st.sampled_from((2.0, 86400.0)),
        colliding=st.booleans(),
        opic=st.booleans(),
    )
    def begin(
        self,
        delay: float,
        connections: int,
        max_waiting: int,
        recent_keys: int,
        slack: int,
        resting: int,
        many: int,
        compiled: bool,
        patience: float,
        colliding: bool,
        opic: bool,
    ) -> None:
        self.patches = pytest.MonkeyPatch()  # what takes thousands of URLs to happen shall happen with ten
        self.patches.setattr(line, "FEW", 2)
        self.patches.setattr(journal, "SLACK", slack)
        self.patches.setattr(schedule, "SLACK", 0)
        self.patches.setattr(ledger, "RESTING", resting)
        self.patches.setattr(slots, "MANY", many)
        if not compiled:
            for module, name, pure in PURE:
                self.patches.setattr(module, name, pure)
        if colliding:
            self.patches.setattr(seen, "fingerprint", lambda key: fingerprint(key) % 7 + 2**64 - 9)
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp(prefix="frontier-model-", dir=MEMORY if MEMORY.is_dir() else None))
        self.given: tuple[Any, ...] = (
            FrontierSettings(max_waiting=max_waiting, recent_keys=recent_keys, patience=patience, cache=1 << 20),
            Politeness(delay=delay, connections=connections),
            Breaker(failures=2, open_for=30, openings=2, give_up_for=50),
            LEASE,
        )
        self.rules = TurnRules(*self.given[1:3])
        self.opic = opic
        self.colliding = colliding
        self.now = START
        self.openings = 0
        self.model: MemoryFrontier = MemoryFrontier(*self.given, self.now, opic)
        self.real: EmbeddedFrontier = EmbeddedFrontier.open_at(self.folder / "0", *self.given, self.now, False, opic)
        self.leases: list[Lease] = []  # ever given
        self.next_time: float | None = None  # as the last lease said
        self.sent: dict[int, tuple[str, float, float]] = {}  # turns not given back: host, time, delay
        self.turns: dict[int, Lease] = {}  # live, as far as the operations tell
        self.has_lived = False  # hundreds of answers are enough once

    def both(self, method: str, *arguments: Any) -> Any:
        expected = self.loop.run_until_complete(getattr(self.model, method)(*arguments))
        found = self.loop.run_until_complete(getattr(self.real, method)(*arguments))
        assert found == expected, (method, arguments)
        return expected

    def walk(self, items: AsyncIterator[Any]) -> list[Any]:
        return self.loop.run_until_complete(first(items, 1_000_000))

    # --- operations --------------------------------------------------------------------------------------------------

    @rule(found=st.lists(entries(), min_size=1, max_size=12))
    def discover(self, found: list[Entry]) -> None:
        self.both("discover", found, self.now)

    @rule(worker=workers, limit=st.integers(1, 6))
    def lease(self, worker: str, limit: int) -> None:
        for token in [token for token, lease in self.turns.items() if lease.until <= self.now]:
            del self.turns[token]
        before = {each.host: each for each in self.walk(self.model.hosts())}
        given = self.both("lease", worker, limit, self.now)
        for lease in given.leases:
            self.take(lease, before[lease.entry.host].clock.next_time)
        assert given.next_time is None or given.next_time >= self.now
        assert (given.next_time is None) <= (self.loop.run_until_complete(self.model.statistics()).waiting == 0)
        self.next_time = given.next_time

    @precondition(lambda self: self.next_time is not None and self.now < self.next_time < self.now + 500)
    @rule(worker=workers, limit=st.integers(1, 6))
    def lease_when_told(self, worker: str, limit: int) -> None:
        self.now = self.next_time or self.now
        self.lease(worker, limit)

    @rule(worker=workers, hows=st.lists(hows, min_size=1, max_size=4), found=st.lists(entries(), min_size=1, max_size=9))
    def crawl_a_bit(self, worker: str, hows: list[dict[str, Any]], found: list[Entry]) -> None:
        """Do what workers do most of the time: lease, end some, find more, ask again when told."""
        self.both("discover", found[:3], self.now)
        self.lease(worker, 4)
        for lease, how in zip(list(self.turns.values()), hows, strict=False):
            self.now += 0.1
            self.settle([self.settlement(lease, how, found[3:])])
        if self.next_time is not None and self.now < self.next_time < self.now + 500:
            self.now = self.next_time
        self.lease(worker, 2)

    @precondition(lambda self: not self.has_lived)
    @rule(mixture=st.lists(lives, min_size=1, max_size=7), requests=st.integers(110, 250), seconds=st.sampled_from((0.1, 9.0)))
    def a_host_lives_through_hundreds_of_answers(
        self, mixture: list[tuple[Fate, bool | None]], requests: int, seconds: float
    ) -> None:
        """Answers of every kind in any mixture, more of them than are remembered: the clocks that leases tell stay the same."""
        self.has_lived = True
        how = {"outcome": Outcome.OK, "wait": None, "used": True, "seconds": seconds, "block": 0.0, "crawl_delay": None}
        how |= {"score": None, "links": None}
        url = f"http://{HOSTS[0]}/long"
        self.both("discover", [Entry(url, url, HOSTS[0], kind=LinkKind.SEED)], self.now)
        for number in range(requests):
            if self.next_time is not None and self.now < self.next_time < self.now + 500:
                self.now = self.next_time
            self.lease("one", 1)
            fate, failed = mixture[number % len(mixture)]
            mixed = {**how, "fate": fate, "failed": failed}
            self.settle([self.settlement(lease, mixed, []) for lease in self.turns.values() if lease.until > self.now])
            self.both("revisit", [(url, self.now)], self.now)

    def take(self, lease: Lease, next_time: float) -> None:
        assert home_in(lease.token) == home(lease.entry.group)
        assert all(lease.token > other.token for other in self.leases if other.entry.group == lease.entry.group)
        assert all(lease.token != other.token for other in self.leases)
        assert lease.delay == 0 or next_time <= self.now
        assert lease.entry.key not in {other.entry.key for other in self.turns.values() if other.entry.key}
        for host, at, delay in self.sent.values():
            assert host != lease.entry.host or self.now - at > min(delay, lease.delay) - 1e-5
        self.sent[lease.token] = (lease.entry.host, self.now, lease.delay)
        self.leases.append(lease)
        self.turns[lease.token] = lease
        at_once = Counter(other.entry.host for other in self.turns.values())
        assert at_once[lease.entry.host] <= lease.max_connections

    @precondition(lambda self: self.turns)
    @rule(data=st.data(), how=hows, found=st.lists(entries(), max_size=4))
    def settle_one(self, data: st.DataObject, how: dict[str, Any], found: list[Entry]) -> None:
        lease = data.draw(st.sampled_from(list(self.turns.values())))
        self.settle([self.settlement(lease, how, found)])

    @precondition(lambda self: self.turns)
    @rule(how=hows, found=st.lists(entries(), max_size=4))
    def settle_all(self, how: dict[str, Any], found: list[Entry]) -> None:
        self.settle([self.settlement(lease, how, found) for lease in self.turns.values()])

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), how=hows, found=st.lists(entries(), max_size=4), foreign=st.booleans())
    def settle_late_or_twice_or_as_a_stranger(
        self, data: st.DataObject, how: dict[str, Any], found: list[Entry], foreign: bool
    ) -> None:
        settlement = self.settlement(data.draw(st.sampled_from(self.leases)), how, found)
        stranger = replace(settlement, lease=replace(settlement.lease, worker="stranger"))
        self.settle([stranger] if foreign else [settlement, settlement])

    def settlement(self, lease: Lease, how: dict[str, Any], found: list[Entry]) -> Settlement:
        block = (
            {"block_until": self.now + how["block"], "block_reason": because(Rule.POLITENESS_THROTTLED, status=429)}
            if how["block"]
            else {}
        )
        answer = Answer(at=self.now, seconds=how["seconds"], failed=how["failed"], robots_delay=how["crawl_delay"], **block)
        is_computed = how["used"] and lease.token % 3  # by whoever holds the turn; maybe from a clock that has moved since
        return Settlement(
            clock=self.rules.clock_after(lease.clock, lease.policy, answer, self.now) if is_computed else None,
            lease=lease,
            fate=how["fate"],
            outcome=how["outcome"] if how["fate"] is Fate.DEAD else Outcome.OK,
            reason=because(Rule.HTTP_STATUS, status=404),
            due=None if how["wait"] is None else self.now + how["wait"],
            score=how["score"],
            answer=answer if how["used"] else None,
            discovered=tuple(found),
            links=self.links(how["links"]),
        )

    def links(self, urls: list[str] | None) -> tuple[int, ...] | None:
        """Return links by fingerprint; with keys that share theirs nobody could tell whom they mean."""
        return None if urls is None else () if self.colliding else tuple(map(fingerprint, urls))

    def settle(self, settlements: list[Settlement]) -> None:
        expected = 0
        for settlement in settlements:
            live = self.turns.get(settlement.lease.token)
            if live is not None and live.worker == settlement.lease.worker and live.until > self.now:
                expected += 1
                del self.turns[live.token]
                if settlement.answer is None and settlement.outcome is not Outcome.BUG:
                    del self.sent[live.token]
        assert self.both("settle", settlements, self.now) == expected

    @rule(
        which=st.integers(0, 99),
        host=hosts,
        wait=waits,
        seconds=st.sampled_from((0.0, 2.0)),
        policy=policies,
        act=st.integers(0, 12),
    )
    def operator_acts(self, which: int, host: str, wait: float, seconds: float, policy: HostPolicy, act: int) -> None:
        if act == 0:
            self.both("drop", host)
        elif act >= 10:
            self.reserve("one", host)
        elif act <= 2:
            known = sorted(known.entry.key for known in self.walk(self.model.known()))
            self.both("remove", known[which % len(known)] if known else "http://a/")
        elif act == 3:
            self.both("block", host, self.now + wait, because(Rule.POLITENESS_THROTTLED, status=503))
        elif act <= 5:
            self.both("block", host, 0.0, None)
        elif act == 6:
            self.both("pace", host, seconds)
        else:
            self.both("set_policy", host, policy if act == 7 else HostPolicy())

    @rule(which=st.lists(st.integers(0, 99), min_size=1, max_size=3), wait=waits)
    def some_are_due_again(self, which: list[int], wait: float) -> None:
        known = sorted(known.entry.key for known in self.walk(self.model.known())) or ["http://a/"]
        self.both("revisit", [(known[each % len(known)], self.now + wait) for each in which], self.now)

    @rule(
        which=st.lists(st.integers(0, 99), min_size=1, max_size=9),
        scores=st.lists(st.sampled_from((0.0, 0.3, 0.5, 0.8)), min_size=9, max_size=9),
        priority=st.sampled_from(Priority),
    )
    def some_are_worth_more(self, which: list[int], scores: list[float], priority: Priority) -> None:
        known = sorted(known.entry.key for known in self.walk(self.model.known())) or ["http://a/"]
        names = [] if self.colliding else [fingerprint(known[each % len(known)]) for each in which]
        self.both("promote", [(name, score, priority) for name, score in zip(names, scores, strict=False)])

    def reserve(self, worker: str, host: str) -> None:
        status = self.loop.run_until_complete(self.model.host(host))
        lease = self.both("reserve", worker, host, self.now)
        if lease is not None:
            self.take(lease, 0.0 if status is None else status.clock.next_time)

    @rule(worker=workers)
    def a_worker_is_gone(self, worker: str) -> None:
        left = [token for token, lease in self.turns.items() if lease.worker == worker]
        assert self.both("abandon", worker, self.now) <= len(left)  # some may have run out, and come back already
        for token in left:
            del self.turns[token]

    @rule(wait=waits)
    def time_passes(self, wait: float) -> None:
        self.now += wait

    @rule(cleanly=st.booleans(), jump=st.sampled_from((0.0, 0.5, 100.0, -50.0)))
    def restart(self, cleanly: bool, jump: float) -> None:
        self.now += jump
        if jump < 0:  # the wall clock was set back; no time has passed
            self.sent = {token: (host, at + jump, delay) for token, (host, at, delay) in self.sent.items()}
        self.openings += 1
        dump, left = self.folder / f"dump-{self.openings}", self.folder / f"{self.openings}"
        self.loop.run_until_complete(self.model.checkpoint(DirectoryShelving(dump)))
        self.model = MemoryFrontier.restore(dump, *self.given, self.now, self.opic)
        if cleanly:
            self.loop.run_until_complete(self.real.aclose())
            left = self.real._path
        else:
            self.loop.run_until_complete(leave_as_killed(self.real, left))
        self.real = EmbeddedFrontier.open_at(left, *self.given, self.now, False, self.opic)
        self.turns.clear()

    # --- bugs of ours ------------------------------------------------------------------------------------------------

    @rule(limit=st.integers(1, 6))
    def a_bug_strikes_while_leases_are_given(self, limit: int) -> None:
        """Clocks have moved in memory, and nobody gets a lease; what ran out before, and what has woken, is written."""
        if self.strike("_turns", "give", "lease", "one", limit, self.now):
            for token in [token for token, lease in self.turns.items() if lease.until <= self.now]:
                del self.turns[token]
            self.model._return_expired(self.now)
            self.model._wake(self.now)
            self.model_begins_again()

    @rule(found=st.lists(entries(), min_size=1, max_size=12))
    def a_bug_strikes_while_urls_are_discovered(self, found: list[Entry]) -> None:
        if self.strike("_ledger", "commit", "discover", found, self.now):
            self.model_begins_again()

    @precondition(lambda self: self.turns and not self.opic)  # where the order is opic, each is written for itself
    @rule(how=hows, found=st.lists(entries(), max_size=4))
    def a_bug_strikes_while_leases_are_settled(self, how: dict[str, Any], found: list[Entry]) -> None:
        settlements = [self.settlement(lease, how, found) for lease in self.turns.values() if lease.until > self.now]
        if settlements and self.strike("_ledger", "commit", "settle", settlements, self.now):
            self.model_begins_again()

    @rule(worker=workers)
    def a_bug_strikes_while_a_worker_is_buried(self, worker: str) -> None:
        if self.strike("_ledger", "commit", "abandon", worker, self.now):
            self.model_begins_again()
        else:
            self.turns = {token: lease for token, lease in self.turns.items() if lease.worker != worker}

    def strike(self, part: str, step: str, method: str, *arguments: Any) -> bool:
        """Let a step of an operation fail when it has done its work, or instead of writing it; True: it had something to do."""
        owner = getattr(self.real, part)
        done = getattr(owner, step)

        def broken(*given: Any) -> None:
            if step != "commit":
                done(*given)
            raise ZeroDivisionError

        setattr(owner, step, broken)
        with contextlib.suppress(ZeroDivisionError):
            found = self.loop.run_until_complete(getattr(self.real, method)(*arguments))
            delattr(owner, step)
            assert found == self.loop.run_until_complete(getattr(self.model, method)(*arguments))
            return False
        return True

    def model_begins_again(self) -> None:
        """The operation has not happened, leases go on, and every host rests for one delay, as after a restart."""
        settings, begun = self.given[1], self.real._now
        for host in self.model._hosts.values():
            host.clock = politeness.after_restart(host.clock, politeness.delay_of(host.policy, host.clock, settings), begun)
            host.since = 0.0
        for turn in self.model._turns.values():
            turn.before = turn.host.clock
            turn.lease = replace(turn.lease, clock=turn.host.clock)
        self.model._shares = QueueOrder(self.given[0].kinds, self.given[0].shares)

    # --- what must be true after each --------------------------------------------------------------------------------

    @invariant()
    def they_agree(self) -> None:
        expected = {known.entry.key: known for known in self.walk(self.model.known())}
        found = self.walk(self.real.known())
        assert {known.entry.key: known for known in found} == expected and len(found) == len(expected)
        assert {host.host: host for host in self.walk(self.real.hosts())} == {
            host.host: host for host in self.walk(self.model.hosts())
        }
        numbers = replace(self.loop.run_until_complete(self.real.statistics()), recent_hits=0, bloom_misses=0, store_reads=0)
        assert numbers == self.loop.run_until_complete(self.model.statistics())
        outlooks = [self.loop.run_until_complete(frontier.outlook(2)) for frontier in (self.real, self.model)]
        assert outlooks[0] == outlooks[1]
        self.both("pending")
        for host in HOSTS:
            self.both("waiting_of", host, 5)
        for order in HostOrder:
            lists = [self.loop.run_until_complete(listed(frontier, order, 3)) for frontier in (self.real, self.model)]
            assert lists[0] == lists[1]
        states = Counter(known.state for known in found)
        assert all(getattr(numbers, state.value) == states[state] for state in State)
        live = {lease.entry.key for lease in self.turns.values() if lease.entry.key}
        assert {known.entry.key for known in found if known.state is State.LEASED} <= live

    @invariant()
    def no_credit_is_made_or_lost(self) -> None:
        numbers = self.loop.run_until_complete(self.real.statistics())
        if not self.opic:
            assert numbers.credit is numbers.lambda_credit is None
            return
        credits = [known.credit for known in self.walk(self.real.known()) if known.credit is not None]
        assert numbers.credit is not None and numbers.lambda_credit is not None
        assert numbers.credit % MINT == 0 and min([numbers.lambda_credit, *credits]) >= 0
        assert sum(credits) + numbers.lambda_credit == numbers.credit

    def teardown(self) -> None:
        if hasattr(self, "real"):
            self.loop.run_until_complete(self.real.aclose())
            self.loop.close()
            shutil.rmtree(self.folder)
            self.patches.undo()


TestBothFrontiers = pytest.mark.timeout(600)(BothFrontiers.TestCase)
TestBothFrontiers.settings = settings(
    max_examples=150,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
    database=None,
)
