"""Rules of a frontier about spellings: two URLs of one key are one page, unless the one that was asked for is not there."""

from typing import Any

from gossamer.joints.frontier import Frontier
from gossamer.records.entry import Entry
from gossamer.records.lease import Fate
from gossamer.records.outcome import State
from gossamer.testing.frontier_bench import EAGER, NOW, FrontierBench, end, entry, key, leased, only
from gossamer.url.spelling import MOST_SPELLINGS


def _spelling(wire: str, of: str = "1", **fields: Any) -> Entry:
    """Return another spelling of a URL."""
    return Entry(f"http://a.example/{wire}", key(of), "a.example", **fields)


async def _ask(frontier: Frontier, now: float, fate: Fate = Fate.DONE, **fields: Any) -> str:
    """Lease the only URL, end it, and return it."""
    lease = await only(frontier, now)
    await frontier.settle([end(lease, fate, **fields)], now)
    return lease.entry.url


async def another_spelling_of_a_url_that_is_gone_is_asked_for(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([_spelling("1/")], NOW)
    found = await frontier.discover([_spelling("1"), _spelling("1?utm_source=x"), _spelling("1/")], NOW)
    assert (found.new, found.known) == (0, 3)
    frontier = await bench.reopen(NOW)
    assert await _ask(frontier, NOW, Fate.DEAD) == "http://a.example/1/"
    assert await _ask(frontier, NOW + 1, Fate.DEAD) == "http://a.example/1"
    assert await _ask(frontier, NOW + 2) == "http://a.example/1?utm_source=x"
    assert not await leased(frontier, NOW + 3)
    known = await frontier.lookup(key("1?utm_source=x#"))
    assert known is not None and known.state is State.DONE


async def another_spelling_is_asked_for_when_it_is_found_after_the_first_is_gone(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([_spelling("1/")], NOW)
    assert await _ask(frontier, NOW, Fate.DEAD) == "http://a.example/1/"
    found = await frontier.discover([_spelling("1/"), _spelling("1"), _spelling("1")], NOW + 1)
    assert (found.new, found.known) == (1, 2)
    assert await _ask(frontier, NOW + 1, Fate.DEAD) == "http://a.example/1"
    assert (await frontier.discover([_spelling("1/"), _spelling("1")], NOW + 2)).known == 2
    assert not await leased(frontier, NOW + 2)


async def spellings_found_in_the_call_that_finds_the_first_gone_are_asked_for(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([_spelling("1/"), entry("2", "b.example")], NOW)
    leases = {lease.entry.host: lease for lease in await leased(frontier, NOW)}
    links = (_spelling("1"), _spelling("1?a"))
    page = end(leases["b.example"], discovered=links[:1])
    gone = end(leases["a.example"], Fate.DEAD, discovered=links[1:])
    await frontier.settle([page, gone, end(leases["b.example"])], NOW + 1)
    assert {await _ask(frontier, NOW + 2), await _ask(frontier, NOW + 3)} == {link.url for link in links}


async def no_other_spelling_of_a_page_is_asked_for(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([_spelling("1/"), _spelling("1"), _spelling("1//")], NOW)
    assert await _ask(frontier, NOW) == "http://a.example/1/"
    await frontier.discover([_spelling("1"), _spelling("1?")], NOW + 1)
    assert not await leased(frontier, NOW + 1)
    assert (await frontier.statistics()).done == 1


async def of_endless_spellings_the_shortest_are_remembered(bench: FrontierBench) -> None:
    frontier = await bench.open(politeness=EAGER)
    await frontier.discover([_spelling("1?s=000000")], NOW)
    for number in range(1, 50):
        await frontier.discover([_spelling(f"1?s={number:06}")], NOW)
    await frontier.discover([_spelling("1")], NOW)
    asked = [await _ask(frontier, NOW + second, Fate.DEAD) for second in range(1 + MOST_SPELLINGS)]
    assert key("1") in asked and not await leased(frontier, NOW + 99)
