"""The checker of an index of near duplicates: what any implementation of `gossamer.protocols.NearDuplicates` has to promise.

    for rule in RULES:
        await rule(open_near)

`open_near` makes a new index over the same store each time it is called: the second one is what a restart finds. It compares
texts of 50 words and more, and takes three bits of difference for nearly the same.
"""

import asyncio
from collections.abc import Awaitable, Callable

from gossamer.likeness import Likeness
from gossamer.protocols import NearDuplicates
from gossamer.records import Original

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
    await near.join([(FIRST, THIRD, 2), (FIRST, SECOND, 1)])
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
)
