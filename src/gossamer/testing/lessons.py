"""The checker of a book of lessons: what any implementation of `joints.lessons.Lessons` has to promise.

    for rule in RULES:
        await rule(open_lessons)

`open_lessons(settings)` opens a book over the same store each time it is called: the second one is what a restart finds.
`learn` hands a book the visits of some pages as a commit does; `visited` makes one up.
"""

from collections.abc import Awaitable, Callable, Iterable
from itertools import count

from gossamer.config.sections import Traps
from gossamer.joints.lessons import Lessons
from gossamer.records.entry import Entry, LinkKind
from gossamer.records.evidence import Probe, Ruling
from gossamer.records.lease import Fate, Lease, Settlement
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.records.visit import Lesson, Studied, Visit
from gossamer.url.fingerprint import hashed
from gossamer.url.parse import parse

Opener = Callable[[Traps], Lessons]
Rule = Callable[[Opener], Awaitable[None]]

NOW = 1_700_000_000.0
SETTINGS = Traps()
HOST = "a.test"
SITE = f"http://{HOST}"
WORDS = 200  # of a page that has text
TEMPLATE, PARAMETER = "t", "p"
_tokens = count(1)


def found(url: str, kind: LinkKind = LinkKind.ANCHOR) -> Entry:
    """Make up a URL that was found."""
    return Entry(url, url, parse(url).host, 1, kind, f"{SITE}/")


def leased(url: str, now: float = NOW, kind: LinkKind = LinkKind.ANCHOR) -> Lease:
    """Make up a lease of 300 seconds."""
    return Lease(token=next(_tokens), worker="w", entry=found(url, kind), leased_at=now, until=now + 300, delay=1.0)


def visited(url: str, outcome: Outcome = Outcome.OK, content: str = "", of: str = "", links: Iterable[str] = ()) -> Visit:
    """Make up a visit that brought an HTML page; its content is its own unless told otherwise, `of` is whose copy it is."""
    lease, text = leased(url), hashed(content or url)
    settlement = Settlement(lease=lease, fate=Fate.DONE, outcome=outcome, discovered=tuple(map(found, links)))
    page = Page(
        url=url,
        key=url,
        host=lease.entry.host,
        outcome=outcome,
        status=200,
        mime="text/html",
        digest=f"sha1:{text:x}",
        duplicate_of=of,
    )
    return Visit(settlement=settlement, page=page, likeness=Likeness(text, WORDS, (text & 0xFFFFFFFF,)))


def copy(url: str, links: Iterable[str] = ()) -> Visit:
    """Make up a visit that brought the same bytes as the home page."""
    return visited(url, Outcome.DUPLICATE, f"{SITE}/", f"{SITE}/", links)


def probed(url: str, directory: str, probe: Probe) -> Visit:
    """Make up a visit that was spent on a probe."""
    settlement = Settlement(lease=leased(url), fate=Fate.DEFERRED, outcome=Outcome.DEFERRED)
    return Visit(settlement=settlement, probe=(directory, probe))


async def learn(book: Lessons, visits: Iterable[Visit], now: float = NOW) -> Studied:
    """Commit visits, all at once."""
    studied = await book.study(list(visits), now)
    await book.keep(studied)
    return studied


async def ask(book: Lessons, url: str, now: float = NOW, kind: LinkKind = LinkKind.ANCHOR) -> Lesson:
    """Consult a book about a URL."""
    (lesson,) = await book.consult([leased(url, now, kind)])
    return lesson


async def refused(book: Lessons, urls: Iterable[str]) -> set[str]:
    """Return which of some URLs a book refuses."""
    return {url for url in urls if (await ask(book, url)).refused is not None}


async def judged(book: Lessons, *urls: str) -> tuple[Entry, ...]:
    """Return what becomes of links on a page of another host."""
    studied = await book.study([visited("http://links.test/", links=urls)], NOW)
    return studied.visits[0].settlement.discovered


TRAP = [f"{SITE}/calendar/{number}" for number in range(4_000)]
MARKED = [f"{SITE}/page{page}/x?id={page}&sid={sid}" for page in range(4) for sid in range(3)]
SOFT = Probe(url=f"{SITE}/probe", status=200, title="Sorry", length=100)


def marked() -> list[Visit]:
    """Return visits of pages with a session id that makes no difference, and an id that does."""
    return [visited(url, content=url.partition("&")[0]) for url in MARKED]


async def a_template_that_brings_nothing_is_throttled_and_a_sample_is_tried(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    assert not await refused(book, TRAP[:50]), "a template is refused before anything is known of it"
    await learn(book, map(copy, TRAP[:20]))
    some = await refused(book, TRAP[:500])
    assert 300 < len(some) < 500, "a template that brings nothing is fetched on, or not at all"
    await learn(book, map(copy, TRAP[:50]))
    more = await refused(book, TRAP)
    assert some < more, "more that brought nothing has to throttle more"
    assert len(more) < len(TRAP), "of a throttled template a sample has to be tried"
    lesson = await ask(book, next(iter(more)))
    assert lesson.refused is not None and lesson.refused.outcome is Outcome.TRAP
    facts = lesson.refused.reason.facts
    assert (facts["template"], facts["barren"]) == ("/calendar/{n}", {"copy": 70}), "a verdict names its evidence"
    assert not await refused(book, [f"http://b.test/calendar/{number}" for number in range(50)]), "another host's is punished"


async def an_honest_template_is_never_throttled(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    shop = [f"{SITE}/shop/{number}" for number in range(300)]
    await learn(book, (visited(url) for url in shop))
    assert not await refused(book, shop)


async def a_template_with_new_content_is_let_off(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    await learn(book, map(copy, TRAP[:20]))
    assert await refused(book, TRAP[:50])
    await learn(book, (visited(url) for url in TRAP[100:140]))
    assert not await refused(book, TRAP[:50])


async def seeds_are_never_refused(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    await learn(book, map(copy, TRAP[:60]))
    await learn(book, marked())
    for url in [*TRAP[100:150], *MARKED]:
        assert (await ask(book, url, kind=LinkKind.SEED)).refused is None, "a seed was refused"


async def a_parameter_that_makes_no_difference_leaves_the_key(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    await learn(book, marked())
    new = [f"{SITE}/page{number}/x?id=9&sid=new" for number in range(100, 200)]
    entries = await judged(book, *new)
    merged = [entry for entry in entries if entry.key == entry.url.removesuffix("&sid=new")]
    assert 80 < len(merged) < 100, "most have to leave the parameter out, and a sample has to keep it"
    assert all(entry.key == entry.url for entry in entries if entry not in merged)
    for entry in entries:
        assert entry.key in await book.keys(entry.url, entry.url), "the key that a URL was given is not found again"
    known = await ask(book, f"{SITE}/page1/x?id=1&sid=other")
    assert known.refused is not None and known.refused.outcome is Outcome.DUPLICATE, "it was fetched with another value"
    assert (known.refused.reason.facts["same_as"], known.refused.reason.facts["name"]) == (MARKED[5], "sid")


async def observations_to_the_contrary_undo_a_rule(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    await learn(book, marked())
    url = f"{SITE}/page8/x?id=8&sid=1"
    (entry,) = await judged(book, url)
    assert entry.key != url
    await learn(book, (visited(f"{SITE}/page9/x?id=9&sid={sid}") for sid in range(3)))
    assert (await judged(book, url))[0].key == url, "a parameter that makes a difference still leaves the key"
    assert entry.key in await book.keys(url, url), "a URL that was merged by a rule that is undone is not found again"


async def links_to_throttled_templates_are_refused_and_others_untouched(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    await learn(book, map(copy, TRAP[:60]))
    elsewhere = f"http://b.test/calendar/{TRAP[77].rpartition('/')[2]}"
    here, there, other = await judged(book, TRAP[77], elsewhere, f"{SITE}/about")
    assert here.refused is not None and here.refused.rule == "traps.template", "a link to a trap is queued"
    assert (there, other) == (found(elsewhere), found(f"{SITE}/about")), "a link to elsewhere is changed"


async def one_probe_is_sent_however_many_ask(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    assert not (await ask(book, f"{SITE}/1")).probe_url, "a host is probed before anything was fetched of it"
    await learn(book, (visited(f"{SITE}/{number}") for number in range(SETTINGS.probe_after)))
    lessons = [await ask(book, f"{SITE}/x/{number}") for number in range(10)]
    assert sum(bool(lesson.probe_url) for lesson in lessons) == 1, "a host is probed several times at once, or never"
    assert lessons[0].probe_url.startswith(f"{SITE}/")
    await learn(book, [probed(f"{SITE}/x/0", "/", Probe(url=lessons[0].probe_url, status=404))])
    later = [await ask(book, f"{SITE}/x/{number}", NOW + 10_000) for number in range(10)]
    assert not any(lesson.probe_url or lesson.probe for lesson in later), "an honest host is probed again, or accused"


async def a_probe_whose_worker_died_is_sent_again(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    await learn(book, (visited(f"{SITE}/{number}") for number in range(SETTINGS.probe_after)))
    assert (await ask(book, f"{SITE}/1")).probe_url
    assert not (await ask(book, f"{SITE}/1", NOW + 299)).probe_url, "its lease has not run out"
    assert (await ask(book, f"{SITE}/1", NOW + 301)).probe_url, "a probe that nobody answers for is never sent again"


async def what_a_soft_404_looks_like_is_told(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    await learn(book, [probed(f"{SITE}/1", "/", SOFT)])
    assert (await ask(book, f"{SITE}/2")).probe == SOFT
    assert (await ask(book, "http://b.test/2")).probe is None


async def an_operators_word_stands_above_the_evidence(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    assert not await book.rule(HOST, TEMPLATE, "/calendar/{n}", Ruling.NONE), "there is nothing to let the evidence decide"
    await learn(book, map(copy, TRAP[:60]))
    await book.rule(HOST, TEMPLATE, "/calendar/{n}", Ruling.ALLOW)
    assert not await refused(book, TRAP[:100]), "a template is refused that an operator allows"
    await book.rule(HOST, TEMPLATE, "/calendar/{n}", Ruling.BLOCK)
    await learn(book, (visited(url) for url in TRAP[100:200]))
    assert await refused(book, TRAP[:1_000]) == set(TRAP[:1_000]), "an operator blocked it: no sample, whatever is learned"
    await learn(book, marked())
    await book.rule(HOST, PARAMETER, "sid", Ruling.ALLOW)
    await book.rule(HOST, PARAMETER, "lang", Ruling.BLOCK)
    entries = await judged(book, *(f"{SITE}/page{number}/x?lang=en&sid=1" for number in range(100, 140)))
    assert sum(entry.key.endswith("?sid=1") for entry in entries) > 30, "an operator's word on parameters is not heard"


async def what_was_learned_outlives_a_restart(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    await learn(book, [*map(copy, TRAP[:30]), *marked(), probed(f"{SITE}/1", "/", SOFT)])
    await book.rule("b.test", TEMPLATE, "/x/{n}", Ruling.BLOCK)
    urls = [*TRAP[:300], *MARKED, f"{SITE}/page1/x?id=1&sid=other", "http://b.test/x/1", "http://c.test/"]
    before = [await ask(book, url) for url in urls], await judged(book, *urls), await book.everything(), await book.summary()
    again = open_lessons(SETTINGS)
    after = [await ask(again, url) for url in urls], await judged(again, *urls), await again.everything(), await again.summary()
    assert before == after, "after a restart something else is known"


async def what_was_not_kept_was_not_learned(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    for _ in range(3):
        await book.study([copy(url) for url in TRAP[:20]], NOW)
    assert not await refused(book, TRAP[:50]) and not await book.everything(), "visits count that were never durable"


async def a_repeated_commit_counts_once(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    visits = [copy(url) for url in TRAP[:20]]
    await learn(book, visits)
    once = await book.everything()
    await learn(book, visits)
    assert await book.everything() == once, "visits whose commit was repeated count twice"


async def evidence_and_verdicts_are_shown(open_lessons: Opener) -> None:
    book = open_lessons(SETTINGS)
    await learn(book, [*map(copy, TRAP[:30]), *marked(), probed(f"{SITE}/1", "/", SOFT)])
    evidence = await book.evidence(parse(TRAP[99]))
    assert evidence["decided_by"] == "/calendar/{n}" and evidence["one_in"] > 1
    assert evidence["templates"]["/calendar/{n}"].barren == {"copy": 30}
    verdicts = await book.verdicts(parse(f"{SITE}/page7/x?id=7&sid=1"), "key")
    assert {verdict.rule for verdict in verdicts} == {"traps.parameter", "traps.soft_404"}
    names = {(host, kind) for host, kind, _, _ in await book.everything(HOST)}
    assert names == {(HOST, "t"), (HOST, "p"), (HOST, "s"), (HOST, "g"), (HOST, "w")}
    assert await book.everything("a.tes") == []


async def nothing_is_learned_when_it_is_switched_off(open_lessons: Opener) -> None:
    book = open_lessons(Traps(learn=False))
    await learn(book, [*map(copy, TRAP[:100]), *marked(), probed(f"{SITE}/1", "/", SOFT)])
    assert not await book.everything()
    assert [await ask(book, url) for url in (TRAP[200], MARKED[0])] == [Lesson(), Lesson()]
    on = open_lessons(SETTINGS)
    await learn(on, [*map(copy, TRAP[:100]), probed(f"{SITE}/1", "/", SOFT)])
    off = open_lessons(Traps(learn=False))
    assert not await refused(off, TRAP[:100]), "what was learned before is switched off, too"
    assert (await judged(off, TRAP[200]))[0].refused is None
    assert (await ask(open_lessons(Traps(soft_404=False)), f"{SITE}/2")) == Lesson(), "soft 404s are switched off"


RULES: tuple[Rule, ...] = (
    a_template_that_brings_nothing_is_throttled_and_a_sample_is_tried,
    an_honest_template_is_never_throttled,
    a_template_with_new_content_is_let_off,
    seeds_are_never_refused,
    a_parameter_that_makes_no_difference_leaves_the_key,
    observations_to_the_contrary_undo_a_rule,
    links_to_throttled_templates_are_refused_and_others_untouched,
    one_probe_is_sent_however_many_ask,
    a_probe_whose_worker_died_is_sent_again,
    what_a_soft_404_looks_like_is_told,
    an_operators_word_stands_above_the_evidence,
    what_was_learned_outlives_a_restart,
    what_was_not_kept_was_not_learned,
    a_repeated_commit_counts_once,
    evidence_and_verdicts_are_shown,
    nothing_is_learned_when_it_is_switched_off,
)
