"""The checker of a catalog's items: what `joints.catalog.Harvests` promises. `catalog.py` has it among its rules."""

from collections.abc import Awaitable, Callable
from typing import Any

from gossamer.joints.catalog import Catalog
from gossamer.records.item import Harvest, Item, ReaderProblem
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.pagequery import PageQuery

Opener = Callable[[], Awaitable[Catalog]]
Rule = Callable[[Opener], Awaitable[None]]


def page(key: str, **facts: Any) -> Page:
    """Make a page of host a.test that ended well, but for the facts given."""
    url = key if "://" in key else f"http://a.test/{key}"
    return Page(key=key, **{"url": url, "host": "a.test", "outcome": Outcome.OK, "status": 200, "mime": "text/html", **facts})


def harvest(*contents: str, problems: int = 0) -> Harvest:
    """Make what a reader named `item` found."""
    found = tuple(ReaderProblem("item", f"KeyError: {number}", "shop.py:7", "a trace") for number in range(problems))
    return Harvest(tuple(Item("item", content.encode()) for content in contents), found)


async def found(catalog: Catalog, **wanted: Any) -> list[tuple[str, bytes]]:
    """Return page and content of items."""
    own = {name: wanted.pop(name) for name in ("key", "reader", "limit") if name in wanted}
    return [(item.url.rpartition("/")[2], item.content) async for item in catalog.items(PageQuery(**wanted), **own)]


async def what_readers_found_comes_back_with_its_page(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    row = page("a", fetched_at=5.0, captured_at=4.0)
    await catalog.add([row, page("b")], harvests={"a": harvest('{"n":1}', '{"n":"ü"}', problems=1)})
    catalog = await open_catalog()
    first, second = [item async for item in catalog.items()]
    assert (first.url, first.host, first.fetched_at, first.reader) == (row.url, "a.test", 4.0, "item")
    assert (first.content, second.content, first.number < second.number) == (b'{"n":1}', '{"n":"ü"}'.encode(), True)
    (problem,) = [problem async for problem in catalog.problems()]
    assert (problem.url, problem.reader, problem.error) == (row.url, "item", "KeyError: 0")
    assert (problem.where, problem.trace, problem.fetched_at) == ("shop.py:7", "a trace", 4.0)


async def a_new_harvest_of_a_page_takes_the_place_of_the_last_one(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page("a"), page("b")], harvests={"a": harvest("1", "2", problems=1), "b": harvest("3")})
    before = [item.number async for item in catalog.items()]
    await catalog.add([page("a", outcome=Outcome.NOT_MODIFIED), page("c")])
    assert await found(catalog) == [("a", b"1"), ("a", b"2"), ("b", b"3")], "a visit that found nothing new took items away"
    await catalog.add([page("a")], harvests={"a": harvest("4")})
    assert await found(catalog) == [("b", b"3"), ("a", b"4")]
    assert [problem async for problem in catalog.problems()] == []
    await catalog.add([page("a")], harvests={"a": harvest()})
    assert await found(catalog) == [("b", b"3")]
    await catalog.add([page("a")], harvests={"a": harvest("5")})
    (last,) = [item.number async for item in catalog.items(key="a")]
    assert last > max(before) + 1, "a number was given twice"


async def a_page_that_is_a_copy_now_leaves_its_items_to_its_heir_where_that_has_the_same(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    both = Harvest((Item("item", b"1"), Item("offer", b"2")))
    await catalog.add([page("a"), page("b")], harvests={"a": both, "b": harvest("3")})
    heir = page("heir")
    copies = [page(key, outcome=Outcome.DUPLICATE, duplicate_of=heir.url) for key in ("a", "b")]
    await catalog.add([copies[0], heir], [(copies[0], heir)], {"heir": harvest("4")})
    assert await found(catalog) == [("a", b"2"), ("b", b"3"), ("heir", b"4")]
    near = page("b", outcome=Outcome.NEAR_DUPLICATE, duplicate_of=heir.url)
    await catalog.add([near, heir], [(near, heir)])
    assert await found(catalog, key="b") == [("b", b"3")], "a near copy has its own text, and its own items"


async def items_of_an_older_lease_are_not_kept(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page("a", token=3)], harvests={"a": harvest("new")})
    await catalog.add([page("a", token=2)], harvests={"a": harvest("late", problems=1)})
    assert await found(catalog) == [("a", b"new")]
    assert [problem async for problem in catalog.problems()] == []


async def items_are_found_by_all_that_is_given(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    other = Harvest((Item("shelf", b"3"),))
    pages = [page("http://a.test/a", fetched_at=1.0), page("http://b.test/b", host="b.test", status=203, fetched_at=2.0)]
    pages.append(page("http://a.test/c", mime="text/plain", fetched_at=3.0))
    keys = [one.key for one in pages]
    await catalog.add(pages, harvests={keys[0]: harvest("1"), keys[1]: harvest("2"), keys[2]: other})
    wanted: list[tuple[dict[str, Any], list[bytes]]] = [
        ({"host": "a.test"}, [b"1", b"3"]),
        ({"status": 203}, [b"2"]),
        ({"mime": "text/plain"}, [b"3"]),
        ({"outcome": "gone"}, []),
        ({"since": 2.0, "until": 3.0}, [b"2"]),
        ({"reader": "item", "host": "a.test"}, [b"1"]),
        ({"key": keys[1]}, [b"2"]),
        ({"limit": 2}, [b"1", b"2"]),
    ]
    for given, contents in wanted:
        assert [content for _, content in await found(catalog, **given)] == contents, given


async def a_walk_over_items_goes_on_after_the_last_number(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    for number in range(6):
        await catalog.add([page(str(number))], harvests={str(number): harvest(str(number), problems=1)})
    seen, last = [], 0
    while some := [item async for item in catalog.items(after=last, limit=2)]:
        seen += [item.content for item in some]
        last = some[-1].number
        await catalog.add([page("0")], harvests={"0": harvest("again")}) if len(seen) == 2 else None
    assert seen == [b"0", b"1", b"2", b"3", b"4", b"5", b"again"]
    problems = [problem.number async for problem in catalog.problems(limit=3)]
    assert len(problems) == 3 and [one.number async for one in catalog.problems(after=problems[-1])] > problems[-1:]


ITEM_RULES: tuple[Rule, ...] = (
    what_readers_found_comes_back_with_its_page,
    a_new_harvest_of_a_page_takes_the_place_of_the_last_one,
    a_page_that_is_a_copy_now_leaves_its_items_to_its_heir_where_that_has_the_same,
    items_of_an_older_lease_are_not_kept,
    items_are_found_by_all_that_is_given,
    a_walk_over_items_goes_on_after_the_last_number,
)
