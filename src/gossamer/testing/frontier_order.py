"""What the contract says of whose turn is next among hosts that are ready: classes by their shares, hosts one after the other.

Promised by a frontier that has all hosts in one place, and by one that is divided in each of its partitions.
"""

from collections import Counter

from gossamer.records.entry import Priority
from gossamer.records.lease import Fate
from gossamer.testing.frontier_bench import EAGER, NOW, FrontierBench, end, entry, leased, many, only


async def classes_are_picked_by_their_shares(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    for priority in Priority:
        for number in range(4):
            await many(frontier, 25, f"{priority.name}-{number}.example".lower(), priority)
    picks: Counter[Priority] = Counter()
    for _ in range(10_000):
        (lease,) = await leased(frontier, NOW, limit=1)
        picks[lease.entry.priority] += 1
        await frontier.settle([end(lease, Fate.DEFERRED)], NOW)
    assert {priority: picks[priority] for priority in Priority} == {
        Priority.HIGH: 8000,
        Priority.MEDIUM: 1500,
        Priority.LOW: 500,
        Priority.LAST: 0,
    }


async def the_last_class_is_served_only_while_nobody_has_anything_else(bench: FrontierBench) -> None:
    """It has no share: of its own host and of any other, what is ready in another class comes first, and what is due again."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry("again", host="c.example")], NOW)
    await frontier.settle([end(await only(frontier, NOW), Fate.AGAIN, due=NOW)], NOW)
    await frontier.discover([entry("view", priority=Priority.LAST, score=0.9), entry("page", priority=Priority.LOW)], NOW)
    await frontier.discover([entry("view", host="b.example", priority=Priority.LAST, score=0.9)], NOW)
    order = []
    while leases := await leased(frontier, NOW, limit=1):
        order.append(leases[0].entry)
        await frontier.settle([end(leases[0])], NOW)
    assert [each.url.rpartition("/")[2] for each in order][2:] == ["view", "view"], "a view came before content"
    assert len(order) == 4, "the last class was not served at all"


async def an_empty_class_gives_its_share_away(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await many(frontier, 1, "medium.example", Priority.MEDIUM)
    await many(frontier, 1, "low.example", Priority.LOW)
    picks: Counter[Priority] = Counter()
    for _ in range(400):
        (lease,) = await leased(frontier, NOW, limit=1)
        picks[lease.entry.priority] += 1
        await frontier.settle([end(lease, Fate.DEFERRED)], NOW)
    assert picks == {Priority.MEDIUM: 300, Priority.LOW: 100}


async def hosts_take_turns_in_the_order_they_became_ready(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await frontier.pace("b.example", 0)
    for number, host in enumerate(("c.example", "a.example", "b.example")):
        await frontier.discover([entry(str(each), host, score=1 - number / 10) for each in range(3)], NOW + number)
    order = [lease.entry.host[0] for lease in await leased(frontier, NOW + 9)]
    assert order == ["c", "a", "b"]


async def a_host_that_had_its_turn_goes_behind_the_others(bench: FrontierBench) -> None:
    frontier = await bench.open()
    await many(frontier, 9)
    await many(frontier, 9, "b.example")
    order = []
    for second in range(4):
        (lease,) = await leased(frontier, NOW + second / 10, limit=1)
        order.append(lease.entry.host[0])
        await frontier.settle([end(lease, Fate.DEFERRED, answer=None)], NOW + second / 10 + 0.05)
    assert order == ["a", "b", "a", "b"]
