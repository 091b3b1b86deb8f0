"""What the contract says of URLs that are due again: part of the frontier's checker."""

from gossamer.records.entry import Priority
from gossamer.records.lease import Fate
from gossamer.records.outcome import State
from gossamer.testing.frontier_bench import EAGER, NOW, FrontierBench, end, entry, key, leased, only
from gossamer.url.fingerprint import fingerprint

DAY = 86400.0


async def a_url_that_is_due_again_waits_for_its_date_and_is_told_as_such(bench: FrontierBench) -> None:
    """AGAIN is an end for now: the URL waits until `due`, and its next lease says that it is not the first."""
    frontier = await bench.open()
    await frontier.discover([entry()], NOW)
    first = await only(frontier, NOW)
    assert not first.again, "a URL never crawled is said to be due again"
    await frontier.settle([end(first, Fate.AGAIN, due=NOW + DAY)], NOW + 1)
    known = await frontier.lookup(key())
    assert known is not None and known.state is State.WAITING and known.again and known.due == NOW + DAY
    assert await leased(frontier, NOW + DAY - 1) == (), "it was leased before its date"
    second = await only(frontier, NOW + DAY)
    assert second.again and second.attempts == 0, "it is not told that it was crawled before"


async def the_kinds_of_work_are_picked_by_their_shares(bench: FrontierBench) -> None:
    """Never crawled and due again: 30 to 70 when both are ready, to within a pick, and all to one when the other is empty."""
    frontier = await bench.open(politeness=EAGER)
    count = 400
    await frontier.discover([entry(f"old-{number}", host=f"h{number}.example") for number in range(count)], NOW)
    for lease in await leased(frontier, NOW, count):
        await frontier.settle([end(lease, Fate.AGAIN, due=NOW + 2)], NOW + 1)
    await frontier.discover([entry(f"new-{number}", host=f"n{number}.example") for number in range(count)], NOW + 1)
    picked = [lease.again for lease in await leased(frontier, NOW + 3, 500)]
    assert abs(picked.count(True) - 350) <= 2, f"{picked.count(True)} of 500 picks were due again, not 350"
    rest = [lease.again for lease in await leased(frontier, NOW + 3, 1000)]
    assert len(rest) == 2 * count - 500, "an empty kind keeps its share"


async def a_finished_url_can_be_made_due_again(bench: FrontierBench) -> None:
    """`revisit` brings back what is done or dead, sooner what is due later, and nothing else."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry("1"), entry("2"), entry("3")], NOW)
    await frontier.settle([end(await only(frontier, NOW), Fate.DONE)], NOW)
    await frontier.settle([end(await only(frontier, NOW), Fate.AGAIN, due=NOW + DAY)], NOW)
    assert await frontier.revisit([(key("1"), NOW + 5), (key("2"), NOW + 9), (key("3"), NOW), (key("4"), NOW)], NOW) == 2
    assert await frontier.revisit([(key("2"), NOW + 10)], NOW) == 0, "a later date than the one it has changes nothing"
    third = await only(frontier, NOW)
    assert third.entry.key == key("3") and not third.again, "a URL that was never crawled lost its place"
    await frontier.remove(key("3"))
    assert await frontier.revisit([(key("3"), NOW)], NOW) == 0, "a removed URL came back"
    await frontier.settle([end(third)], NOW)
    leases = await leased(frontier, NOW + 9)
    assert [(lease.entry.key, lease.again) for lease in leases[:1]] == [(key("1"), True)]
    assert (await frontier.statistics()).done == 0


async def due_urls_survive_a_restart_with_their_date(bench: FrontierBench) -> None:
    """A date is kept like anything else."""
    frontier = await bench.open()
    await frontier.discover([entry()], NOW)
    await frontier.settle([end(await only(frontier, NOW), Fate.AGAIN, due=NOW + DAY, score=0.7)], NOW + 1)
    frontier = await bench.reopen(NOW + 2)
    assert await leased(frontier, NOW + DAY - 1) == ()
    lease = await only(frontier, NOW + DAY + 1)
    assert lease.again
    frontier = await bench.reopen(NOW + DAY + 2)
    lease = await only(frontier, NOW + DAY + 10)
    assert lease.again and lease.returns == 1, "a lease of a due URL did not come back as one"


async def a_higher_score_is_visited_again_first(bench: FrontierBench) -> None:
    """What is due at the same time comes in the order of what it is worth now."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry("1", score=0.9), entry("2", score=0.1)], NOW)
    for score in (0.1, 0.9):
        await frontier.settle([end(await only(frontier, NOW), Fate.AGAIN, due=NOW + 60, score=score)], NOW)
    assert (await only(frontier, NOW + 61)).entry.key == key("2")


async def a_url_can_be_put_behind_all_others_of_its_host(bench: FrontierBench) -> None:
    """DEFERRED with a score: the URL moves to the last class and is worth that from now on, whatever a rank says of it."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry("1", priority=Priority.HIGH, score=0.9), entry("2", priority=Priority.LOW, score=0.1)], NOW)
    first = await only(frontier, NOW)
    assert first.entry.key == key("1")
    await frontier.settle([end(first, Fate.DEFERRED, score=0.0)], NOW)
    assert await frontier.promote([(fingerprint(key("1")), 1.0, Priority.HIGH)]) == 0, "a rank brought it back"
    known = await frontier.lookup(key("1"))
    assert known is not None and known.priority is Priority.LAST and known.score == 0.0 and not known.attempts
    frontier = await bench.reopen(NOW + 1)
    other = await only(frontier, NOW + 2)
    assert other.entry.key == key("2"), "it did not move behind"
    await frontier.settle([end(other)], NOW + 3)
    assert (await only(frontier, NOW + 4)).entry.key == key("1"), "nobody else waits"


async def a_host_that_has_waited_for_a_day_comes_before_all_shares(bench: FrontierBench) -> None:
    """Whatever its URLs are worth: a host ready for longer than `patience` is next."""
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([entry(host="low.example", priority=Priority.LOW)], NOW)
    await frontier.discover(
        [entry(str(number), host=f"h{number}.example", priority=Priority.HIGH) for number in range(50)], NOW + DAY
    )
    hosts = [lease.entry.host for lease in await leased(frontier, NOW + DAY, 1)]
    assert hosts == ["low.example"], "a host with due work waits for more than a day"
