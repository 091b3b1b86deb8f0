"""The checker of a link graph: what any implementation of `joints.graph.LinkGraph` has to promise.

    for rule in RULES:
        await rule(open_graph)

`open_graph` opens the graph in the directory it is given, empty when there is none.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

from gossamer.edges import NOFOLLOW, NUMBERS, pack
from gossamer.joints.graph import LinkGraph
from gossamer.records.entry import LinkKind
from gossamer.storage.shelving import DirectoryShelving

Opener = Callable[[Path], Awaitable[LinkGraph]]
Rule = Callable[[Opener, Path], Awaitable[None]]

HIGH = (1 << 64) - 1  # the highest fingerprint there is
ANCHOR = NUMBERS[LinkKind.ANCHOR]
SOME = pack([1, 2, HIGH], [ANCHOR, ANCHOR | NOFOLLOW, NUMBERS[LinkKind.IMAGE]])
OTHERS = pack([3], [ANCHOR])


async def walked(graph: LinkGraph) -> list[tuple[int, bytes]]:
    """Return every page with its edges."""
    return [page async for page in graph.pages()]


async def what_was_put_is_walked_over(open_graph: Opener, place: Path) -> None:
    graph = await open_graph(place)
    await graph.put([(10, SOME), (HIGH, OTHERS), (0, b"")])
    await graph.put([(11, OTHERS)])
    await graph.put([])
    found = dict(await walked(graph))
    assert found == {10: SOME, HIGH: OTHERS, 0: b"", 11: OTHERS}, "pages or edges are not as they were put"
    await graph.aclose()


async def a_new_graph_is_empty(open_graph: Opener, place: Path) -> None:
    graph = await open_graph(place)
    assert await walked(graph) == [], "a new graph holds something"
    await graph.aclose()


async def the_last_edges_of_a_page_count(open_graph: Opener, place: Path) -> None:
    graph = await open_graph(place)
    await graph.put([(10, SOME), (11, SOME)])
    await graph.put([(10, OTHERS)])
    await graph.put([(12, SOME), (12, OTHERS), (11, b"")])
    found = await walked(graph)
    assert len(found) == 3, "a page is walked over more than once"
    assert dict(found) == {10: OTHERS, 11: b"", 12: OTHERS}, "older edges of a page are still there"
    await graph.aclose()


async def a_visit_that_is_repeated_changes_nothing(open_graph: Opener, place: Path) -> None:
    graph = await open_graph(place)
    for _ in range(3):
        await graph.put([(10, SOME), (11, OTHERS)])
    assert sorted(await walked(graph)) == [(10, SOME), (11, OTHERS)]
    await graph.aclose()


async def what_was_put_is_there_after_closing_and_opening(open_graph: Opener, place: Path) -> None:
    graph = await open_graph(place)
    await graph.put([(10, SOME), (11, OTHERS)])
    await graph.aclose()
    await graph.aclose()
    graph = await open_graph(place)
    await graph.put([(11, SOME)])
    await graph.aclose()
    graph = await open_graph(place)
    assert dict(await walked(graph)) == {10: SOME, 11: SOME}, "the graph does not hold what it held when it was closed"
    await graph.aclose()


async def a_checkpoint_opens_as_the_graph_it_was_taken_of(open_graph: Opener, place: Path) -> None:
    graph, target = await open_graph(place), place.with_name("copy")
    await graph.put([(10, SOME)])
    await graph.checkpoint(DirectoryShelving(target))
    await graph.put([(10, OTHERS), (11, OTHERS)])
    copy = await open_graph(target)
    assert dict(await walked(copy)) == {10: SOME}, "the copy is not what was there when it was taken"
    await copy.put([(12, SOME)])
    assert dict(await walked(graph)) == {10: OTHERS, 11: OTHERS}, "what is put into the copy is in the graph"
    await copy.aclose()
    await graph.aclose()


RULES: tuple[Rule, ...] = (
    what_was_put_is_walked_over,
    a_new_graph_is_empty,
    the_last_edges_of_a_page_count,
    a_visit_that_is_repeated_changes_nothing,
    what_was_put_is_there_after_closing_and_opening,
    a_checkpoint_opens_as_the_graph_it_was_taken_of,
)
