"""Rules of a frontier about URLs: what is known, what waits, what ends, and that nothing is lost or done twice."""

from collections import Counter

from msgspec.structs import replace

from gossamer.config.sections import FrontierSettings
from gossamer.joints.frontier import Frontier
from gossamer.records.entry import Discovered, LinkKind, Priority, Verdict
from gossamer.records.host import HostPolicy
from gossamer.records.lease import Answer, Fate
from gossamer.records.outcome import Outcome, State
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.storage.shelving import DirectoryShelving
from gossamer.testing.frontier_bench import EAGER, LEASE, NOW, FrontierBench, by, end, entry, key, leased, only
from gossamer.url.fingerprint import fingerprint

_DAY = 86400.0
OUTSIDE = Verdict(False, because(Rule.SCOPE_WITHIN))
FINE = because(Rule.HTTP_STATUS, status=200)


async def state_of(frontier: Frontier, path: str = "1", host: str = "a.example") -> State | None:
    """Return the state of a URL."""
    known = await frontier.lookup(key(path, host))
    return None if known is None else known.state


async def new_urls_wait_and_known_ones_are_counted(bench: FrontierBench) -> None:
    frontier = await bench.open()
    assert await frontier.discover([entry("1"), entry("2"), entry("1")], NOW) == Discovered(new=2, known=1)
    assert await frontier.discover([entry("2"), entry("3")], NOW + 1) == Discovered(new=1, known=1)
    known = await frontier.lookup(key("2"))
    assert known is not None and known.state is State.WAITING and known.discovered_at == NOW and known.entry == entry("2")
    assert await frontier.lookup(key("4")) is None


async def a_fingerprint_names_its_url_whatever_became_of_it(bench: FrontierBench) -> None:
    frontier = await bench.open()
    refused, asked_for = (
        entry("2", refused=OUTSIDE),
        key("1") + "?utm_source=a",
    )  # not the key
    await frontier.discover([replace(entry("1"), url=asked_for), refused, entry("3", "b.example")], NOW)
    for lease in await leased(frontier, NOW, limit=1):
        await frontier.settle([end(lease)], NOW)
    await frontier.remove(key("3", "b.example"))
    asked = [fingerprint(key("2")), fingerprint(key("4")), fingerprint(key("1")), fingerprint(key("3", "b.example"))]
    assert await frontier.names(asked) == [key("2"), "", asked_for, key("3", "b.example")]
    assert await frontier.names([]) == []
    frontier = await bench.reopen(NOW)
    assert await frontier.names(asked[:2]) == [key("2"), ""]


async def every_key_is_in_exactly_one_state(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry("1", host=f"{name}.example") for name in "abcdefg"], NOW)
    await frontier.discover([entry("x", refused=OUTSIDE)], NOW)
    leases = await leased(frontier, NOW, limit=5)
    fates = (Fate.DONE, Fate.DEAD, Fate.RETRY, Fate.DEFERRED)
    await frontier.settle([end(lease, fate) for lease, fate in zip(leases, fates, strict=False)], NOW)
    await frontier.remove(key("1", "g.example"))
    walked = {known.entry.key: known.state async for known in frontier.known()}
    for state in State:
        assert {known.entry.key async for known in frontier.known(state)} == {each for each in walked if walked[each] is state}
    counted = Counter(walked.values())
    assert counted == {State.WAITING: 3, State.LEASED: 1, State.DONE: 1, State.DEAD: 2, State.REMOVED: 1}
    numbers = await frontier.statistics()
    assert all(getattr(numbers, state.value) == counted[state] for state in State)
    assert numbers.hosts == 4


async def a_refused_url_is_recorded_with_its_rule(bench: FrontierBench) -> None:
    frontier = await bench.open()
    verdict = Verdict(False, because(Rule.TRAPS_MAX_LENGTH, length=3000, limit=2000), Outcome.TRAP)
    assert await frontier.discover([entry(refused=verdict), entry(refused=verdict)], NOW) == Discovered(refused=1, known=1)
    known = await frontier.lookup(key())
    assert known is not None and known.state is State.DEAD
    assert (known.outcome, known.reason) == (Outcome.TRAP, verdict.reason)
    assert not await leased(frontier, NOW) and await frontier.host("a.example") is None


async def a_refused_url_is_queued_when_nothing_refuses_it_any_more(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await frontier.discover([entry(refused=Verdict(False, because(Rule.SCOPE_MAX_DEPTH, depth=16, limit=15)), depth=16)], NOW)
    assert await frontier.discover([entry(depth=2)], NOW + 1) == Discovered(new=1)
    lease = await only(frontier, NOW + 1)
    assert lease.entry == entry(depth=2)
    await frontier.settle([end(lease, Fate.DEAD)], NOW + 2)
    assert await frontier.discover([entry(depth=2)], NOW + 3) == Discovered(known=1)
    assert (await frontier.statistics()).dead == 1


async def what_a_rule_refused_and_what_failed_are_counted_apart(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    by_plugin = Verdict(False, because("plugin", text="too old"), Outcome.GONE)
    await frontier.discover([entry("1", f"{name}.example") for name in "abcd"], NOW)
    await frontier.discover([entry("2"), entry("3", refused=by_plugin), entry("4", refused=OUTSIDE)], NOW)
    await frontier.discover([entry("5", refused=Verdict(False, because(Rule.SCOPE_MAX_DEPTH, depth=16, limit=15)))], NOW)
    ends = [Outcome.GONE, Outcome.ROBOTS_DENIED, Outcome.ADDRESS_REFUSED, Outcome.BREAKER_OPEN]
    leases = await leased(frontier, NOW)
    unasked = [end(lease, Fate.DEAD, outcome=outcome, answer=None) for lease, outcome in zip(leases[:3], ends, strict=False)]
    await frontier.settle([*unasked, end(leases[3], Fate.DEAD, outcome=ends[3])], NOW)

    async def counts() -> tuple[int, int, int]:
        numbers = await frontier.statistics()
        return numbers.dead, numbers.failed, numbers.not_for_us

    assert await counts() == (7, 2, 5)
    await frontier.discover([entry("5")], NOW)  # a page nearer to a seed has offered it: now it waits
    assert await counts() == (6, 2, 4)
    await frontier.remove(key("4"))
    assert await counts() == (5, 2, 3)
    await frontier.revisit([(leases[0].entry.key, NOW), (leases[1].entry.key, NOW), (key("3"), NOW)], NOW)
    assert await counts() == (3, 1, 2)
    frontier = await bench.reopen(NOW)
    assert await counts() == (3, 1, 2)


async def a_full_host_takes_no_more_urls(bench: FrontierBench) -> None:
    frontier = await bench.open(settings=FrontierSettings(max_waiting=2), politeness=EAGER)
    found = [entry(str(number)) for number in range(3)] + [entry("1", "b.example")]
    assert await frontier.discover(found, NOW) == Discovered(new=3, refused=1)
    known = await frontier.lookup(key("2"))
    assert known is not None and known.outcome is Outcome.TRAP and known.reason is not None
    assert known.reason.rule == Rule.FRONTIER_MAX_WAITING
    assert await frontier.discover([entry("2")], NOW) == Discovered(known=1)
    await leased(frontier, NOW)
    assert await frontier.discover([entry("2")], NOW) == Discovered(new=1)


async def a_blocked_host_takes_no_more_urls(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await frontier.set_policy("a.example", HostPolicy(blocked=True))
    assert await frontier.discover([entry()], NOW) == Discovered(refused=1)
    known = await frontier.lookup(key())
    assert known is not None and known.outcome is Outcome.OUT_OF_SCOPE and known.reason is not None
    assert known.reason.rule == Rule.POLICY_BLOCKED
    await frontier.set_policy("a.example", HostPolicy())
    assert await frontier.discover([entry()], NOW) == Discovered(new=1)


async def a_removed_url_is_removed_for_good(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await frontier.discover([entry("1"), entry("2", refused=OUTSIDE)], NOW)
    assert await frontier.remove(key("1")) and await frontier.remove(key("2")) and not await frontier.remove(key("3"))
    assert await frontier.discover([entry("1"), entry("2")], NOW) == Discovered(known=2)
    frontier = await bench.reopen(NOW)
    assert await frontier.discover([entry("1"), entry("2")], NOW) == Discovered(known=2)
    assert not await leased(frontier, NOW + _DAY) and (await frontier.statistics()).removed == 2


async def a_removed_url_is_not_leased(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry(str(number)) for number in range(5)], NOW)
    for path in "013":
        assert await frontier.remove(key(path))
    served = []
    for _ in range(2):
        lease = await only(frontier, NOW)
        served.append(lease.entry.key)
        await frontier.settle([end(lease)], NOW)
    assert served == [key("2"), key("4")] and not await leased(frontier, NOW)


async def a_removed_leased_url_stays_removed_but_its_request_counts(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await frontier.discover([entry("1"), entry("0", "b.example")], NOW)
    lease, other = await leased(frontier, NOW)
    assert await frontier.remove(other.entry.key)
    assert await frontier.remove(key("1")) and await state_of(frontier) is State.REMOVED
    assert (await frontier.statistics()).leased == 0
    settlement = end(lease, answer=Answer(at=NOW + 5), discovered=(entry("2"),))
    assert await frontier.settle([settlement], NOW + 5) == 1
    assert await state_of(frontier) is State.REMOVED and await state_of(frontier, "2") is State.WAITING
    assert not await leased(frontier, NOW + 5.9) and (await only(frontier, NOW + 6)).entry.key == key("2")
    frontier = await bench.reopen(NOW + 9)
    assert await state_of(frontier) is await state_of(frontier, "0", "b.example") is State.REMOVED
    numbers = await frontier.statistics()
    assert (numbers.waiting, numbers.leased, numbers.removed) == (1, 0, 2)


async def a_dropped_host_loses_its_waiting_urls(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry(str(number)) for number in range(4)] + [entry("1", "b.example")], NOW)
    first, _ = await leased(frontier, NOW)
    await frontier.settle([end(first, Fate.RETRY, due=NOW + 9)], NOW)
    held = await only(frontier, NOW)
    assert await frontier.drop("a.example") == 3 and await frontier.drop("a.example") == 0
    assert await frontier.drop("never.example") == 0
    assert (await frontier.statistics()).removed == 3 and await state_of(frontier, held.entry.key[-1]) is State.LEASED
    await frontier.settle([end(held)], NOW)
    assert not await leased(frontier, NOW + 100)


async def a_settled_url_is_done_and_not_leased_again(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await frontier.discover([entry("1"), entry("2", "b.example")], NOW)
    done, dead = await leased(frontier, NOW)
    settlements = [end(done, due=NOW + 50, reason=FINE), end(dead, Fate.DEAD, due=NOW + 60)]
    assert await frontier.settle(settlements, NOW + 1) == 2
    known = await frontier.lookup(key("1"))
    assert known is not None and known.state is State.DONE and known.outcome is Outcome.OK
    assert (known.due, known.reason, known.settled_at) == (NOW + 50, FINE, NOW + 1)
    assert await state_of(frontier, "2", "b.example") is State.DEAD
    assert await frontier.discover([entry("1")], NOW + 100) == Discovered(known=1)
    assert not await leased(frontier, NOW + _DAY)


async def a_retry_waits_for_its_date_and_is_counted(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await frontier.discover([entry()], NOW)
    await frontier.settle([end(await only(frontier, NOW), Fate.RETRY, due=NOW + 60)], NOW + 1)
    assert await state_of(frontier) is State.WAITING and not await leased(frontier, NOW + 59)
    assert (await frontier.lease("worker", 1, NOW + 59)).next_time == NOW + 60
    lease = await only(frontier, NOW + 60)
    assert (lease.attempts, lease.returns) == (1, 0)


async def a_deferred_url_keeps_its_place_and_is_not_counted(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry("1", score=0.5), entry("2", score=0.9), entry("3", score=0.1)], NOW)
    first = await only(frontier, NOW)
    await frontier.settle([end(first, Fate.DEFERRED, due=NOW + 10)], NOW)
    second = await only(frontier, NOW)
    await frontier.settle([end(second)], NOW)
    again = await only(frontier, NOW + 10)
    assert [lease.entry.key for lease in (first, second, again)] == [key("2"), key("1"), key("2")]
    assert again.attempts == 0
    await frontier.settle([end(again, Fate.DEFERRED)], NOW + 10)
    assert (await only(frontier, NOW + 10)).entry.key == key("2")


async def what_a_page_led_to_is_found_together_with_its_end(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry("1")], NOW)
    found = (
        entry("2"),
        entry("1"),
        entry("3", refused=OUTSIDE),
        entry("4", kind=LinkKind.ANCHOR),
    )
    await frontier.settle([end(await only(frontier, NOW), discovered=found)], NOW)
    frontier = await bench.reopen(NOW)
    states = [await state_of(frontier, str(number)) for number in range(1, 5)]
    assert states == [State.DONE, State.WAITING, State.DEAD, State.WAITING]


async def a_lease_has_one_owner_and_its_end_counts_once(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry()], NOW)
    lease = await only(frontier, NOW, "one")
    assert (lease.leased_at, lease.until, lease.worker, lease.discovered_at) == (NOW, NOW + LEASE, "one", NOW)
    known = await frontier.lookup(key())
    assert known is not None and (known.state, known.leased_by, known.leased_until) == (State.LEASED, "one", NOW + LEASE)
    assert not await leased(frontier, NOW + 1, worker="two")
    assert await frontier.settle([end(by(lease, "two"), discovered=(entry("2"),))], NOW + 1) == 0
    assert await state_of(frontier) is State.LEASED and await state_of(frontier, "2") is None
    assert await frontier.settle([end(lease), end(lease)], NOW + 1) == 1
    assert await frontier.settle([end(lease, Fate.DEAD)], NOW + 1) == 0
    assert await state_of(frontier) is State.DONE


async def an_expired_lease_comes_back_once_and_its_late_end_changes_nothing(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await frontier.discover([entry()], NOW)
    lease = await only(frontier, NOW)
    late = NOW + LEASE
    before = await frontier.host("a.example")
    settlement = end(lease, discovered=(entry("2"),), answer=Answer(at=late, block_until=late + _DAY))
    assert await frontier.settle([settlement], late) == 0
    assert await frontier.host("a.example") == before
    assert not await leased(frontier, late) and await state_of(frontier) is State.WAITING
    assert await frontier.settle([settlement], late) == 0 and await state_of(frontier, "2") is None
    again = await only(frontier, late + 1)
    assert (again.returns, again.attempts) == (1, 0) and again.token > lease.token
    assert await frontier.settle([settlement], late + 1) == 0
    assert not await leased(frontier, late + 2) and await state_of(frontier) is State.LEASED
    assert await frontier.settle([end(again)], late + 2) == 1 and await state_of(frontier) is State.DONE


async def the_leases_of_a_worker_that_is_gone_come_back_at_once(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await frontier.discover([entry(host=f"{name}.example") for name in "abc"], NOW)
    lost = await leased(frontier, NOW, 2, "dead")
    (kept,) = await leased(frontier, NOW, 5, "alive")
    turn = await frontier.reserve("dead", "d.example", NOW)
    assert (
        turn is not None and await frontier.abandon("dead", NOW + 0.5) == 3 and await frontier.abandon("dead", NOW + 0.5) == 0
    )
    assert (await frontier.statistics()).leased == 1 and (await frontier.statistics()).waiting == 2
    assert await frontier.settle([end(lease) for lease in (*lost, turn)], NOW + 0.5) == 0
    assert not await leased(frontier, NOW + 1) and await frontier.reserve("alive", "d.example", NOW + 1) is None
    again = await leased(frontier, NOW + 1.5)
    assert {lease.entry.host for lease in again} == {lease.entry.host for lease in lost}
    assert [(lease.returns, lease.attempts) for lease in again] == [(1, 0), (1, 0)]
    assert await frontier.settle([end(kept)], NOW + 1.5) == 1


async def higher_scores_come_sooner_and_ties_go_by_discovery(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    scores = {"low": 0.1, "first": 0.5, "second": 0.5, "high": 0.9}
    await frontier.discover([entry(path, score=score) for path, score in scores.items()], NOW)
    order = []
    for _ in scores:
        lease = await only(frontier, NOW)
        order.append(lease.entry.key.rsplit("/")[-1])
        await frontier.settle([end(lease)], NOW)
    assert order == ["high", "first", "second", "low"]


async def waiting_thirty_days_is_worth_the_top_score(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry("old", score=0.0)], NOW)
    await frontier.discover([entry("almost", score=1.0)], NOW + 30 * _DAY - 1)
    await frontier.discover([entry("too late", score=1.0)], NOW + 30 * _DAY + 1)
    order = []
    for _ in range(3):
        lease = await only(frontier, NOW + 31 * _DAY)
        order.append(lease.entry.key.rsplit("/")[-1])
        await frontier.settle([end(lease)], NOW + 31 * _DAY)
    assert order == ["almost", "old", "too late"]


async def what_comes_back_after_a_restart_stands_behind_what_was_found_since_and_is_worth_more(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry("low")], NOW)
    await only(frontier, NOW)
    better = [entry(str(number), score=0.9) for number in range(40)]
    await frontier.discover(better, NOW)
    frontier = await bench.reopen(NOW)
    paths = []
    while leases := await leased(frontier, NOW):
        paths.append(leases[0].entry.key)
        await frontier.settle([end(leases[0])], NOW)
    assert paths == [each.key for each in better] + [key("low")]


async def a_policy_decides_the_class_of_what_is_queued_from_then_on(bench: FrontierBench) -> None:
    frontier = await bench.open(settings=FrontierSettings(shares=(100, 0, 0)), politeness=EAGER)
    await frontier.discover([entry("before", priority=Priority.LOW)], NOW)
    await frontier.set_policy("a.example", HostPolicy(priority=Priority.HIGH))
    await frontier.discover([entry("after", priority=Priority.LOW), entry("1", "b.example", priority=Priority.MEDIUM)], NOW)
    order = []
    for _ in range(3):
        (lease,) = await leased(frontier, NOW, limit=1)
        order.append(lease.entry.key.rsplit("/")[-1])
        await frontier.settle([end(lease)], NOW)
    assert order[0] == "after"


async def a_checkpoint_opens_as_the_state_it_was_taken_of(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await frontier.discover([entry("1"), entry("2"), entry("3", "b.example")], NOW)
    held, _ = await leased(frontier, NOW)
    await frontier.checkpoint(DirectoryShelving(bench.folder / "copy"))
    await frontier.discover([entry("4")], NOW)
    copy = await bench.restore(bench.folder / "copy", NOW)
    assert {known.entry.key async for known in copy.known()} == {key("1"), key("2"), key("3", "b.example")}
    assert (await copy.statistics()).leased == 0 and await state_of(frontier) is State.LEASED
    assert await copy.discover([entry("1"), entry("4")], NOW) == Discovered(new=1, known=1)
    await copy.aclose()
    assert await frontier.settle([end(held)], NOW) == 1
