"""Rules of a frontier about what an operator asks: hosts in an order, a host's next URLs, what waits, a fair sample."""

from gossamer.config.sections import Breaker
from gossamer.joints.frontier import Frontier
from gossamer.records.entry import Priority
from gossamer.records.host import HostMark, HostOrder, HostPolicy, HostState
from gossamer.records.lease import Fate
from gossamer.records.standing import Pending
from gossamer.testing.frontier_bench import EAGER, NOW, FrontierBench, end, entry, failure, key, leased, many, only
from gossamer.url.fingerprint import fingerprint


async def listed(
    frontier: Frontier, order: HostOrder, limit: int = 2, state: HostState | None = None, prefix: str = "", now: float = NOW
) -> list[str]:
    """Return the names of all hosts in an order, listed page by page."""
    names: list[str] = []
    after: HostMark | None = None
    while True:
        page = await frontier.list_hosts(order, after, limit, now, state, prefix)
        assert len(page.hosts) <= limit, "a page has more hosts than were asked for"
        names += [host.host for host in page.hosts]
        if page.next is None:
            return names
        assert page.next != after, "the listing stands still"
        after = page.next


async def hosts_are_listed_in_each_order_whole_and_once(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    for host, count in (("c.example", 3), ("a.example", 1), ("d.example", 30), ("b.example", 1), ("e.example", 2)):
        await many(frontier, count, host)
    await frontier.set_policy("nothing.example", HostPolicy(max_qps=1.0))
    await frontier.block("a.example", NOW + 50, None)
    await frontier.block("e.example", NOW + 20, None)
    await frontier.set_policy("d.example", HostPolicy(paused=True))
    names = ["a.example", "b.example", "c.example", "d.example", "e.example", "nothing.example"]
    by_waiting = ["d.example", "c.example", "e.example", "a.example", "b.example", "nothing.example"]
    by_turn = ["b.example", "c.example", "e.example", "a.example", "d.example", "nothing.example"]
    for limit in (1, 2, 4, 100):
        assert await listed(frontier, HostOrder.NAME, limit) == names
        assert await listed(frontier, HostOrder.WAITING, limit) == by_waiting
        assert await listed(frontier, HostOrder.NEXT, limit) == by_turn
    frontier = await bench.reopen(NOW)
    assert await listed(frontier, HostOrder.NAME) == names
    assert await listed(frontier, HostOrder.WAITING) == by_waiting


async def hosts_are_picked_by_how_they_stand_and_by_the_beginning_of_their_names(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER, breaker=Breaker(failures=1))
    for host in ("open.example", "paused.example", "blocked.example", "soon.example", "work.example"):
        await many(frontier, 2, host)
    failing = [lease for lease in await leased(frontier, NOW) if lease.entry.host == "open.example"]
    await frontier.settle([failure(failing[0], NOW)], NOW)
    await frontier.set_policy("paused.example", HostPolicy(paused=True))
    await frontier.set_policy("blocked.example", HostPolicy(blocked=True))
    await frontier.set_policy("idle.example", HostPolicy(max_qps=1.0))
    await frontier.block("soon.example", NOW + 50, None)
    for order in HostOrder:
        assert await listed(frontier, order, state=HostState.OPEN) == ["open.example"]
        assert await listed(frontier, order, state=HostState.PAUSED) == ["paused.example"]
        assert sorted(await listed(frontier, order, state=HostState.BLOCKED)) == ["blocked.example", "soon.example"]
        assert await listed(frontier, order, state=HostState.READY) == ["work.example"]
        assert await listed(frontier, order, state=HostState.IDLE) == ["idle.example"]
        assert await listed(frontier, order, state=HostState.BLOCKED, now=NOW + 60) == ["blocked.example"]
        assert await listed(frontier, order, prefix="so") == ["soon.example"]
        assert await listed(frontier, order, prefix="x") == []


async def the_next_urls_of_a_host_are_those_it_is_leased_next(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    entries = [entry(f"{number}", score=number % 7 / 10, priority=Priority(number % 3)) for number in range(60)]
    await frontier.discover(entries, NOW)
    lease = await only(frontier, NOW)
    await frontier.settle([end(lease, Fate.RETRY, due=NOW + 1000)], NOW)
    told = await frontier.waiting_of("a.example", 100)
    assert (len(told), told[-1].entry.key, told[-1].due) == (60, lease.entry.key, NOW + 1000)
    assert [known.entry.key for known in await frontier.waiting_of("a.example", 7)] == [known.entry.key for known in told[:7]]
    assert {known.priority for known in told[:9]} == {Priority.HIGH, Priority.MEDIUM, Priority.LOW}
    for priority in (Priority.HIGH, Priority.MEDIUM, Priority.LOW):
        scores = [known.score or 0.0 for known in told[:-1] if known.priority is priority]
        assert scores == sorted(scores, reverse=True), "a URL worth less comes before one worth more"
    assert await frontier.waiting_of("b.example", 5) == [] == await frontier.waiting_of("a.example", 0)
    taken: list[str] = []
    for _ in range(59):
        lease = await only(frontier, NOW)
        taken.append(lease.entry.key)
        await frontier.settle([end(lease)], NOW)
    assert sorted(taken) == sorted(known.entry.key for known in told[:-1])
    by_class = {known.entry.key: known.priority for known in told}
    for priority in Priority:  # classes take turns with other hosts, too: the order within each is promised
        expected = [known.entry.key for known in told[:-1] if known.priority is priority]
        assert [each for each in taken if by_class[each] is priority] == expected


async def what_waits_is_counted_by_class(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    for number, priority in enumerate((Priority.HIGH, Priority.MEDIUM, Priority.LOW, Priority.LAST)):
        found = [
            entry(f"{priority.name}{count}", f"{count % 3}.example", priority=priority) for count in range(20 * number + 1)
        ]
        await frontier.discover(found, NOW)
    assert await frontier.pending() == Pending(high=1, medium=21, low=41, last=61)
    lease, *_ = await leased(frontier, NOW)
    await frontier.settle([end(lease, Fate.RETRY, due=NOW + 1000)], NOW)
    pending, statistics = await frontier.pending(), await frontier.statistics()
    assert pending.later == 1
    assert sum((pending.high, pending.medium, pending.low, pending.last, pending.later)) == statistics.waiting


async def a_sample_is_drawn_from_all_urls_alike(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    assert await frontier.sample(10, seed=1) == []
    for number in range(10):  # the first hundred are old
        await frontier.discover([entry(f"{number}-{count}") for count in range(100)], NOW + 1000 * bool(number))
    drawn = await frontier.sample(300, seed=1)
    keys = {known.entry.key for known in drawn}
    assert len(drawn) == len(keys) == 300, "a URL was drawn twice"
    old = sum(known.discovered_at == NOW for known in drawn)
    assert 10 <= old <= 60, f"{old} of 300 are old, where one of ten is"
    assert [known.entry.key for known in await frontier.sample(300, seed=1)] == [known.entry.key for known in drawn]
    assert {known.entry.key for known in await frontier.sample(300, seed=2)} != keys
    assert len({known.entry.key for known in await frontier.sample(5000, seed=1)}) == 1000


async def all_is_known_of_a_url_by_its_fingerprint(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry("a"), entry("b", "b.example")], NOW)
    lease, *_ = await leased(frontier, NOW)
    names = [fingerprint(key("a")), 12345, fingerprint(key("b", "b.example"))]
    first, nothing, second = await frontier.known_by(names)
    assert nothing is None
    assert [first, second] == [await frontier.lookup(key("a")), await frontier.lookup(key("b", "b.example"))]
    assert lease.worker in {known.leased_by for known in (first, second) if known is not None}
