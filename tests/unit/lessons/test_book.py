"""The book: one probe at a time, keys that are found again, commits that may be repeated, and an operator beside a crawl."""

import asyncio
from itertools import count
from pathlib import Path

import pytest
from msgspec.structs import replace
from trying import FullKeyValue, LateKeyValue

from gossamer.config.sections import Traps
from gossamer.errors import DiskFull
from gossamer.kv.memory import MemoryKeyValue
from gossamer.kv.rocks import RocksKeyValue
from gossamer.lessons import book as book_module
from gossamer.lessons import shelf as shelf_module
from gossamer.lessons.book import LessonBook, _is_sampled
from gossamer.records.entry import LinkKind, Priority, Verdict
from gossamer.records.evidence import Probe, Ruling
from gossamer.records.outcome import Outcome
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.testing.lessons import (
    HOST,
    NOW,
    PARAMETER,
    SETTINGS,
    SITE,
    SOFT,
    TEMPLATE,
    TRAP,
    ask,
    copy,
    found,
    judged,
    learn,
    marked,
    probed,
    refused,
    visited,
)
from gossamer.url.parse import parse


@pytest.fixture
def kv() -> MemoryKeyValue:
    return MemoryKeyValue()


@pytest.fixture
def book(kv: MemoryKeyValue) -> LessonBook:
    return LessonBook(kv, SETTINGS, 50)


def unsampled(form: str) -> str:
    """Return the first URL of a form that is merged by a rule, not fetched as a sample."""
    return next(url for url in (form.format(number) for number in count()) if not _is_sampled(url))


# --- probes ----------------------------------------------------------------------------------------------------------


async def test_of_consults_at_the_same_time_one_sends_the_probe(book: LessonBook) -> None:
    await learn(book, [visited(f"{SITE}/{number}") for number in range(5)])
    lessons = await asyncio.gather(*(ask(book, f"{SITE}/x/{number}") for number in range(20)))
    assert sum(bool(lesson.probe_url) for lesson in lessons) == 1


async def test_a_host_is_probed_when_enough_of_it_is_known_and_each_host_by_itself(kv: MemoryKeyValue) -> None:
    book = LessonBook(kv, Traps(probe_after=3), 50)
    for number in range(3):
        assert await ask(book, f"{SITE}/x") == await ask(book, "http://b.test/x")
        assert not (await ask(book, f"{SITE}/x")).probe_url and not (await ask(book, f"{SITE}/x")).is_probed
        await learn(book, [visited(f"{SITE}/{number}")])
    assert (await ask(book, f"{SITE}/x")).probe_url
    assert not (await ask(book, "http://b.test/x")).probe_url


async def test_a_probe_is_not_sent_again_before_its_answer_is_taken_over() -> None:
    book = LessonBook(LateKeyValue(), SETTINGS, 50)
    await learn(book, [visited(f"{SITE}/{number}") for number in range(5)])
    first = await ask(book, f"{SITE}/x")
    keeping = asyncio.create_task(learn(book, [probed(f"{SITE}/x", "/", Probe(url=first.probe_url, status=404))]))
    while not keeping.done():
        assert not (await ask(book, f"{SITE}/y")).probe_url
        await asyncio.sleep(0)
    assert not (await ask(book, f"{SITE}/y", NOW + 10_000)).probe_url


@pytest.mark.parametrize("status", [0, 404, 500])
async def test_a_probe_that_came_to_nothing_is_the_last(book: LessonBook, status: int) -> None:
    await learn(book, [visited(f"{SITE}/{number}") for number in range(5)])
    url = (await ask(book, f"{SITE}/x")).probe_url
    await learn(book, [probed(f"{SITE}/x", "/", Probe(url=url, status=status))])
    lesson = await ask(book, f"{SITE}/y", NOW + 10_000)
    assert (lesson.probe_url, lesson.probe, lesson.is_probed) == ("", None, True)


async def test_an_operator_calls_off_soft_404s_of_a_directory(book: LessonBook) -> None:
    await learn(book, [probed(f"{SITE}/1", "/", SOFT)])
    await book.rule(HOST, "s", "/", Ruling.ALLOW)
    assert (await ask(book, f"{SITE}/2")).probe is None
    await learn(book, [probed(f"{SITE}/1", "/", SOFT)])
    assert (await ask(book, f"{SITE}/2")).probe is None


# --- commits ---------------------------------------------------------------------------------------------------------


async def test_a_commit_for_which_there_was_no_room_counts_once_when_it_is_repeated() -> None:
    kv = FullKeyValue()
    full, smooth = LessonBook(kv, SETTINGS, 50), LessonBook(MemoryKeyValue(), SETTINGS, 50)
    for number in range(30):
        visits = [copy(TRAP[number], [f"{SITE}/{number}"]), *marked()]
        kv.full = number % 3
        for _ in range(number % 3):
            with pytest.raises(DiskFull):
                await learn(full, visits)
        await learn(full, visits)
        await learn(smooth, visits)
    assert await full.everything() == await smooth.everything()
    assert full._sizes == smooth._sizes


async def test_a_commit_that_another_store_had_no_room_for_counts_once(book: LessonBook) -> None:
    one, two, three = ([copy(url) for url in TRAP[start : start + 5]] for start in (0, 5, 10))
    await learn(book, [*one, *two])
    await learn(book, [*two, *three])
    await learn(book, one)
    host = await book._shelf.host(HOST)
    assert host.templates["/calendar/{n}"].fetched == host.growth[""].fetched == 15


async def test_the_last_commits_are_known_however_many_were_before(book: LessonBook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_module, "MOST_KEPT", 10)
    commits = [[copy(url) for url in TRAP[start : start + 4]] for start in range(0, 40, 4)]
    for number, visits in enumerate(commits):
        await learn(book, visits)
        for again in commits[max(number - 1, 0) : number + 1]:
            await learn(book, again)
    assert (await book._shelf.host(HOST)).growth[""].fetched == 40
    assert len(book._kept | book._kept_before) <= 2 * (10 + 4)


async def test_links_are_judged_also_when_a_commit_is_repeated(book: LessonBook) -> None:
    await learn(book, [copy(url) for url in TRAP[:60]])
    visit = visited("http://b.test/", links=[TRAP[77]])
    for _ in range(2):
        (entry,) = (await learn(book, [visit])).visits[0].settlement.discovered
        assert entry.refused is not None


async def test_a_ruling_made_while_a_commit_is_under_way_is_not_lost(tmp_path: Path) -> None:
    kv = RocksKeyValue.open_at(tmp_path / "kv")
    book = LessonBook(kv, SETTINGS, 50)
    await learn(book, [copy(url) for url in TRAP[:20]])
    stop = asyncio.Event()

    async def crawl() -> None:
        for number in count(100):
            await learn(book, [copy(TRAP[number])])
            if stop.is_set():
                return

    crawling = asyncio.create_task(crawl())
    for ruling in (Ruling.BLOCK, Ruling.ALLOW, Ruling.NONE, Ruling.BLOCK):
        assert await book.rule(HOST, TEMPLATE, "/calendar/{n}", ruling)
        for _ in range(3):
            await kv.put(b"x", b"")  # some commits are made meanwhile
        assert (await book._shelf.host(HOST)).templates["/calendar/{n}"].ruling is ruling
    stop.set()
    await crawling
    await kv.aclose()
    kv = RocksKeyValue.open_at(tmp_path / "kv")
    assert await refused(LessonBook(kv, SETTINGS, 50), TRAP[:500]) == set(TRAP[:500]), "no sample of what is blocked"
    await kv.aclose()


async def test_verdicts_are_the_same_for_hosts_that_left_memory(book: LessonBook, monkeypatch: pytest.MonkeyPatch) -> None:
    await learn(book, [*map(copy, TRAP[:40]), *marked()])
    before = await refused(book, TRAP[:100]), await judged(book, *TRAP[:100])
    monkeypatch.setattr(shelf_module, "MOST_HOSTS", 1)
    for number in range(5):
        await learn(book, [visited(f"http://{number}.test/")])
    assert HOST not in book._shelf._hosts
    assert (await refused(book, TRAP[:100]), await judged(book, *TRAP[:100])) == before
    await learn(book, [copy(TRAP[999])])
    assert (await book._shelf.host(HOST)).templates["/calendar/{n}"].fetched == 41


# --- links and keys --------------------------------------------------------------------------------------------------


async def test_seeds_and_refused_links_are_left_as_they_are(book: LessonBook) -> None:
    await learn(book, [*map(copy, TRAP[:60]), *marked()])
    seed, other = found(TRAP[77], LinkKind.SEED), found(TRAP[77])
    assert await book.judge(seed) is seed
    already = replace(other, refused=Verdict(False, because(Rule.SCOPE_WITHIN)))
    assert await book.judge(already) is already
    assert (await book.judge(other)).refused is not None


async def test_a_host_without_rules_is_not_even_loaded(book: LessonBook) -> None:
    await learn(book, map(copy, TRAP[:60]))
    await judged(book, "http://stranger.test/calendar/1", TRAP[1])
    assert "stranger.test" not in book._shelf._hosts


async def test_links_of_a_template_that_is_merely_suspicious_wait_and_are_judged_when_their_turn_comes(
    book: LessonBook,
) -> None:
    await learn(book, map(copy, TRAP[:10]))
    put_off = [entry for entry in await judged(book, *TRAP[100:200]) if entry.priority is Priority.LAST]
    assert 30 < len(put_off) < 70 and [entry.refused for entry in put_off] == [None] * len(put_off)
    first, again = [await ask(book, put_off[0].url) for _ in range(2)]
    assert first.behind is not None and first.behind.rule == Rule.TRAPS_TEMPLATE
    assert again.behind is None, "what waits already is put off once"
    assert await refused(book, [entry.url for entry in put_off]) == set(), "when their turn has come, they are fetched"
    await learn(book, map(copy, TRAP[10:60]))
    assert len([entry for entry in await judged(book, *TRAP[100:200]) if entry.refused is not None]) > 90, (
        "what is sure is refused"
    )


async def test_every_key_a_url_may_ever_have_been_given_is_found(book: LessonBook) -> None:
    url = unsampled(f"{SITE}/x?a=1&b=2&c=3&d={{}}")
    given = [url]
    for name in ("a", "b", "c"):
        await book.rule(HOST, PARAMETER, name, Ruling.BLOCK)
        given.append((await book.judge(found(url))).key)
    for name in ("b", "a", "c"):
        await book.rule(HOST, PARAMETER, name, Ruling.ALLOW)
        given.append((await book.judge(found(url))).key)
    assert len(set(given)) == 6
    keys = await book.keys(url, url)
    assert set(given) <= set(keys) and keys[0] == url
    assert await book.keys("http://b.test/x?a=1", "http://b.test/x?a=1") == ["http://b.test/x?a=1"]


async def test_a_url_that_repeats_a_parameter_is_found_by_the_key_it_was_given(book: LessonBook) -> None:
    url = unsampled(f"{SITE}/x?sid=1&sid=2&d={{}}")
    await book.rule(HOST, PARAMETER, "sid", Ruling.BLOCK)
    key = (await book.judge(found(url))).key
    assert "sid" not in key
    await book.rule(HOST, PARAMETER, "sid", Ruling.ALLOW)
    assert key in await book.keys(url, url)


async def test_a_sample_of_what_a_rule_merges_is_fetched_all_the_same(book: LessonBook) -> None:
    await learn(book, marked())
    urls = [f"{SITE}/page1/x?id=1&sid={number}" for number in range(100, 1_100)]
    fetched = set(urls) - await refused(book, urls)
    entries = {entry.url for entry in await judged(book, *urls) if entry.key == entry.url}
    assert fetched == entries == {url for url in urls if _is_sampled(url)}
    assert 10 < len(fetched) < 60


# --- for people ------------------------------------------------------------------------------------------------------


async def test_a_verdict_says_whether_this_url_is_of_the_sample(book: LessonBook) -> None:
    await learn(book, map(copy, TRAP[:14]))
    for url in TRAP[:60]:
        (verdict,) = await book.verdicts(parse(url), url)
        lesson = await ask(book, url)
        assert verdict.rule == "traps.template" and verdict.outcome is Outcome.TRAP
        assert verdict.allowed is (lesson.refused is None)
        assert verdict.text.endswith("this one too") is not bool(lesson.behind)
    await learn(book, map(copy, TRAP[14:30]))
    verdicts = [verdict for url in TRAP[:200] for verdict in await book.verdicts(parse(url), url)]
    assert {verdict.allowed for verdict in verdicts} == {True, False}


async def test_a_slowed_host_says_so(kv: MemoryKeyValue) -> None:
    book = LessonBook(kv, Traps(growth_urls=2), 50)
    await learn(book, [visited(f"{SITE}/p", links=[f"{SITE}/{number}" for number in range(5)])])
    (verdict,) = await book.verdicts(parse(f"{SITE}/x"), "x")
    assert (verdict.rule, verdict.allowed) == ("traps.growth", True) and "5 URLs in an hour" in verdict.text


async def test_a_url_nobody_learned_anything_about_has_no_verdict(book: LessonBook) -> None:
    assert await book.verdicts(parse(f"{SITE}/x?a=1"), "x") == []
    evidence = await book.evidence(parse(f"{SITE}/x?a=1"))
    assert evidence == {
        "templates": {},
        "decided_by": "/{w}?a",
        "one_in": 1,
        "parameters": {},
        "cosmetic": [],
        "probes": {},
        "growth": None,
        "views": {},
        "habit": None,
    }
