"""The checker of an index of near duplicates: what any implementation of `joints.sameness.NearDuplicates` has to promise.

    for rule in RULES:
        await rule(open_near)

`open_near` makes a new index over the same store each time it is called: the second one is what a restart finds. It compares
texts of 50 words and more, and takes three bits of difference for nearly the same.
"""

import asyncio
from collections.abc import Awaitable, Callable

from gossamer.joints.sameness import NearDuplicates
from gossamer.records.likeness import Likeness
from gossamer.records.page import Original

Opener = Callable[[], NearDuplicates]
Rule = Callable[[Opener], Awaitable[None]]

HASH = 0x0123_4567_89AB_CDEF


def page(name: str) -> Original:
    """Make up a page."""
    return Original(f"http://a.test/{name}", f"http://a.test/{name}", 1.5)


def like(*bits: int, words: int = 500) -> Likeness:
    """Return what a text is like that differs in some bits from all others made up here."""
    simhash = HASH
    for bit in bits:
        simhash ^= 1 << bit
    return Likeness(simhash, words)


FIRST, SECOND, THIRD = page("first"), page("second"), page("third")


async def the_first_page_has_no_twin_and_the_next_ones_have(open_near: Opener) -> None:
    near = open_near()
    assert await near.claim(like(), FIRST) is None, "the first page of its kind has a twin"
    assert await near.claim(like(), SECOND) == (FIRST, 0), "the same text has no twin"
    assert await near.claim(like(0, 31, 63), SECOND) == (FIRST, 3), "three bits of difference are not near"
    assert await near.claim(like(0, 20, 31, 63), THIRD) is None, "four bits of difference are near"


async def each_three_bits_are_near(open_near: Opener) -> None:
    near = open_near()
    await near.claim(like(), FIRST)
    await near.commit([(like(), FIRST)])
    for start in range(64):
        bits = {start, (start + 21) % 64, (start * 7 + 3) % 64}
        assert await near.claim(like(*bits), SECOND) == (FIRST, len(bits)), f"bits {bits} hide a twin"


async def of_pages_at_once_exactly_one_is_first(open_near: Opener) -> None:
    near = open_near()
    pages = [page(str(number)) for number in range(30)]
    twins = await asyncio.gather(*(near.claim(like(number), each) for number, each in enumerate(pages)))
    assert twins.count(None) == 1, f"{twins.count(None)} of 30 pages with nearly one text were told to be the first"


async def a_committed_claim_outlives_a_restart(open_near: Opener) -> None:
    near = open_near()
    await near.claim(like(), FIRST)
    await near.commit([(like(), FIRST)])
    assert await near.claim(like(1), SECOND) == (FIRST, 1), "a committed claim is forgotten"
    assert await open_near().claim(like(1), SECOND) == (FIRST, 1), "a committed claim did not outlive the index"


async def an_uncommitted_claim_does_not_outlive_a_restart(open_near: Opener) -> None:
    await open_near().claim(like(), FIRST)
    assert await open_near().claim(like(), SECOND) is None, "a page that was never kept has twins"


async def a_released_claim_is_free_again(open_near: Opener) -> None:
    near = open_near()
    await near.claim(like(), FIRST)
    near.release(like(), SECOND)
    assert await near.claim(like(), SECOND) == (FIRST, 0), "one page released the claim of another"
    near.release(like(), FIRST)
    near.release(like(), FIRST)
    assert await near.claim(like(), SECOND) is None, "a released claim still holds"


async def releasing_a_committed_claim_changes_nothing(open_near: Opener) -> None:
    near = open_near()
    await near.claim(like(), FIRST)
    await near.commit([(like(), FIRST)])
    near.release(like(), FIRST)
    assert await near.claim(like(), SECOND) == (FIRST, 0), "a committed claim was released"


async def a_page_is_never_its_own_twin(open_near: Opener) -> None:
    near = open_near()
    await near.claim(like(), FIRST)
    await near.commit([(like(), FIRST)])
    assert await near.claim(like(2), FIRST) is None, "a page that has changed a little is its own twin"
    assert await open_near().claim(like(), FIRST) is None, "a visit that is repeated is its own twin"


async def too_few_words_are_never_compared(open_near: Opener) -> None:
    near = open_near()
    for each in (FIRST, SECOND):
        assert await near.claim(like(words=49), each) is None
        await near.commit([(like(words=49), each)])
    assert await near.claim(like(words=50), THIRD) is None, "a few words are somebody's twin"


async def a_cluster_is_listed_nearest_first(open_near: Opener) -> None:
    near = open_near()
    await near.claim(like(), FIRST)
    await near.commit([(like(), FIRST)])
    await near.commit([], [(FIRST, THIRD, 2), (FIRST, SECOND, 1)])
    assert await open_near().cluster(like().simhash) == [(FIRST, 0), (SECOND, 1), (THIRD, 2)]
    assert await near.cluster(like(*range(10)).simhash) == []


async def a_page_whose_text_is_another_has_no_old_twins(open_near: Opener) -> None:
    near = open_near()
    await near.claim(like(), FIRST)
    await near.commit([(like(), FIRST)])
    other = like(*range(30))
    assert await near.claim(other, FIRST) is None
    await near.commit([(other, FIRST)])
    assert await near.claim(like(), SECOND) is None, "a page that has changed still has the text it had"
    assert await near.claim(other, THIRD) == (FIRST, 0)


VARIANT, PAGE, OTHER = page("page?print=1"), page("page"), page("page?print=1&more=1")


async def the_canonical_page_counts_though_it_came_later(open_near: Opener) -> None:
    near = open_near()
    await near.claim(like(), VARIANT)
    await near.commit([(like(), VARIANT)], [(VARIANT, THIRD, 1)])
    assert await near.claim(like(2), PAGE) is None, "a page is the twin of its own variant"
    assert (await near.claim(like(2), OTHER) or ())[1:] == (0,), "who comes next is not told of the page that counts"
    (exchange,) = await near.successions([(like(2), PAGE)])
    assert (exchange.canonical, exchange.copy, exchange.bits) == (PAGE, VARIANT, 1) and exchange.why
    await near.commit([(like(2), PAGE)], [(PAGE, VARIANT, 1)])
    assert await near.successions([(like(2), PAGE)]) == [], "an exchange that is done is told again"
    for each in (near, open_near()):
        assert await each.claim(like(), OTHER) == (PAGE, 1), "an exchange did not outlive the index"
        assert await each.claim(like(), VARIANT) == (PAGE, 1)
        listed = await each.cluster(like(2).simhash)
        assert listed[0] == (PAGE, 0) and {one.key for one, _ in listed} == {PAGE.key, VARIANT.key, THIRD.key}


async def of_two_at_once_the_canonical_one_counts_in_whatever_order_they_are_kept(open_near: Opener) -> None:
    near, order = open_near(), (VARIANT, PAGE)
    for text in (like(), like(*range(20))):
        await near.claim(text, VARIANT)
        assert await near.claim(text, PAGE) is None
        assert await near.successions([(text, order[0])]) == [], "one takes the place of a page that is not kept yet"
        await near.commit([(text, order[0])])
        (exchange,) = await near.successions([(text, order[1])])
        assert (exchange.canonical, exchange.copy) == (PAGE, VARIANT)
        if order[1] == PAGE:
            await near.commit([(text, PAGE)], [(PAGE, VARIANT, 0)])
        else:
            near.release(text, VARIANT)
            await near.commit([], [(PAGE, VARIANT, 0)])
        assert await near.claim(text, OTHER) == (PAGE, 0)
        assert await near.cluster(text.simhash) == [(PAGE, 0), (VARIANT, 0)]
        order = (PAGE, VARIANT)
    again = open_near()
    assert await again.claim(like(*range(20)), OTHER) == (PAGE, 0)
    assert await again.cluster(like(*range(20)).simhash) == [(PAGE, 0), (VARIANT, 0)]


async def a_page_takes_the_place_of_all_that_are_near_or_of_none(open_near: Opener) -> None:
    near = open_near()
    variants = VARIANT, page("page?version=2")
    await near.commit([(like(0, 1), variants[0]), (like(2, 3), variants[1])])
    assert await near.claim(like(), PAGE) is None
    assert {exchange.copy for exchange in await near.successions([(like(), PAGE)])} == set(variants)
    near.release(like(), PAGE)
    await near.commit([(like(40, 41, 42), page("p"))])
    assert await near.claim(like(), PAGE) == (page("p"), 3), "one of them counts more, if not the nearest"
    assert await near.successions([(like(), PAGE)]) == []


async def a_page_that_takes_a_place_and_is_not_kept_gives_it_back(open_near: Opener) -> None:
    near = open_near()
    await near.claim(like(), VARIANT)
    await near.claim(like(2), PAGE)
    near.release(like(2), PAGE)
    assert await near.claim(like(2), OTHER) == (VARIANT, 1)
    assert await near.successions([(like(), VARIANT)]) == []


RULES: tuple[Rule, ...] = (
    the_first_page_has_no_twin_and_the_next_ones_have,
    each_three_bits_are_near,
    of_pages_at_once_exactly_one_is_first,
    a_committed_claim_outlives_a_restart,
    an_uncommitted_claim_does_not_outlive_a_restart,
    a_released_claim_is_free_again,
    releasing_a_committed_claim_changes_nothing,
    a_page_is_never_its_own_twin,
    too_few_words_are_never_compared,
    a_cluster_is_listed_nearest_first,
    a_page_whose_text_is_another_has_no_old_twins,
    the_canonical_page_counts_though_it_came_later,
    of_two_at_once_the_canonical_one_counts_in_whatever_order_they_are_kept,
    a_page_takes_the_place_of_all_that_are_near_or_of_none,
    a_page_that_takes_a_place_and_is_not_kept_gives_it_back,
)
