"""Sameness: what an answer claims is given back when it leads to nothing, and what is not news is not followed."""

import asyncio
from pathlib import Path
from typing import Literal

import pytest

from gossamer.assemble import open_stores
from gossamer.clock import SystemClock
from gossamer.config.sections import Breaker, Dedupe, FrontierSettings, Politeness, Settings
from gossamer.dedupe.claims import StoredClaims
from gossamer.dedupe.exact import ExactDeduper
from gossamer.dedupe.near import NearIndex
from gossamer.document.body import Body
from gossamer.filters.scope import Scope
from gossamer.frontier.reference.memory import MemoryFrontier
from gossamer.joints.keyvalue import RUN
from gossamer.kv.memory import MemoryKeyValue
from gossamer.node.succession import first_texts
from gossamer.readers.child import ChildReading
from gossamer.records.entry import Entry, Link, LinkKind
from gossamer.records.evidence import Probe
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Fate
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome, State
from gossamer.records.page import Extract, Original, Page, Place
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.records.visit import Earlier, Lesson, Visit
from gossamer.testing.kv import scanned
from gossamer.testing.lessons import NOW, leased
from gossamer.url.parse import parse
from gossamer.visit.admit import LinkJudge
from gossamer.visit.compare import Finding, Sameness
from gossamer.visit.settle import Kept, conclude

SITE = "http://a.test"
TEXT = Likeness(0xFFFF, 200)
SOFT = Probe(url=f"{SITE}/probe", status=200, simhash=TEXT.simhash, words=200)
MOVED = Probe(url=f"{SITE}/probe", status=302, location=f"{SITE}/")
UNPROBED = Lesson(is_probed=False)
Near = Literal["keep", "skip", "off"]


class World:
    """Real claims in memory, and a way to put answers beside each other."""

    def __init__(self, near: Near = "keep") -> None:
        kv = MemoryKeyValue()
        self.settings = Settings(dedupe=Dedupe(near=near))
        self.exact, self.near = ExactDeduper(kv), NearIndex(kv)
        self.sameness = Sameness(self.settings, StoredClaims(self.exact, self.near))

    async def judge(self, name: str, digest: str = "", likeness: Likeness | None = TEXT, **options: object) -> Finding:
        """Judge one answer, whose bytes are its own unless told otherwise."""
        return await judge(self, name, digest or name, likeness, **options)

    async def keep(self, name: str, finding: Finding, likeness: Likeness | None = TEXT) -> Visit:
        """End the visit as the crawl does, and make its claims durable."""
        lease, fetched = leased(f"{SITE}/{name}"), answer(f"{SITE}/{name}")
        kept = Kept(fetched=fetched, outcome=finding.outcome, claim=finding.claim, likeness=likeness, twin=finding.twin)
        visit = conclude(lease, Lesson(), kept, self.settings, NOW)
        await self.exact.commit([visit.claim] if visit.claim else [])
        await self.near.commit(first_texts([visit]))
        return visit

    @property
    def is_free(self) -> bool:
        """Whether nothing is claimed."""
        return not self.exact._claims and not self.near._claims


def answer(url: str, status: int = 200, content_type: str = "text/html", body: bytes = b"x", **headers: str) -> Fetched:
    every = (("content-type", content_type), *headers.items())
    return Fetched(url=url, outcome=Outcome.OK, status=status, headers=every, body=Body.of(body), started=NOW, answered=NOW)


async def judge(
    world: World,
    name: str,
    digest: str,
    likeness: Likeness | None,
    *,
    lesson: Lesson = Lesson(),
    title: str = "",
    status: int = 200,
    kind: LinkKind = LinkKind.ANCHOR,
    too_big: bool = False,
    **headers: str,
) -> Finding:
    url = f"{SITE}/{name}"
    fetched = answer(url, status, **headers)
    reading = ChildReading("text/html", too_big, Extract(title=title), likeness)
    with world.sameness.of(leased(url, kind=kind), fetched, digest, lesson) as comparison:
        return await comparison.judge(reading)


# --- copies and twins ------------------------------------------------------------------------------------------------


async def test_new_bytes_with_a_new_text_are_news() -> None:
    world = World()
    finding = await world.judge("a")
    assert finding == Finding(outcome=Outcome.OK, claim=("a", Original(f"{SITE}/a", f"{SITE}/a", NOW, False)))


async def test_the_same_bytes_are_a_copy_and_claim_nothing() -> None:
    world = World()
    first = await world.judge("a", "same")
    copy = await world.judge("b", "same", Likeness(0, 200))
    assert first.claim is not None
    assert (copy.outcome, copy.original, copy.claim, copy.twin) == (Outcome.DUPLICATE, first.claim[1], None, None)
    assert len(world.near._claims) == 1, "the text of a copy is nobody's"


@pytest.mark.parametrize("status", [200, 304])
async def test_a_copy_that_stays_one_is_not_kept_again_but_other_pages_are_confirmed(status: int) -> None:
    world = World()
    first = await world.judge("a", "same")
    await world.keep("a", first)
    await world.keep("c", await world.judge("c", "own", Likeness(TEXT.simhash ^ 1, 200)))
    rows = {
        name: Page(
            url=f"{SITE}/{name}",
            key=f"{SITE}/{name}",
            host="a.test",
            outcome=outcome,
            digest=digest,
            duplicate_of=f"{SITE}/a",
            place=Place("f", 0, 1),
            captured_at=NOW - 9,
        )
        for name, digest, outcome in (
            ("b", "same", Outcome.DUPLICATE),
            ("d", "same", Outcome.NOT_MODIFIED),
            ("c", "own", Outcome.NEAR_DUPLICATE),
        )
    }
    findings = {
        name: await world.judge(name, row.digest if status == 200 else "", lesson=Lesson(previous=row), status=status)
        for name, row in rows.items()
    }
    assert {finding.outcome for finding in findings.values()} == {Outcome.NOT_MODIFIED}
    assert {name: finding.is_archived for name, finding in findings.items()} == {"b": False, "d": False, "c": True}
    assert findings["c"].original == Original(f"{SITE}/c", f"{SITE}/c", NOW - 9)
    assert world.is_free
    changed = await world.judge("b", "new", Likeness(0, 200), lesson=Lesson(previous=rows["b"]))
    assert changed.outcome is Outcome.OK and changed.is_archived


async def test_nearly_the_same_text_is_a_twin_that_is_kept() -> None:
    world = World()
    first = await world.judge("a")
    twin = await world.judge("b", likeness=Likeness(TEXT.simhash ^ 0b111, 200))
    assert first.claim is not None and twin.claim is not None and twin.twin is not None
    assert (twin.outcome, twin.is_archived, twin.twin[0], twin.twin[2]) == (Outcome.NEAR_DUPLICATE, True, first.claim[1], 3)
    assert str(twin.reason) == f"dedupe.near: its text differs by 3 bits of 64 from that of {SITE}/a"
    await world.keep("b", twin)
    third = await world.judge("c", "b", TEXT)
    assert (third.outcome, third.original) == (Outcome.DUPLICATE, twin.claim[1]), (
        "its bytes are kept, so a copy may refer to them"
    )


async def test_skipped_twins_are_not_archived_and_leave_no_bytes_that_a_copy_could_refer_to() -> None:
    world = World("skip")
    await world.keep("a", await world.judge("a"))
    twin = await world.judge("b", "same", TEXT)
    assert (twin.outcome, twin.is_archived, twin.claim) == (Outcome.NEAR_DUPLICATE, False, None)
    assert world.is_free
    visit = await world.keep("b", twin)
    assert visit.page is not None and visit.page.place is None and visit.page.duplicate_of == f"{SITE}/a"
    later = await world.judge("c", "same", TEXT)
    assert (later.outcome, later.original) == (Outcome.NEAR_DUPLICATE, None), "a revisit record would refer to nothing"


async def test_nothing_is_compared_when_it_is_switched_off() -> None:
    world = World("off")
    findings = [await world.judge("a"), await world.judge("b")]
    assert [finding.outcome for finding in findings] == [Outcome.OK, Outcome.OK]
    assert not world.near._claims and (await world.judge("c", "a")).outcome is Outcome.DUPLICATE, "copies still are copies"


async def test_nothing_is_remembered_for_comparison_when_it_is_switched_off(tmp_path: Path) -> None:
    stored = {}
    for near in ("keep", "off"):
        settings = Settings(dedupe=Dedupe(near=near))
        async with open_stores(tmp_path / near, settings, [parse(SITE)], SystemClock()) as stores:
            await stores.near.commit([(TEXT, Original(f"{SITE}/a", f"{SITE}/a", NOW))])
            stored[near] = len(await scanned(stores.kv.at(RUN), b"near/"))
    assert stored["keep"] > 0 and stored["off"] == 0


async def test_too_few_words_are_never_compared() -> None:
    world = World()
    for name in "abc":
        finding = await world.judge(name, likeness=Likeness(TEXT.simhash, 49))
        assert finding.outcome is Outcome.OK
        await world.keep(name, finding, Likeness(TEXT.simhash, 49))
    assert (await world.judge("d", likeness=None)).outcome is Outcome.OK
    assert (await world.judge("e", likeness=Likeness(TEXT.simhash, 50))).outcome is Outcome.OK, (
        "nor is anything compared with them"
    )


async def test_what_is_too_big_to_read_is_kept_and_has_no_twin() -> None:
    world = World()
    finding = await world.judge("a", too_big=True)
    assert finding.outcome is Outcome.TOO_BIG and finding.claim is not None and not world.near._claims


@pytest.mark.parametrize("status", [301, 404, 500])
async def test_errors_and_redirects_claim_nothing(status: int) -> None:
    world = World()
    finding = await world.judge("a", status=status)
    assert world.is_free and finding.claim is None and finding.twin is None


async def test_an_empty_answer_is_no_ones_copy() -> None:
    world = World()
    for name in "ab":
        fetched = answer(f"{SITE}/{name}", body=b"")
        with world.sameness.of(leased(fetched.url), fetched, "empty", Lesson()) as comparison:
            assert (await comparison.judge(ChildReading("text/html"))).outcome is Outcome.OK
    assert world.is_free


async def test_a_copy_is_read_too_but_not_what_its_own_url_had_before() -> None:
    world = World()
    await world.judge("a", "same")

    async def is_read(lesson: Lesson) -> bool:
        fetched = answer(f"{SITE}/b")
        with world.sameness.of(leased(fetched.url), fetched, "same", lesson) as comparison:
            return comparison.is_read

    before = Page(url=f"{SITE}/b", key=f"{SITE}/b", host="a.test", outcome=Outcome.OK, digest="same", place=Place("f", 0, 1))
    assert [await is_read(Lesson()), await is_read(Lesson(previous=before))] == [True, False]


async def test_an_answer_is_asked_about_once() -> None:
    world, asked = World(), []

    class Counting(StoredClaims):
        async def claim(self, page: Original, digest: str, likeness: Likeness | None) -> Earlier:
            asked.append((digest, likeness))
            return await super().claim(page, digest, likeness)

    world.sameness = Sameness(world.settings, Counting(world.exact, world.near))
    await world.judge("a")
    await world.judge("b")
    assert asked == [("a", TEXT), ("b", TEXT)]


# --- claims are given back -------------------------------------------------------------------------------------------


async def fail(world: World, name: str, digest: str, error: type[BaseException]) -> None:
    """Let a visit fail after its answer was judged, as a full disk or an end of the crawl does."""
    fetched = answer(f"{SITE}/{name}")
    with world.sameness.of(leased(fetched.url), fetched, digest, Lesson()) as comparison:
        await comparison.judge(ChildReading("text/html", likeness=TEXT))
        assert not world.is_free
        raise error


@pytest.mark.parametrize("error", [OSError, asyncio.CancelledError, KeyboardInterrupt])
async def test_what_a_failed_visit_claimed_is_given_back(error: type[BaseException]) -> None:
    world = World()
    with pytest.raises(error):
        await fail(world, "a", "a", error)
    assert world.is_free
    assert (await world.judge("b", "a")).outcome is Outcome.OK


async def test_a_failure_gives_back_only_what_was_its_own() -> None:
    world = World()
    await world.judge("a", "same")
    for digest in ("same", "other"):
        with pytest.raises(OSError):
            await fail(world, "b", digest, OSError)
    assert list(world.exact._claims) == ["same"]
    assert [page.key for _, page in world.near._claims.values()] == [f"{SITE}/a"]


@pytest.mark.parametrize(
    ("lesson", "title", "outcome"),
    [(Lesson(probe=SOFT), "", Outcome.SOFT_404), (UNPROBED, "Page not found", Outcome.DEFERRED)],
)
async def test_a_page_that_says_there_is_nothing_claims_nothing(lesson: Lesson, title: str, outcome: Outcome) -> None:
    world = World()
    finding = await world.judge("a", lesson=lesson, title=title)
    assert (finding.outcome, finding.claim, world.is_free) == (outcome, None, True)


# --- soft 404s -------------------------------------------------------------------------------------------------------


async def test_an_answer_like_the_one_for_what_cannot_exist_is_a_soft_404() -> None:
    world = World()
    finding = await world.judge("a", lesson=Lesson(probe=SOFT))
    assert str(finding.reason) == f"traps.soft_404: its text differs by 0 bits from that of {SITE}/probe"
    moved = await world.judge("b", lesson=Lesson(probe=MOVED), status=302, location="/#top")
    assert (moved.outcome, str(moved.reason)) == (Outcome.SOFT_404, f"traps.soft_404: redirected to {SITE}/, like {SITE}/probe")
    honest = await world.judge("c", lesson=Lesson(probe=MOVED), status=302, location="/d")
    assert honest.outcome is Outcome.REDIRECTED


async def test_a_copy_of_a_soft_404_is_one_too() -> None:
    world = World()
    await world.keep("a", await world.judge("a", "same"))
    assert (await world.judge("b", "same", lesson=Lesson(probe=SOFT))).outcome is Outcome.SOFT_404


async def test_seeds_and_the_root_never_are_soft_404s() -> None:
    world = World()
    seed = await world.judge("a", lesson=Lesson(probe=SOFT), kind=LinkKind.SEED)
    root = await world.judge("", lesson=Lesson(probe=SOFT), likeness=Likeness(TEXT.simhash, 10))
    telling = await world.judge("b", lesson=UNPROBED, title="404", kind=LinkKind.SEED, likeness=Likeness(0, 200))
    assert [one.outcome for one in (seed, root, telling)] == [Outcome.OK] * 3


async def test_a_page_that_is_suspicious_before_the_probe_is_fetched_again_after_it() -> None:
    world = World()
    before = await world.judge("a", lesson=UNPROBED, title="404 - not found")
    assert before.suspicious and before.judge_links((leased(f"{SITE}/b").entry,)) == ()
    lease = leased(f"{SITE}/a")
    kept = Kept(fetched=answer(lease.entry.url), outcome=before.outcome, reason=before.reason, suspicious=True)
    visit = conclude(lease, Lesson(), kept, world.settings, NOW)
    assert (visit.settlement.fate, visit.page, visit.suspicious) == (Fate.DEFERRED, None, True)
    assert visit.settlement.answer is not None, "the host's turn was used"
    soft = await world.judge("a", lesson=Lesson(probe=SOFT), title="404 - not found")
    honest = await world.judge("a", lesson=Lesson(), title="404 - not found")
    assert (soft.outcome, honest.outcome) == (Outcome.SOFT_404, Outcome.OK)


async def test_other_titles_are_not_suspicious() -> None:
    world = World()
    assert not (await world.judge("a", lesson=UNPROBED, title="Shoes")).suspicious
    assert not (await world.judge("b", lesson=UNPROBED, title="404", status=404)).suspicious, "an honest host"


# --- links -----------------------------------------------------------------------------------------------------------


def admission(settings: Settings) -> LinkJudge:
    return LinkJudge(settings, Scope(settings.scope, [parse(SITE)]))


async def test_links_of_a_soft_404_are_refused_and_lifted_by_another_way_in() -> None:
    settings, outcome = Settings(), Outcome.SOFT_404
    admit = admission(settings)
    frontier = MemoryFrontier(FrontierSettings(), Politeness(), Breaker(), 300, NOW)
    parent = Entry(f"{SITE}/copy", f"{SITE}/copy", "a.test")
    rule = "traps.soft_404"
    finding = Finding(outcome=outcome, reason=because(Rule.TRAPS_SOFT_404, location=SITE, probe=SITE))
    links = [Link(f"{SITE}/only", LinkKind.ANCHOR)]
    refused = finding.judge_links(admit.admit(links, parent))
    assert [(entry.refused.rule, entry.refused.outcome) for entry in refused if entry.refused] == [(rule, outcome)]
    await frontier.discover(refused, NOW)
    admit.remember(refused)
    known = await frontier.lookup(f"{SITE}/only")
    assert known is not None and known.state is State.DEAD and "not news: redirected to" in str(known.reason)
    again = admit.admit(links, parent)
    assert [entry.refused for entry in again] == [None], "admission remembers what depended on the page"
    await frontier.discover(Finding(outcome=Outcome.OK).judge_links(again), NOW)
    known = await frontier.lookup(f"{SITE}/only")
    assert known is not None and known.state is State.WAITING


async def test_links_that_were_refused_already_keep_their_reason() -> None:
    settings = Settings()
    entries = admission(settings).admit([Link("http://elsewhere.test/", LinkKind.ANCHOR)], Entry(SITE, SITE, "a.test"))
    (entry,) = Finding(outcome=Outcome.SOFT_404, reason=because(Rule.TRAPS_SOFT_404)).judge_links(entries)
    assert entry.refused is not None and entry.refused.rule.startswith("scope.")


async def test_links_of_news_of_copies_and_of_twins_are_left_alone() -> None:
    entries = admission(Settings()).admit([Link(f"{SITE}/x", LinkKind.ANCHOR)], Entry(SITE, SITE, "a.test"))
    for outcome in (Outcome.OK, Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE, Outcome.REDIRECTED):
        assert Finding(outcome=outcome).judge_links(entries) is entries
    news = [outcome for outcome in Outcome if not Finding(outcome=outcome).is_news]
    assert news == [Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE]
