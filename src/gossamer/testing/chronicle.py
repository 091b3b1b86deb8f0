"""The checker of a chronicle: what any implementation of `joints.chronicle.Chronicle` has to promise.

    for rule in RULES:
        await rule(open_chronicle, place)

`open_chronicle` opens the chronicle in the directory it is given to write it, empty when there is none.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

from gossamer.joints.chronicle import Chronicle
from gossamer.records.line import VisitLine
from gossamer.storage.shelving import DirectoryShelving

Opener = Callable[[Path], Awaitable[Chronicle]]
Rule = Callable[[Opener, Path], Awaitable[None]]

NOW = 1_700_000_000.123456


def visits(*names: str) -> list[VisitLine]:
    """Return lines about visits."""
    return [VisitLine(host="a.example", url=f"http://a.example/{name}", outcome="ok") for name in names]


async def told(chronicle: Chronicle, position: str = "", limit: int = 1_000) -> list[str]:
    """Return the last part of the URLs that are told."""
    return [event.said["url"].rpartition("/")[2] for event in await chronicle.after(position, limit)]


async def settled(chronicle: Chronicle, *names: str, struck: tuple[int, ...] = ()) -> None:
    """Add a block that is settled at once."""
    chronicle.settle(await chronicle.add(visits(*names), NOW, {}), struck)


async def a_new_chronicle_tells_nothing(open_chronicle: Opener, place: Path) -> None:
    chronicle = await open_chronicle(place)
    assert await chronicle.after("", 10) == [], "a new chronicle tells something"
    assert (await chronicle.head(), await chronicle.lag(""), await chronicle.chain_head()) == ("", 0, None)
    assert not await chronicle.unsettled()
    await chronicle.aclose()


async def what_was_settled_is_told_in_its_order(open_chronicle: Opener, place: Path) -> None:
    chronicle = await open_chronicle(place)
    await settled(chronicle, "1", "2")
    await settled(chronicle, "3")
    await chronicle.aclose()
    chronicle = await open_chronicle(place)
    events = await chronicle.after("", 10)
    assert await told(chronicle) == ["1", "2", "3"], "what was settled is not told, or in another order"
    assert {(event.kind, event.at, event.host) for event in events} == {("visit", NOW, "a.example")}
    assert events[0].said == {"url": "http://a.example/1", "outcome": "ok"}, "a line says something else than it was given"
    assert await chronicle.head() == events[-1].id
    await chronicle.aclose()


async def what_is_not_settled_is_not_told(open_chronicle: Opener, place: Path) -> None:
    chronicle = await open_chronicle(place)
    first = await chronicle.add(visits("1"), NOW, {})
    await settled(chronicle, "2")
    await settled(chronicle, "3")
    assert await told(chronicle) == [], "a block is told although one before it is not settled"
    chronicle.settle(first)
    await chronicle.add(visits("4"), NOW, {})
    assert await told(chronicle) == ["1", "2", "3"], "the next block does not bring the mark, or too much of it"
    await chronicle.aclose()


async def what_was_struck_out_is_never_told(open_chronicle: Opener, place: Path) -> None:
    chronicle = await open_chronicle(place)
    await settled(chronicle, "1", "2", "3", struck=(1, 3))
    await settled(chronicle, "4", struck=(1,))
    await settled(chronicle, "5")
    for _ in range(2):
        await chronicle.aclose()
        chronicle = await open_chronicle(place)
        assert await told(chronicle) == ["2", "5"], "what was struck out is told, or something else is not"
        assert await chronicle.lag("") == 2, "what was struck out is counted"
    await chronicle.aclose()


async def a_position_leads_on(open_chronicle: Opener, place: Path) -> None:
    chronicle = await open_chronicle(place)
    for number in range(5):
        await settled(chronicle, f"{number}a", f"{number}b", f"{number}c", struck=(2,) if number == 3 else ())
    await chronicle.aclose()
    chronicle = await open_chronicle(place)
    position, found, ids = "", list[str](), list[str]()
    while events := await chronicle.after(position, 4):
        assert len(events) <= 4, "more is told than was asked for"
        found += [event.said["url"].rpartition("/")[2] for event in events]
        ids += [event.id for event in events]
        position = events[-1].id
        assert await chronicle.lag(position) == 14 - len(found), "the lag is not what comes after"
    assert found == [f"{number}{letter}" for number in range(5) for letter in "abc" if (number, letter) != (3, "b")]
    assert ids == sorted(set(ids)), "ids do not grow"
    await chronicle.aclose()


async def a_writer_finds_what_the_one_before_left_unsettled(open_chronicle: Opener, place: Path) -> None:
    chronicle = await open_chronicle(place)
    await settled(chronicle, "1")
    left = [await chronicle.add(visits("2", "3"), NOW, {}), await chronicle.add(visits("4"), NOW + 1, {})]
    await chronicle.aclose()
    chronicle = await open_chronicle(place)
    assert await told(chronicle) == ["1"], "what nobody has settled is told"
    found = await chronicle.unsettled()
    assert [(block.block, block.at, list(block.keys)) for block in found] == [
        (left[0], NOW, [1, 2]),
        (left[1], NOW + 1, [1]),
    ], "blocks that were left behind are not found, or their times and lines are not exact"
    assert found[0].keys[2] == "http://a.example/3"
    chronicle.settle(left[0], [1])
    chronicle.settle(left[1])
    await settled(chronicle, "5")
    await chronicle.aclose()
    chronicle = await open_chronicle(place)
    assert await told(chronicle) == ["1", "3", "4", "5"]
    assert not await chronicle.unsettled(), "what was settled is found again"
    await chronicle.aclose()


async def its_chain_holds(open_chronicle: Opener, place: Path) -> None:
    chronicle = await open_chronicle(place)
    await settled(chronicle, "1", "2")
    before = await chronicle.chain_head()
    await settled(chronicle, "3", "\ud800")  # half a surrogate pair
    after = await chronicle.chain_head()
    assert before and after and before.hash != after.hash and before.block < after.block, "another block, the same hash"
    blocks = [block async for block in chronicle.audit()]
    assert [block.problem for block in blocks if block.problem] == [] and sum(block.lines for block in blocks) == 4
    await chronicle.aclose()


async def a_checkpoint_tells_the_same_and_goes_on(open_chronicle: Opener, place: Path) -> None:
    chronicle = await open_chronicle(place)
    await settled(chronicle, "1", "2")
    await settled(chronicle, "3")
    await settled(chronicle, "4")
    before = await chronicle.after("", 2)
    await chronicle.checkpoint(DirectoryShelving(place.with_name("copy")))
    await settled(chronicle, "5")
    await chronicle.aclose()
    copy = await open_chronicle(place.with_name("copy"))
    assert (await copy.after("", 2)) == before, "a copy tells something else"
    for block in await copy.unsettled():
        copy.settle(block.block)
    await settled(copy, "6")
    await copy.aclose()
    copy = await open_chronicle(place.with_name("copy"))
    assert await told(copy) == ["1", "2", "3", "4", "6"]
    await copy.aclose()


async def a_reader_may_note_how_far_it_is(open_chronicle: Opener, place: Path) -> None:
    chronicle = await open_chronicle(place)
    await settled(chronicle, "1")
    await chronicle.keep_from("webhook+https://a.example/x?y", await chronicle.head())
    await chronicle.aclose()


RULES: tuple[Rule, ...] = (
    a_new_chronicle_tells_nothing,
    what_was_settled_is_told_in_its_order,
    what_is_not_settled_is_not_told,
    what_was_struck_out_is_never_told,
    a_position_leads_on,
    a_writer_finds_what_the_one_before_left_unsettled,
    its_chain_holds,
    a_checkpoint_tells_the_same_and_goes_on,
    a_reader_may_note_how_far_it_is,
)
