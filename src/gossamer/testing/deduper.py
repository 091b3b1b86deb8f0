"""The checker of a deduper: what any implementation of `joints.sameness.Deduper` has to promise.

    for rule in RULES:
        await rule(open_deduper)

`open_deduper` makes a new deduper over the same store each time it is called: the second one is what a restart finds.
"""

import asyncio
from collections.abc import Awaitable, Callable

from gossamer.joints.sameness import Deduper
from gossamer.records.page import Original

Opener = Callable[[], Deduper]
Rule = Callable[[Opener], Awaitable[None]]

FIRST = Original("http://a.test/first", "first", 1.5)
SECOND = Original("http://b.test/second", "second", 2.5)  # elsewhere: the first stays the one that counts
THIRD = Original("http://a.test/third", "third", 3.5)
ONE = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
TWO = "sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"


async def the_first_page_is_no_duplicate_and_the_next_ones_are(open_deduper: Opener) -> None:
    deduper = open_deduper()
    assert await deduper.claim(ONE, FIRST) is None, "the first page with some content is called a duplicate"
    assert await deduper.claim(ONE, SECOND) == FIRST, "the second page does not learn who was first"
    assert await deduper.claim(ONE, THIRD) == FIRST, "the third page does not learn who was first"
    assert await deduper.claim(TWO, SECOND) is None, "other content is called a duplicate"


async def of_pages_at_once_exactly_one_is_first(open_deduper: Opener) -> None:
    deduper = open_deduper()
    pages = [Original(f"http://a.test/{number}", str(number), 1.0) for number in range(50)]
    found = await asyncio.gather(*(deduper.claim(ONE, page) for page in pages))
    assert found.count(None) == 1, f"{found.count(None)} of 50 pages with one content were told to be the first"
    first = pages[found.index(None)]
    assert all(original in (None, first) for original in found), "duplicates were told different originals"


async def a_committed_claim_outlives_a_restart(open_deduper: Opener) -> None:
    deduper = open_deduper()
    await deduper.claim(ONE, FIRST)
    await deduper.commit([(ONE, FIRST)])
    assert await deduper.claim(ONE, SECOND) == FIRST, "a committed claim is forgotten"
    assert await open_deduper().claim(ONE, SECOND) == FIRST, "a committed claim did not outlive the deduper"


async def an_uncommitted_claim_does_not_outlive_a_restart(open_deduper: Opener) -> None:
    await open_deduper().claim(ONE, FIRST)
    restarted = open_deduper()
    assert await restarted.claim(ONE, SECOND) is None, "a page that was never kept is an original"


async def a_visit_repeated_after_a_crash_is_not_its_own_duplicate(open_deduper: Opener) -> None:
    deduper = open_deduper()
    await deduper.claim(ONE, FIRST)
    assert await deduper.claim(ONE, FIRST) is None, "a page is a duplicate of its own claim"
    await deduper.commit([(ONE, FIRST)])
    again = Original(FIRST.url, FIRST.key, 99.0)
    assert await open_deduper().claim(ONE, again) is None, "a page is a duplicate of its own earlier visit"


async def a_released_claim_is_free_again(open_deduper: Opener) -> None:
    deduper = open_deduper()
    await deduper.claim(ONE, FIRST)
    deduper.release(ONE, SECOND)
    assert await deduper.claim(ONE, SECOND) == FIRST, "one page released the claim of another"
    deduper.release(ONE, FIRST)
    deduper.release(ONE, FIRST)
    assert await deduper.claim(ONE, SECOND) is None, "a released claim still holds"


async def releasing_a_committed_claim_changes_nothing(open_deduper: Opener) -> None:
    deduper = open_deduper()
    await deduper.claim(ONE, FIRST)
    await deduper.commit([(ONE, FIRST)])
    deduper.release(ONE, FIRST)
    assert await deduper.claim(ONE, SECOND) == FIRST, "a committed claim was released"


async def content_that_is_no_longer_kept_has_no_owner(open_deduper: Opener) -> None:
    deduper = open_deduper()
    await deduper.commit([(ONE, FIRST)])
    await deduper.forget([(ONE, SECOND.key, FIRST.fetched_at), (ONE, FIRST.key, FIRST.fetched_at - 1)])
    assert await deduper.claim(ONE, SECOND) == FIRST, "a capture of another page, or an earlier one, took the claim along"
    await deduper.forget([(ONE, FIRST.key, FIRST.fetched_at), ("sha1:UNKNOWN", FIRST.key, FIRST.fetched_at)])
    assert await open_deduper().claim(ONE, SECOND) is None, "a page is the duplicate of a capture that is gone"


VARIANT = Original("http://a.test/page?print=1", "variant", 1.5)
PAGE = Original("http://a.test/page", "page", 2.5)
OTHER = Original("http://a.test/page?print=1&more=1", "other", 3.5)  # another variant


async def the_canonical_page_has_the_content_though_it_came_later(open_deduper: Opener) -> None:
    deduper = open_deduper()
    await deduper.claim(ONE, VARIANT)
    await deduper.commit([(ONE, VARIANT)])
    assert await deduper.claim(ONE, PAGE) is None, "a page is a duplicate of its own variant"
    assert await deduper.claim(ONE, VARIANT) == PAGE, "who comes next is not told of the page that counts"
    (exchange,) = await deduper.successions([(ONE, PAGE)])
    assert (exchange.canonical, exchange.copy, exchange.digest) == (PAGE, VARIANT, ONE) and exchange.why
    await deduper.commit([(ONE, PAGE)])
    assert await deduper.successions([(ONE, PAGE)]) == [], "an exchange that is done is told again"
    for each in (deduper, open_deduper()):
        assert await each.claim(ONE, SECOND) == PAGE, "an exchange did not outlive the deduper"
        assert await each.claim(ONE, VARIANT) == PAGE and await each.owner(ONE) == PAGE


async def of_two_at_once_the_canonical_one_has_it_in_whatever_order_they_are_kept(open_deduper: Opener) -> None:
    deduper = open_deduper()
    for digest, order in ((ONE, (VARIANT, PAGE)), (TWO, (PAGE, VARIANT))):
        await deduper.claim(digest, VARIANT)
        assert await deduper.claim(digest, PAGE) is None
        assert await deduper.successions([(digest, order[0])]) == [], "one takes the place of a page that is not kept yet"
        await deduper.commit([(digest, order[0])])
        (exchange,) = await deduper.successions([(digest, order[1])])
        assert (exchange.canonical, exchange.copy) == (PAGE, VARIANT)
        if order[1] == PAGE:
            await deduper.commit([(digest, PAGE)])
        else:
            deduper.release(digest, VARIANT)
    for digest in (ONE, TWO):
        assert await deduper.claim(digest, OTHER) == await deduper.owner(digest) == PAGE
    await deduper.claim("sha1:C", VARIANT)
    await deduper.claim("sha1:C", PAGE)
    (exchange,) = await deduper.successions([("sha1:C", PAGE), ("sha1:C", VARIANT)])
    assert (exchange.canonical, exchange.copy) == (PAGE, VARIANT), "two that are kept at once"
    assert await open_deduper().owner(TWO) == PAGE


async def a_page_that_takes_a_place_and_is_not_kept_gives_it_back(open_deduper: Opener) -> None:
    deduper = open_deduper()
    await deduper.claim(ONE, VARIANT)
    await deduper.claim(ONE, PAGE)
    deduper.release(ONE, PAGE)
    assert await deduper.claim(ONE, OTHER) == VARIANT, "a page that is under way lost its claim to nobody"
    assert await deduper.successions([(ONE, VARIANT)]) == []
    await deduper.commit([(ONE, VARIANT)])
    await deduper.claim(ONE, PAGE)
    deduper.release(ONE, PAGE)
    assert await deduper.claim(ONE, OTHER) == VARIANT == await deduper.owner(ONE)


RULES: tuple[Rule, ...] = (
    the_first_page_is_no_duplicate_and_the_next_ones_are,
    of_pages_at_once_exactly_one_is_first,
    a_committed_claim_outlives_a_restart,
    an_uncommitted_claim_does_not_outlive_a_restart,
    a_visit_repeated_after_a_crash_is_not_its_own_duplicate,
    a_released_claim_is_free_again,
    releasing_a_committed_claim_changes_nothing,
    content_that_is_no_longer_kept_has_no_owner,
    the_canonical_page_has_the_content_though_it_came_later,
    of_two_at_once_the_canonical_one_has_it_in_whatever_order_they_are_kept,
    a_page_that_takes_a_place_and_is_not_kept_gives_it_back,
)
