"""The checker of a catalog: what any implementation of `joints.catalog.Catalog` has to promise.

    for rule in RULES:
        await rule(open_catalog)

`open_catalog` opens the same catalog each time it is called, empty at first.

It is long because it is a list of promises about pages, words, walks and captures, which share nothing but how a page is made.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from gossamer.errors import StoreError
from gossamer.joints.catalog import Catalog
from gossamer.records.freshness import Freshness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page, Place, values_of
from gossamer.records.pagequery import EVERY_PAGE, Order, PageQuery
from gossamer.records.reason import because
from gossamer.testing.catalog_items import ITEM_RULES
from gossamer.testing.catalog_lists import LIST_RULES

Opener = Callable[[], Awaitable[Catalog]]
Rule = Callable[[Opener], Awaitable[None]]


def page(key: str, **facts: Any) -> Page:
    """Make a page of host a.test that ended well, but for the facts given."""
    defaults = {"url": f"http://a.test/{key}", "host": "a.test", "outcome": Outcome.OK, "status": 200, "mime": "text/html"}
    return Page(key=key, **{**defaults, **facts})


async def keys(catalog: Catalog, **wanted: Any) -> list[str]:
    """Return the keys of the pages that match."""
    limit = wanted.pop("limit", None)
    return [found.key async for found in catalog.pages(PageQuery(**wanted), limit)]


async def a_page_comes_back_with_every_fact(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    full = Page(
        url="http://a.test/ü?q=\x00'\"",
        key="full",
        host="a.test",
        outcome=Outcome.DUPLICATE,
        reason=because("http.status", status=200),
        status=203,
        mime="text/plain",
        digest="sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        length=2**40,
        title="a title 漢字 \N{PILE OF POO}",
        language="de",
        charset="utf-8",
        fetched_at=1_790_000_000.123456,
        response_seconds=0.25,
        depth=3,
        via="http://a.test/via",
        canonical="http://a.test/canonical",
        duplicate_of="http://a.test/first",
        truncated="length",
        links=12,
        links_cut=1,
        place=Place("file.warc.gz", 2**33, 512),
        noindex=True,
        noarchive=True,
        simhash=2**64 - 1,
        outlinks=2**63,
        captured_at=1_780_000_000.654321,
        freshness=Freshness(7, 2, 1.5, 2.5, 900.0, bytes(range(48)), '"ü\x00"', "Sat, 01 Jan 2000 00:00:00 GMT"),
    )
    bare = page("bare")
    await catalog.add([full, bare])
    assert await catalog.get("full") == full, "a fact of a page changed"
    assert await catalog.get("bare") == bare, "a fact of a page was made up"
    assert await catalog.get("unknown") is None, "a page that was never added is there"
    assert [found async for found in catalog.pages(PageQuery(status=203))] == [full], (
        "a page that is walked over is not the one that was added"
    )
    await catalog.aclose()


async def fields_of_pages_are_those_of_the_pages(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page(f"{number}", fetched_at=float(number), place=Place("f", number, 9)) for number in range(5)])
    odd = page("odd", outcome=Outcome.GONE, reason=because("http.status", status=404), simhash=2**64 - 1, noindex=True)
    await catalog.add([odd, page("known", freshness=Freshness(visits=3), outlinks=1)])
    gone, throttled = PageQuery(outcome="gone"), PageQuery(outcome="throttled")
    for query, limit in ((EVERY_PAGE, None), (gone, None), (throttled, None), (EVERY_PAGE, 3)):
        pages = [found async for found in catalog.pages(query, limit)]
        fields = [*Page.__struct_fields__, "place.file", "place.offset", "place.length"]
        walked = [batch async for batch in catalog.columns(fields, 2, query, limit)]
        assert [len(batch[0]) for batch in walked] == [2] * (len(pages) // 2) + [1] * (len(pages) % 2), "not so many at a time"
        for number, field in enumerate(fields):
            assert [value for batch in walked for value in batch[number]] == values_of(field, pages), f"{field} differs"
    await catalog.aclose()


async def a_later_visit_takes_the_place_of_an_earlier(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page("a", title="old words", length=10), page("b", length=1)])
    await catalog.add([page("a", title="middle"), page("a", title="new things", outcome=Outcome.GONE, status=404, length=5)])
    assert [found.title async for found in catalog.pages() if found.key == "a"] == ["new things"], "two rows for one key"
    assert await keys(catalog, words="old") == [] and await keys(catalog, words="middle") == [], (
        "words of an older visit are still found"
    )
    assert await keys(catalog, words="things") == ["a"], "words of the last visit are not found"
    assert await catalog.counts() == {"gone": 1, "ok": 1}, f"the counts are {await catalog.counts()}"
    await catalog.aclose()


async def pages_are_found_by_all_that_is_given(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    one, two, three = "http://a.test/one", "http://b.test/two", "http://b.test/three"
    await catalog.add(
        [
            page(one, fetched_at=1.0),
            page(
                two, fetched_at=2.0, host="b.test", status=404, outcome=Outcome.GONE, reason=because("http.status", status=404)
            ),
            page(three, fetched_at=3.0, host="b.test", mime="image/png", truncated="length"),
        ]
    )
    expected: list[tuple[dict[str, Any], list[str]]] = [
        ({}, [three, two, one]),
        ({"limit": 2}, [three, two]),
        ({"host": "b.test"}, [three, two]),
        ({"status": 404}, [two]),
        ({"outcome": "gone"}, [two]),
        ({"outcome": Outcome.OK}, [three, one]),
        ({"mime": "image/png"}, [three]),
        ({"rule": "http.status"}, [two]),
        ({"rule": "scope.within"}, []),
        ({"cut": True}, [three]),
        ({"since": 2.0}, [three, two]),
        ({"until": 2.0}, [one]),
        ({"since": 2.0, "until": 3.0}, [two]),
        ({"host": "b.test", "outcome": "ok"}, [three]),
        ({"host": "c.test"}, []),
        ({"limit": 0}, []),
    ]
    for wanted, found in expected:
        assert await keys(catalog, **wanted) == found, f"{wanted} gives {await keys(catalog, **wanted)}, not {found}"
    assert (await catalog.totals()).bodies_cut == 1, "a body that is not whole is not counted"
    await catalog.aclose()


async def pages_are_walked_over_in_the_order_of_their_keys(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    named = ["http://b.test/", "http://a.test/ü", "http://a.test/z", "http://a.test/%41", "http://a.test/A"]
    await catalog.add([page(key, fetched_at=float(number)) for number, key in enumerate(named)])
    await catalog.add([page(named[2], fetched_at=9.0, outcome=Outcome.GONE, status=404)])
    found = [one.key async for one in catalog.pages(PageQuery(order=Order.KEY))]
    assert found == sorted(named), f"the keys come as {found}, each once and in order they are {sorted(named)}"
    await catalog.aclose()


async def the_pages_of_a_host_are_found_under_every_scheme_and_port(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    of_host = ["http://b.test/", "http://b.test/x", "http://b.test:81/", "https://b.test:8443/y", "ftp://b.test/z"]
    of_others = ["http://b.test.example/", "http://b.test0/", "http://a.b.test/", "http://b.tes/", "http://b.test-1/"]
    pages = [page(key, host="b.test") for key in of_host]
    pages += [page(key, host=key.split("/")[2]) for key in of_others]
    await catalog.add([*pages, page("http://[::1]:8080/", host="::1"), page("http://[::1]/", host="::1")])
    assert sorted(await keys(catalog, host="b.test")) == sorted(of_host), "not the pages of a host"
    assert sorted(await keys(catalog, host="::1")) == ["http://[::1]/", "http://[::1]:8080/"], "not the pages of an address"
    for named, found in (("b.test:81", "http://b.test:81/"), ("b.test:21", "ftp://b.test/z"), ("[::1]:80", "http://[::1]/")):
        assert await keys(catalog, host=named) == [found], "not the pages of one port of a host"
    assert await keys(catalog, host="b.test:8") == [], "the pages of another port"
    await catalog.aclose()


async def words_are_found_in_url_and_title(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add(
        [
            page("bees", title="Honey and Bees", url="http://a.test/insects/bees.html"),
            page("ants", title="Ants", url="http://a.test/insects/ants.html"),
            page("cafe", title="Café Zürich", host="b.test", url="http://b.test/"),
        ]
    )
    assert await keys(catalog, words="honey") == ["bees"], "a word of a title is not found"
    assert sorted(await keys(catalog, words="INSECTS")) == ["ants", "bees"], "a word of a URL is not found in any case"
    assert await keys(catalog, words="insects honey") == ["bees"], "every word has to be found, in URL or title"
    assert await keys(catalog, words="cafe zurich") == ["cafe"], "letters with marks are not found without them"
    assert await keys(catalog, words="insects cafe") == [], "pages with one of two words are found"
    assert await keys(catalog, words="insects", host="b.test") == [], "words take no notice of the host"
    assert await keys(catalog, words='"and bees"') == ["bees"], "a phrase is not found"
    assert await keys(catalog, words='"bees and"') == [], "a phrase is found in any order"
    assert await keys(catalog, words="insects", limit=1) != await keys(catalog, words="insects"), (
        "words take no notice of the limit"
    )
    await catalog.aclose()


async def what_a_user_types_is_never_an_error(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page("a", title="plain words")])
    for words in (
        '"',
        '""',
        '"plain',
        "plain AND",
        "NOT",
        "plain OR (",
        "title:plain",
        "a*b",
        "-",
        "'",
        "^plain",
        "{a}",
        "x" * 5000,
        "\x00",
        "plain\x00words",
        "é\ud800",
    ):
        assert isinstance(await keys(catalog, words=words), list), f"{words[:20]!r} cannot be searched"
    assert await keys(catalog, words='"plain') == await keys(catalog, words="plain -") == ["a"], "signs around a word hide it"
    await catalog.aclose()


async def a_page_that_asks_not_to_be_indexed_is_never_found_by_words(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page("a", title="secret", noindex=True), page("b", title="secret")])
    assert await keys(catalog, words="secret") == ["b"], "a page with noindex is found by words"
    assert sorted(await keys(catalog)) == ["a", "b"], "a page with noindex is not listed"
    await catalog.add([page("a", title="secret"), page("b", title="secret", noindex=True)])
    assert await keys(catalog, words="secret") == ["a"], (
        "a page that changed its mind about noindex is searched by its old wish"
    )
    await catalog.aclose()


async def counts_are_by_outcome(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    assert await catalog.counts() == {}, "an empty catalog counts something"
    await catalog.add([page("a"), page("b"), page("c", outcome=Outcome.TIMED_OUT)])
    assert await catalog.counts() == {"ok": 2, "timed_out": 1}, f"the counts are {await catalog.counts()}"
    await catalog.add([])
    await catalog.add([page("c")])
    assert await catalog.counts() == {"ok": 3}, f"the counts are {await catalog.counts()} after a page came out better"
    await catalog.aclose()


async def a_walk_is_not_disturbed_by_additions(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page(str(number), fetched_at=float(number)) for number in range(5)])
    seen = []
    async for found in catalog.pages():
        seen.append(found.key)
        await catalog.add([page(f"new {found.key}"), page("0", fetched_at=9.0)])
    assert seen == ["4", "3", "2", "1", "0"], f"a walk over five pages saw {seen}"
    await catalog.aclose()


async def a_row_is_never_replaced_by_one_of_an_older_lease(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    place = Place("f", 7, 1)
    await catalog.add([page("a", title="newest", token=3), page("b", token=1)])
    await catalog.add([page("a", title="late", token=2, outcome=Outcome.GONE, place=place), page("b", title="next", token=2)])
    await catalog.add([page("b", title="middle", token=4), page("b", title="late", token=3), page("c", token=1)])
    rows = {key: found.title for key in "abc" if (found := await catalog.get(key))}
    assert rows == {"a": "newest", "b": "middle", "c": ""}, f"a row of an older lease took the place of a newer: {rows}"
    assert await keys(catalog, words="late") == [] and await keys(catalog, words="newest") == ["a"], "it is searched by it"
    assert await catalog.counts() == {"ok": 3}, f"the counts are {await catalog.counts()}"
    assert await catalog.versions("a") == [], "there is a capture of a visit that lost its lease"
    await catalog.add([page("a", title="again", token=3)])
    assert await keys(catalog, words="again") == ["a"], "a visit that was repeated with the same lease is refused"
    await catalog.aclose()


async def a_walk_over_captures_goes_on_after_what_it_gave_last(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    for number in range(12):
        await catalog.add([capture("ab"[number % 2], number)])
    older = [version async for version in catalog.excess(1)]
    gone_on = [version async for version in catalog.excess(1, older[2])]
    assert [one.key for one in older] == ["a"] * 5 + ["b"] * 5 and gone_on == older[3:], "captures are not in the order of keys"
    await catalog.aclose()


def capture(key: str, number: int, **facts: Any) -> Page:
    """Make the capture of a page that was fetched at that second, in a file that holds ten of them."""
    place = Place(f"{number // 10}.warc.gz", number % 10 * 100, 50)
    return page(key, **{"digest": f"sha1:{number}", "captured_at": float(number), "place": place, **facts})


async def numbers(catalog: Catalog, key: str) -> list[float]:
    """Return when the versions of a page were captured, in their order."""
    return [version.captured_at for version in await catalog.versions(key)]


async def every_capture_is_a_version_once(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    first = capture("a", 1, mime="text/plain", length=7, status=203)
    await catalog.add([first, capture("b", 2), page("nowhere")])
    await catalog.add([first])
    await catalog.add([capture("a", 1, outcome=Outcome.NOT_MODIFIED, status=304, fetched_at=9.0)])
    assert await numbers(catalog, "a") == [1.0], "a visit that was repeated, or that found nothing new, made a version"
    await catalog.add([capture("a", 12)])
    await catalog.add([page("a", outcome=Outcome.TIMED_OUT)])
    assert await numbers(catalog, "a") == [12.0, 1.0], "a version is lost, doubled, or not in its place"
    (_, oldest) = await catalog.versions("a")
    facts = (oldest.key, oldest.digest, oldest.place, oldest.length, oldest.status, oldest.mime)
    assert facts == ("a", first.digest, first.place, 7, 203, "text/plain"), f"a version came back as {oldest}"
    assert await catalog.versions("nowhere") == await catalog.versions("unknown") == [], (
        "there is a version of what was never kept"
    )
    await catalog.aclose()
    catalog = await open_catalog()
    assert await numbers(catalog, "a") == [12.0, 1.0], "versions do not outlive closing and opening"
    await catalog.aclose()


async def older_captures_are_in_excess_but_never_the_place_of_a_page(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    for number in range(1, 6):
        await catalog.add([capture("a", number), capture("b", 10 + number % 2)])
    for number in range(6, 9):
        await catalog.add([capture("a", number, outcome=Outcome.GONE, status=404)])
    await catalog.add([capture("b", 10)])  # what was kept first is what it shows
    found = {keep: [(one.key, one.captured_at) async for one in catalog.excess(keep)] for keep in (1, 2, 9)}
    assert found[1] == [("a", 1.0), ("a", 2.0), ("a", 3.0), ("a", 4.0), ("a", 6.0), ("a", 7.0)], f"beyond one are {found[1]}"
    assert found[2] == [("a", 1.0), ("a", 2.0), ("a", 3.0), ("a", 6.0)], f"beyond two are {found[2]}"
    assert found[9] == [], f"beyond nine are {found[9]}"
    assert ("b", 10.0) not in [(one.key, one.captured_at) async for one in catalog.excess(0)], (
        "the place of a page is in excess"
    )
    await catalog.aclose()


async def a_file_that_was_rewritten_takes_its_captures_along(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([capture("a", 1), capture("b", 2)])
    await catalog.add([capture("a", 3), capture("c", 14)])
    assert await catalog.uses("0.warc.gz") and not await catalog.uses("new.warc.gz"), "a catalog does not know its files"
    await catalog.move("0.warc.gz", "new.warc.gz", {200: 10, 300: 20, 700: 30}, {100})
    assert not await catalog.uses("0.warc.gz") and await catalog.uses("new.warc.gz"), (
        "captures are left in a file that was replaced"
    )
    assert await numbers(catalog, "a") == [3.0], "a capture that is not in the new file is remembered"
    places = {key: found.place for key in "abc" if (found := await catalog.get(key))}
    moved = {"a": Place("new.warc.gz", 20, 50), "b": Place("new.warc.gz", 10, 50), "c": Place("1.warc.gz", 400, 50)}
    assert places == moved, f"pages are at {places}"
    assert [one.place for key in "abc" for one in await catalog.versions(key)] == list(moved.values()), "versions are elsewhere"
    for gone, lost in (({20}, "what a page shows was forgotten"), ((), "a capture was lost that is not said to be gone")):
        try:
            await catalog.move("new.warc.gz", "newer.warc.gz", {10: 10}, gone)
        except StoreError:
            moved_at_all = not await catalog.uses("new.warc.gz") or await catalog.uses("newer.warc.gz")
            assert not moved_at_all, "a move that was refused did something"
        else:
            raise AssertionError(lost)
    await catalog.aclose()


async def pages_are_there_after_closing_and_opening(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page("a", title="words")])
    await catalog.aclose()
    catalog = await open_catalog()
    assert await keys(catalog, words="words") == ["a"] and await catalog.counts() == {"ok": 1}, "the catalog forgot a page"
    await catalog.aclose()


async def a_title_that_is_no_text_costs_no_page(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    await catalog.add([page("a", title="half \ud800 a pair, a \x00 byte"), page("b", title="fine")])
    assert await keys(catalog, words="pair") == ["a"] and await keys(catalog, words="byte") == ["a"], (
        "the other words of a bad title are lost"
    )
    await catalog.add([page("a", title="mended")])
    assert await keys(catalog, words="pair") == [], "the words of a bad title are never forgotten"
    assert await catalog.get("b") == page("b", title="fine"), "a bad title cost another page"
    await catalog.aclose()


async def copies_of_a_page_that_no_longer_counts_are_those_of_its_heir(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    former, heir = page("former", digest="one"), page("heir", digest="one")
    others = {"exact": "one", "near": "two"}
    near, far = page("further", digest="three", url="http://a.test/x"), page("last", digest="four", url="http://a.test/y")
    copies = [page(key, digest=digest, duplicate_of=former.url, outcome=Outcome.DUPLICATE) for key, digest in others.items()]
    await catalog.add([former, *copies, near])
    assert await catalog.copies(former.url, 10) == [copy.url for copy in copies] and await catalog.copies(former.url, 1) == [
        copies[0].url
    ]
    assert await catalog.copies(heir.url, 10) == await catalog.copies("", 10) == []
    yielded = page("former", digest="one", duplicate_of=heir.url, outcome=Outcome.DUPLICATE)
    for _ in range(2):  # as often as a visit is repeated
        await catalog.add([heir, yielded], [(yielded, heir)])
        assert sorted(await catalog.copies(heir.url, 10)) == sorted(one.url for one in (yielded, *copies)), "a copy is nobody's"
        assert await catalog.copies(former.url, 10) == [] and await catalog.counts() == {"ok": 2, "duplicate": 3}
    yielded = page("heir", digest="one", duplicate_of=far.url, outcome=Outcome.NEAR_DUPLICATE)
    await catalog.add([far, yielded], [(yielded, far)])
    assert sorted(await catalog.copies(far.url, 10)) == [heir.url, copies[1].url], "whoever has the bytes stays beside them"
    await catalog.aclose()


async def a_copy_is_not_searched_by_its_text_and_found_last_by_its_name(open_catalog: Opener) -> None:
    catalog = await open_catalog()
    places = {key: Place("f", number, 1) for number, key in enumerate(("former", "heir"))}
    former, heir = [page(key, digest=key, title="words", place=place) for key, place in places.items()]
    await catalog.add([former])
    await catalog.add_text([(former, "a text of many")])
    assert await keys(catalog, words="many") == ["former"]
    yielded = page("former", digest="former", title="words words", place=places["former"], duplicate_of=heir.url)
    await catalog.add([heir, yielded], [(yielded, heir)])
    assert await keys(catalog, words="many") == [], "a copy is found by its text"
    assert [one.key for one in await catalog.unindexed(10)] == ["heir"], "a page that counts is not to be indexed"
    assert await keys(catalog, words="words") == ["heir", "former"], "a copy is found before the page that counts"
    await catalog.aclose()


RULES: tuple[Rule, ...] = (
    a_page_comes_back_with_every_fact,
    fields_of_pages_are_those_of_the_pages,
    a_later_visit_takes_the_place_of_an_earlier,
    pages_are_walked_over_in_the_order_of_their_keys,
    pages_are_found_by_all_that_is_given,
    the_pages_of_a_host_are_found_under_every_scheme_and_port,
    words_are_found_in_url_and_title,
    what_a_user_types_is_never_an_error,
    a_title_that_is_no_text_costs_no_page,
    a_page_that_asks_not_to_be_indexed_is_never_found_by_words,
    counts_are_by_outcome,
    a_walk_is_not_disturbed_by_additions,
    a_walk_over_captures_goes_on_after_what_it_gave_last,
    a_row_is_never_replaced_by_one_of_an_older_lease,
    every_capture_is_a_version_once,
    older_captures_are_in_excess_but_never_the_place_of_a_page,
    a_file_that_was_rewritten_takes_its_captures_along,
    pages_are_there_after_closing_and_opening,
    copies_of_a_page_that_no_longer_counts_are_those_of_its_heir,
    a_copy_is_not_searched_by_its_text_and_found_last_by_its_name,
    *LIST_RULES,
    *ITEM_RULES,
)
