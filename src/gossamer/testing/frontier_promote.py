"""What the contract says of URLs that come to be worth more while they wait: part of the frontier's checker."""

from gossamer.joints.frontier import Frontier
from gossamer.records.entry import Priority
from gossamer.records.host import HostPolicy
from gossamer.records.lease import Fate
from gossamer.testing.frontier_bench import EAGER, NOW, FrontierBench, end, entry, key, leased, only
from gossamer.url.fingerprint import fingerprint

DAY = 86400.0
HIGH, MEDIUM, LOW = Priority.HIGH, Priority.MEDIUM, Priority.LOW


def name(path: str) -> int:
    """Return the fingerprint of the entry of that path."""
    return fingerprint(key(path))


async def fetched(frontier: Frontier, count: int, now: float) -> list[str]:
    """Return the keys of so many URLs in the order in which they are leased, one after the other."""
    keys = []
    for _ in range(count):
        lease, *_ = await leased(frontier, now, limit=1)
        keys.append(lease.entry.key)
        await frontier.settle([end(lease)], now)
    return keys


async def a_promoted_url_comes_sooner_and_none_falls(bench: FrontierBench) -> None:
    """A higher score counts, a lower one does not; unknown URLs are passed over."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry(str(number), score=0.5) for number in range(4)], NOW)
    worth = [(name("2"), 0.8, MEDIUM), (name("0"), 0.1, LOW), (name("nowhere"), 1.0, HIGH), (name("3"), 0.5, MEDIUM)]
    assert await frontier.promote(worth) == 1, "a URL fell, or one that is worth no more was counted"
    assert await frontier.promote(worth) == 0, "the same again is no promotion"
    assert await fetched(frontier, 4, NOW) == [key("2"), key("0"), key("1"), key("3")]


async def a_promoted_url_changes_its_class_for_a_better_one(bench: FrontierBench) -> None:
    """Of a class that is picked more often; what its host's policy says stands above."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.set_policy("b.example", HostPolicy(priority=LOW))
    await frontier.discover([entry(str(number), priority=LOW) for number in range(40)], NOW)
    await frontier.discover([entry(str(number), priority=HIGH, host="c.example") for number in range(40)], NOW)
    await frontier.discover([entry("b", host="b.example", score=0.5)], NOW)
    assert await frontier.promote([(name(str(number)), 0.9, HIGH) for number in range(10, 20)]) == 10
    assert await frontier.promote([(fingerprint(key("b", "b.example")), 0.0, HIGH)]) == 0, "a policy was overruled"
    assert {key(str(number)) for number in range(10, 20)} <= set(await fetched(frontier, 30, NOW)), (
        "they wait in the class they were found in"
    )


async def a_promotion_does_not_end_waiting(bench: FrontierBench) -> None:
    """A URL that has waited is still worth what its waiting is worth: thirty days are the whole range of scores."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry("old", score=0.2)], NOW)
    later = NOW + 9 * DAY  # which are worth 0.3
    await frontier.discover([entry("new", score=0.6), entry("newer", score=0.75)], later)
    await frontier.promote([(name("old"), 0.4, MEDIUM)])
    assert await fetched(frontier, 3, later) == [key("newer"), key("old"), key("new")]


async def only_what_was_never_fetched_is_promoted(bench: FrontierBench) -> None:
    """Not what is leased, done, gone or due again; a URL that is to be tried again is."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry(str(number)) for number in range(5)], NOW)
    for fate in (Fate.DONE, Fate.DEAD, Fate.AGAIN, Fate.RETRY):
        await frontier.settle([end(await only(frontier, NOW), fate, due=NOW + (DAY if fate is Fate.AGAIN else 9))], NOW)
    lease = await only(frontier, NOW)
    before = [await frontier.lookup(key(str(number))) for number in range(3)]
    assert await frontier.promote([(name(str(number)), 1.0, HIGH) for number in range(5)]) == 1
    assert [await frontier.lookup(key(str(number))) for number in range(3)] == before
    await frontier.settle([end(lease, Fate.DEFERRED)], NOW)
    await frontier.discover([entry("last", score=0.9, priority=HIGH)], NOW)
    assert (await only(frontier, NOW + 9)).entry.key == key("3"), "it waits for its date as what it was"


async def of_many_that_are_promoted_at_once_none_is_lost_or_doubled(bench: FrontierBench) -> None:
    """Also when all that stood in front of a long queue leaves it, and most of what stood behind."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry(str(number), priority=MEDIUM) for number in range(60)], NOW)
    assert await frontier.promote([(name(str(number)), 0.5, HIGH) for number in range(40)]) == 40
    found = [int(each.rpartition("/")[2]) for each in await fetched(frontier, 60, NOW)]
    assert sorted(found) == list(range(60)), "a URL is lost, or was leased twice"
    assert [number for number in found if number < 40] == list(range(40))
    assert await leased(frontier, NOW) == () and (await frontier.statistics()).waiting == 0


async def a_promotion_survives_a_restart(bench: FrontierBench) -> None:
    """Also of many URLs of one host, of one whose lease was out, and of one that was tried."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry(str(number), priority=MEDIUM) for number in range(60)], NOW)
    await frontier.promote([(name(str(number)), 0.5 + number / 200, HIGH) for number in range(20, 60)])
    tried = await only(frontier, NOW)
    assert tried.entry.key == key("59")
    await frontier.settle([end(tried, Fate.RETRY, due=NOW)], NOW)
    assert (await only(frontier, NOW)).attempts == 1
    frontier = await bench.reopen(NOW + 1)
    found = [int(each.rpartition("/")[2]) for each in await fetched(frontier, 60, NOW + 2)]
    assert [number for number in found if number >= 20] == list(range(59, 19, -1))
    assert [number for number in found if number < 20] == list(range(20)), "who was not promoted lost its place"
    assert await leased(frontier, NOW + 3) == () and (await frontier.statistics()).done == 60
