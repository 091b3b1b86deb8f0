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


async def the_links_of_one_page_are_found_in_both_directions(open_graph: Opener, place: Path) -> None:
    graph = await open_graph(place)
    image = NUMBERS[LinkKind.IMAGE]
    await graph.put([(10, SOME), (11, OTHERS), (12, pack([2, 2], [ANCHOR, image]))])
    await graph.put([(13, b""), (11, SOME)])
    assert await graph.links_from(10, 60) == SOME
    assert await graph.links_from(11, 60) == SOME, "older edges of a page are told"
    assert await graph.links_from(13, 60) == b"" and await graph.links_from(99, 60) is None
    both = [(10, ANCHOR | NOFOLLOW), (11, ANCHOR | NOFOLLOW), (12, ANCHOR), (12, image)]
    assert await graph.links_to(2, 60) == both
    assert await graph.links_to(3, 60) == [], "a page that no longer links there is told"
    await graph.put([(10, OTHERS), (10, b"")])
    assert await graph.links_to(3, 60) == [] and await graph.links_to(2, 60) == both[1:]
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


async def ranks_are_kept_beside_the_graph(open_graph: Opener, place: Path) -> None:
    graph = await open_graph(place)
    await graph.put([(10, SOME)])
    table = await graph.ranks()
    assert len(table) == table.pages == 0 and table.of([1, 10]) == [0.0, 0.0], "a new graph has ranks"
    await graph.keep_ranks([1, 10, HIGH], [0.5, 1.5, 1.0])
    table = await graph.ranks()
    assert len(table) == 3 and table.of([HIGH, 2, 1, 10]) == [1.0, 0.0, 0.5, 1.5], "ranks are not as they were kept"
    await graph.keep_ranks([10], [1.0])
    await graph.aclose()
    graph, target = await open_graph(place), place.with_name("copy")
    assert (await graph.ranks()).of([1, 10]) == [0.0, 1.0], "ranks that were replaced are still there, or the others are not"
    await graph.checkpoint(DirectoryShelving(target))
    copy = await open_graph(target)
    assert (await copy.ranks()).of([10]) == [1.0], "a checkpoint has no ranks"
    await copy.aclose()
    await graph.aclose()


async def a_graph_that_grows_is_ranked(open_graph: Opener, place: Path) -> None:
    graph = await open_graph(place)
    ranking = graph.ranking(1 << 24)
    await graph.put([(1, pack([2, 3], [ANCHOR, ANCHOR])), (4, pack([2], [ANCHOR]))], [100, 200])
    best = await ranking.renew(9, 0.0)
    assert [name for name, *_ in best] == [2, 3], f"what is linked most is not ranked highest: {best}"
    table = await graph.ranks()
    assert table.pages == 2 and min(table.of([2, 3])) > 0, "ranks of a crawl are not kept, or not from how many pages"
    await graph.put([(2, pack([3, 5], [ANCHOR, ANCHOR]))], [300])
    assert {name for name, *_ in await ranking.renew(9, 0.0)} <= {3, 5}, "a page that was read is told of as if it was not"
    assert len(await ranking.renew(1, 0.0)) <= 1 and not ranking.is_full
    await graph.aclose()


async def a_graph_that_was_compacted_says_the_same(open_graph: Opener, place: Path) -> None:
    graph = await open_graph(place)
    for edges in (SOME, OTHERS, b"", SOME):
        await graph.put([(10, edges), (11, OTHERS)])
    await graph.aclose()
    await graph.compact()
    graph = await open_graph(place)
    assert dict(await walked(graph)) == {10: SOME, 11: OTHERS}, "a graph that was compacted has other edges"
    await graph.put([(12, OTHERS)])
    assert sorted(dict(await walked(graph))) == [10, 11, 12], "a graph that was compacted takes no more"
    await graph.aclose()


RULES: tuple[Rule, ...] = (
    ranks_are_kept_beside_the_graph,
    a_graph_that_grows_is_ranked,
    a_graph_that_was_compacted_says_the_same,
    what_was_put_is_walked_over,
    a_new_graph_is_empty,
    the_last_edges_of_a_page_count,
    the_links_of_one_page_are_found_in_both_directions,
    a_visit_that_is_repeated_changes_nothing,
    what_was_put_is_there_after_closing_and_opening,
    a_checkpoint_opens_as_the_graph_it_was_taken_of,
)
