"""The checker of a catalog's lists: what `page_list` and `get_by_id` promise. `catalog.py` has it among its rules."""

from collections.abc import Awaitable, Callable
from typing import Any

from gossamer.errors import CursorError, UsageError
from gossamer.joints.catalog import Catalog
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.pagequery import EVERY_PAGE, Order, PageQuery
from gossamer.records.reason import because
from gossamer.url.fingerprint import fingerprint

Opener = Callable[[], Awaitable[Catalog]]
Rule = Callable[[Opener], Awaitable[None]]
HOSTS = ("a.test", "b.test", "c.test:8080")
OUTCOMES = (
    (Outcome.OK, 200, "text/html", None),
    (Outcome.GONE, 404, "text/html", because("http.status", status=404)),
    (Outcome.OK, 200, "application/pdf", None),
    (Outcome.TIMED_OUT, 0, "", because("fetch.timeout", seconds=30)),
)
QUERIES = (
    EVERY_PAGE,
    PageQuery(order=Order.KEY),
    PageQuery(host="a.test"),
    PageQuery(host="a.test", order=Order.NEW),
    PageQuery(host="c.test"),
    PageQuery(host="c.test:8080", outcome="gone"),
    PageQuery(host="b.test", status=404, order=Order.NEW),
    PageQuery(host="b.test", mime="application/pdf"),
    PageQuery(outcome="ok"),
    PageQuery(outcome="gone"),
    PageQuery(status=200),
    PageQuery(status=404, since=10.0, until=40.0),
    PageQuery(mime="application/pdf", since=20.0),
    PageQuery(mime="application/pdf", order=Order.KEY),
    PageQuery(rule="http.status", outcome="gone"),
    PageQuery(cut=True),
    PageQuery(cut=True, outcome="ok"),
    PageQuery(outcome="gone", mime="application/pdf"),  # there is none
    PageQuery(outcome="throttled"),  # nor any of these
    PageQuery(since=30.0),
    PageQuery(until=30.0),
    PageQuery(words="apples"),
    PageQuery(words="apples", order=Order.NEW),
    PageQuery(words="apples pears", host="a.test"),
    PageQuery(words="apples", outcome="gone", order=Order.NEW),
    PageQuery(words="nowhere"),
    PageQuery(words="-"),
)


def page(number: int, **facts: Any) -> Page:
    """Make the page of a number; some are fetched in the same second."""
    host = HOSTS[number % 3]
    outcome, status, mime, reason = OUTCOMES[number // 2 % 4]
    fruits = ("apples and pears", "pears", "apples", "plums")[number % 4]
    own: dict[str, Any] = {
        "url": f"http://{host}/{fruits.replace(' ', '-')}/{number:02}",
        "key": f"http://{host}/{number:02}",
        "host": host.partition(":")[0],
        "outcome": outcome,
        "status": status,
        "mime": mime,
        "reason": reason,
        "title": fruits if number % 5 else "",
        "fetched_at": float(number // 3 * 3),
        "truncated": "length" if number % 7 == 0 else "",
        "duplicate_of": "http://elsewhere.test/" if number % 11 == 0 else "",
    }
    return Page(**{**own, **facts})


async def listed(
    catalog: Catalog, query: PageQuery, limit: int, between: Callable[[], Awaitable[None]] | None = None
) -> list[Page]:
    """Return all pages of a query, slice by slice; `between` is called between two of them."""
    found: list[Page] = []
    cursor, slices = "", 0
    while True:
        part = await catalog.page_list(query, limit, cursor)
        assert len(part.items) <= limit, f"{len(part.items)} pages where {limit} were asked for"
        found += part.items
        slices += 1
        assert slices < 1_000, "a list has no end"
        if not part.next:
            return found
        assert part.next != cursor, "a cursor does not go on"
        cursor = part.next
        if between is not None:
            await between()


async def slices_are_the_pages_of_a_walk(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page(number) for number in range(60)])
    for query in QUERIES:
        walked = [found async for found in catalog.pages(query)]
        matching = {found.key for found in [page(number) for number in range(60)] if _matches(found, query)}
        if not query.words:
            assert {found.key for found in walked} == matching, f"{query} gives {[found.key for found in walked]}"
        for limit in (1, 7, 200):
            assert await listed(catalog, query, limit) == walked, f"slices of {limit} are not the pages of {query}"
    await catalog.aclose()


def _matches(page: Page, query: PageQuery) -> bool:
    host, _, port = query.host.partition(":")
    wanted = {"host": host, "outcome": query.outcome, "mime": query.mime, "status": query.status}
    return (
        all(getattr(page, name) == value for name, value in wanted.items() if value not in ("", None))
        and (not port or f":{port}/" in page.key)
        and (not query.rule or (page.reason is not None and page.reason.rule == query.rule))
        and (not query.cut or page.truncated != "")
        and (query.since is None or page.fetched_at >= query.since)
        and (query.until is None or page.fetched_at < query.until)
    )


async def pages_come_in_the_order_that_is_asked_for(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page(number) for number in range(60)])
    times = [found.fetched_at for found in await listed(catalog, EVERY_PAGE, 8)]
    assert times == sorted(times, reverse=True), "not the newest first"
    every = sorted(page(number).key for number in range(60))
    keys = [found.key for found in await listed(catalog, PageQuery(order=Order.KEY), 8)]
    assert keys == every, "not by key"
    keys = [found.key for found in await listed(catalog, PageQuery(host="b.test"), 8)]
    assert keys == [key for key in every if "//b.test/" in key], "the pages of a host do not come by key"
    times = [found.fetched_at for found in await listed(catalog, PageQuery(host="b.test", order=Order.NEW), 8)]
    assert times == sorted(times, reverse=True) and len(times) == 20, "not the newest of a host first"
    newest = [found.key[-2:] for found in await listed(catalog, PageQuery(words="pears", order=Order.NEW), 8)]
    assert newest == sorted(newest, reverse=True) and len(newest) == 30, "what was found last does not come first"
    best = await listed(catalog, PageQuery(words="pears apples"), 4)
    assert [found.duplicate_of != "" for found in best] == [False] * 13 + [True] * 2, "copies do not come last"
    titled = [found.title != "" for found in best if not found.duplicate_of]
    assert titled == sorted(titled, reverse=True), "words in a title do not count more"
    phrase = await listed(catalog, PageQuery(words='apples "and pears"'), 4)
    assert {found.key for found in phrase} == {found.key for found in best}, "a phrase finds other pages"
    for nonsense in (PageQuery(order=Order.BEST), PageQuery(words="pears", order=Order.KEY)):
        try:
            await catalog.page_list(nonsense, 5)
        except UsageError:
            continue
        raise AssertionError(f"{nonsense} has no order, and is answered")
    await catalog.aclose()


async def words_that_stand_together_come_before_others(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    titles = ("red green apples", "apples red", "green red apples", "red apples")
    await catalog.add([page(number, title=title) for number, title in enumerate(titles)])
    found = [one.title for one in await listed(catalog, PageQuery(words="red apples"), 3)]
    assert found[:2] == ["red apples", "green red apples"] and len(found) == 4, f"they come as {found}"
    await catalog.aclose()


async def pages_that_are_added_between_two_slices_disturb_no_other(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    old = [page(number) for number in range(60)]
    await catalog.add(old)
    number, left = 100, 0

    async def add() -> None:
        nonlocal number, left
        if left > 0:
            await catalog.add([page(each, fetched_at=1_000.0 + each) for each in range(number, number + 5)])
            number, left = number + 5, left - 1

    keys = {one.key for one in old}
    for query in QUERIES:
        left = 2
        before = [found.key async for found in catalog.pages(query) if found.key in keys]
        after = [found.key for found in await listed(catalog, query, 4, add)]
        assert len(after) == len(set(after)), f"{query} gives a page twice"
        assert [key for key in after if key in keys] == before, f"{query} loses a page, or changes its order"
    await catalog.aclose()


async def a_page_that_is_fetched_again_disturbs_no_other(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page(number) for number in range(60)])
    whole = [found.key for found in await listed(catalog, EVERY_PAGE, 60)]
    first = await catalog.page_list(EVERY_PAGE, 10)
    await catalog.add([page(number, fetched_at=500.0) for number in (59, 30)])  # one that was given, one that was not
    rest, cursor = [], first.next
    while cursor:
        part = await catalog.page_list(EVERY_PAGE, 10, cursor)
        rest += [found.key for found in part.items]
        cursor = part.next
    given = [found.key for found in first.items]
    assert given + rest == [key for key in whole if key != page(30).key], "another page is lost, or comes twice"
    await catalog.aclose()


async def a_cursor_of_another_query_is_refused(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page(number) for number in range(60)])
    cursor = (await catalog.page_list(PageQuery(outcome="ok"), 5)).next
    assert cursor and cursor.isascii() and not set(cursor) & set(" /+&?=#%"), f"{cursor!r} cannot stand in a URL as it is"
    assert (await catalog.page_list(PageQuery(outcome="ok"), 3, cursor)).items, "a cursor is not taken with another limit"
    others = (
        EVERY_PAGE,
        PageQuery(outcome="gone"),
        PageQuery(outcome="ok", status=200),
        PageQuery(outcome="ok", order=Order.KEY),
    )
    tries = [(query, cursor) for query in others]
    tries += [(PageQuery(outcome="ok"), text) for text in ("x", "ü", "AAAAAAAAAAAA", cursor[:-3], cursor[1:], "a" * 5_000)]
    for query, text in tries:
        try:
            await catalog.page_list(query, 5, text)
        except CursorError:
            continue
        raise AssertionError(f"{text[:40]!r} is taken as a cursor of {query}")
    await catalog.aclose()


async def a_page_is_found_by_the_fingerprint_of_its_key(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page(number) for number in range(60)])
    await catalog.add([page(7, title="again")])
    for number in (0, 7, 59):
        found = await catalog.get_by_id(fingerprint(page(number).key))
        assert found is not None and found.key == page(number).key, "a page is not found by its fingerprint"
        assert found == await catalog.get(found.key), "it is not the page as it is now"
    assert await catalog.get_by_id(fingerprint("http://a.test/none")) is None, "a page is found that is not there"
    assert await catalog.get_by_id(0) is None and await catalog.get_by_id(2**64 - 1) is None
    await catalog.aclose()


LIST_RULES: tuple[Rule, ...] = (
    slices_are_the_pages_of_a_walk,
    pages_come_in_the_order_that_is_asked_for,
    words_that_stand_together_come_before_others,
    pages_that_are_added_between_two_slices_disturb_no_other,
    a_page_that_is_fetched_again_disturbs_no_other,
    a_cursor_of_another_query_is_refused,
    a_page_is_found_by_the_fingerprint_of_its_key,
)
