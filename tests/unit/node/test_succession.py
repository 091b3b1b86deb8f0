"""An succession comes out the same in whatever order visits are committed, and when a crash comes between two steps."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import permutations
from pathlib import Path

import pytest

from gossamer.assemble import Stores, make_commits, open_stores
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.dedupe.claims import StoredClaims
from gossamer.errors import StoreError
from gossamer.policy.canonical import named
from gossamer.records.lease import Fate, Settlement
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Original, Page, Place
from gossamer.records.visit import Visit
from gossamer.testing.lessons import NOW, leased
from gossamer.url.parse import parse
from gossamer.watch.events import Events

SITE = "http://a.test"
TEXT = Likeness(0xFFFF, 200)
PAGE, VARIANT, OTHER = "/page", "/page?print=1", "/page?print=1&more=1"


class World:
    """Real stores, and visits that go as far as they are told."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self.commits = make_commits(stores, Events())
        self.claims = StoredClaims(stores.deduper, stores.near)

    async def visit(self, path: str, digest: str = "", bits: int = 0, canonical: str = "") -> Visit:
        """Claim content like a visit does, and end it; the bytes are its own unless told otherwise."""
        url, digest = SITE + path, digest or f"sha1:{path}"
        text = Likeness(TEXT.simhash ^ ((1 << bits) - 1), TEXT.words)
        me = Original(url, url, NOW, False, named(canonical and SITE + canonical, url, url))
        first, twin = await self.claims.claim(me, digest, text)
        of = first or (twin[0] if twin else None)
        outcome = Outcome.DUPLICATE if first else Outcome.NEAR_DUPLICATE if twin else Outcome.OK
        page = Page(
            url=url,
            key=url,
            host="a.test",
            outcome=outcome,
            status=200,
            mime="text/html",
            digest=digest,
            duplicate_of=of.url if of else "",
            place=Place("f", len(path), 1),
            simhash=text.simhash,
        )
        return Visit(
            settlement=Settlement(lease=leased(url), fate=Fate.DONE, outcome=outcome),
            page=page,
            claim=None if first else (digest, me),
            likeness=text,
            twin=(twin[0], me, twin[1]) if twin else None,
        )

    async def commit(self, *visits: Visit) -> None:
        await self.commits.commit(visits)

    async def rows(self, *paths: str) -> dict[str, tuple[str, str]]:
        """Return how pages ended, and whose copies they are."""
        pages = {path: await self.stores.catalog.get(SITE + path) for path in paths}
        return {path: (page.outcome.value, page.duplicate_of.removeprefix(SITE)) for path, page in pages.items() if page}


@asynccontextmanager
async def opened(directory: Path) -> AsyncIterator[World]:
    async with open_stores(directory, Settings(), [parse(SITE)], SystemClock()) as stores:
        await stores.frontier.discover([stores.admission.seed(SITE)], NOW)
        yield World(stores)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as one:
        yield one


@pytest.mark.parametrize("together", [False, True], ids=["one after the other", "in one commit"])
@pytest.mark.parametrize("digest", ["sha1:same", ""], ids=["the same bytes", "nearly the same text"])
@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
async def test_of_visits_under_way_at_once_the_canonical_one_counts(
    order: Sequence[int], digest: str, together: bool, world: World
) -> None:
    visits = [await world.visit(path, digest, bits) for bits, path in enumerate((OTHER, VARIANT, PAGE))]
    assert [visit.page.outcome for visit in visits if visit.page] == [Outcome.OK] * 3, "each took the place of the one before"
    for some in [[visits[number] for number in order]] if together else [[visits[number]] for number in order]:
        await world.commit(*some)
    copy = ("duplicate" if digest else "near_duplicate", PAGE)
    assert await world.rows(PAGE, VARIANT, OTHER) == {PAGE: ("ok", ""), VARIANT: copy, OTHER: copy}
    later = await world.visit("/page?print=2&more=2", digest, 1)
    assert later.page is not None and later.page.duplicate_of == SITE + PAGE
    assert not world.stores.deduper._contested and not world.stores.near._successions  # type: ignore[attr-defined]
    counts = await world.stores.catalog.counts()
    assert counts == {"ok": 1, copy[0]: 2}


@pytest.mark.parametrize("digest", ["sha1:same", ""], ids=["the same bytes", "nearly the same text"])
async def test_copies_of_a_page_that_no_longer_counts_are_those_of_its_heir(digest: str, world: World) -> None:
    await world.commit(await world.visit(VARIANT, digest))
    before, late = await world.visit("/page?print=1&a=1", digest, 1), await world.visit("/page?print=1&a=2", digest, 1)
    exact = await world.visit("/page?print=1&a=3", digest or f"sha1:{VARIANT}")
    await world.commit(before, exact)
    await world.commit(await world.visit(PAGE, digest, 2))
    await world.commit(late)
    rows = await world.rows("/page?print=1&a=1", "/page?print=1&a=2", "/page?print=1&a=3", VARIANT, PAGE)
    of = {path: original for path, (_, original) in rows.items()}
    assert of["/page?print=1&a=1"] == of["/page?print=1&a=2"] == of[VARIANT] == PAGE and of[PAGE] == ""
    assert of["/page?print=1&a=3"] == (PAGE if digest else VARIANT), "its bytes are those of the variant, and not of the page"
    copies = await world.stores.catalog.copies(SITE + PAGE, 10)
    assert SITE + VARIANT in copies and len(copies) == (4 if digest else 3)


@pytest.mark.parametrize("digest", ["sha1:same", ""], ids=["the same bytes", "nearly the same text"])
@pytest.mark.parametrize("joint", ["catalog.add", "deduper.commit", "near.commit", "frontier.settle"])
async def test_a_crash_between_two_steps_repeats_the_exchange(joint: str, digest: str, tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await world.commit(await world.visit(VARIANT, digest))
        name, verb = joint.split(".")

        async def fails(*words: object) -> None:
            raise StoreError("the disk is gone")

        visit = await world.visit(PAGE, digest, 2)
        setattr(getattr(world.stores, name), verb, fails)
        with pytest.raises(StoreError):
            await world.commit(visit)
    async with opened(tmp_path) as world:
        repeated = await world.visit(PAGE, digest, 2)
        assert repeated.page is not None and repeated.page.outcome is Outcome.OK
        await world.commit(repeated)
        copy = ("duplicate" if digest else "near_duplicate", PAGE)
        assert await world.rows(PAGE, VARIANT) == {PAGE: ("ok", ""), VARIANT: copy}
        later = await world.visit(OTHER, "sha1:other", 1)
        assert later.twin is not None and later.twin[0].key == SITE + PAGE
        assert {one.key for one, _ in await world.stores.near.cluster(TEXT.simhash)} >= {SITE + PAGE}


async def test_a_page_that_has_changed_since_loses_nothing(world: World) -> None:
    await world.commit(await world.visit(VARIANT, "sha1:same"))
    changed = await world.visit(VARIANT, "sha1:new", 40)
    await world.commit(changed)
    await world.commit(await world.visit(PAGE, "sha1:same"))
    assert await world.rows(VARIANT, PAGE) == {VARIANT: ("ok", ""), PAGE: ("ok", "")}


async def test_a_page_that_takes_a_place_is_fresh_for_its_template(world: World) -> None:
    await world.commit(await world.visit(VARIANT))
    visit = await world.visit(PAGE, "", 1)
    done = await world.commits._successions.of([visit])  # type: ignore[attr-defined]
    assert [one.replaces for one in done.visits] == [SITE + VARIANT]


async def test_what_is_named_counts_though_its_url_is_longer(world: World) -> None:
    await world.commit(await world.visit("/p", "sha1:same", canonical="/articles/long-name?id=1"))
    await world.commit(await world.visit("/articles/long-name?id=1", "sha1:same"))
    await world.commit(await world.visit("/q", "sha1:same"))
    of = "/articles/long-name?id=1"
    assert await world.rows("/p", of, "/q") == {"/p": ("duplicate", of), of: ("ok", ""), "/q": ("duplicate", of)}
