"""The study of visits: what each brought, what it says of parameters, soft 404s and growth; later ones see earlier ones."""

import pytest
from msgspec.structs import replace

from gossamer.config.sections import Traps
from gossamer.kv.memory import MemoryKeyValue
from gossamer.lessons import study as module
from gossamer.lessons.book import LessonBook
from gossamer.policy.growth import HOUR, PAUSE
from gossamer.records.entry import Verdict
from gossamer.records.evidence import Growth, Parameter, Probe, Ruling, TemplateTally
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.records.visit import Visit
from gossamer.testing.lessons import HOST, NOW, PARAMETER, SITE, TEMPLATE, ask, copy, found, learn, probed, visited
from gossamer.url.parse import parse

SETTINGS = Traps()
HONEST = Probe(url=f"{SITE}/p", status=404)


@pytest.fixture
def book() -> LessonBook:
    return LessonBook(MemoryKeyValue(), SETTINGS, 50)


async def record(book: LessonBook, kind: str, name: str):
    """Return one record of the host."""
    return (await book._shelf.host(HOST)).table(kind).get(name)


def page_of(visit: Visit, **changes: object) -> Visit:
    """Change the row of the catalog that a visit brought."""
    return replace(visit, page=replace(visit.page, **changes))


# --- what a visit brought --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("visit", "fresh", "barren"),
    [
        (visited(f"{SITE}/x/1"), 1, {}),
        (copy(f"{SITE}/x/1"), 0, {"copy": 1}),
        (visited(f"{SITE}/x/1", Outcome.NEAR_DUPLICATE, of=f"{SITE}/"), 0, {"twin": 1}),
        (visited(f"{SITE}/x/1", Outcome.SOFT_404), 0, {"missing": 1}),
        (replace(visited(f"{SITE}/x/1"), likeness=None), 0, {"empty": 1}),
        (replace(visited(f"{SITE}/x/1"), likeness=Likeness(1, 4)), 0, {"empty": 1}),
        (page_of(replace(visited(f"{SITE}/x/1"), likeness=None), mime="image/png"), 1, {}),
    ],
)
async def test_a_visit_counts_for_both_templates_of_its_url(
    book: LessonBook, visit: Visit, fresh: int, barren: dict[str, int]
) -> None:
    await learn(book, [visit])
    for title in ("/x/{n}", "~/{w}/{n}"):
        tally = await record(book, TEMPLATE, title)
        assert (tally.fetched, tally.fresh, tally.barren) == (1, fresh, barren)


async def test_each_template_counts_its_own(book: LessonBook) -> None:
    await learn(book, [visited(f"{SITE}/{path}") for path in ("x/1", "y/1", "x/2", "y/2", "y/3")])
    counts = [(await record(book, TEMPLATE, title)).fetched for title in ("/x/{n}", "/y/{n}", "~/{w}/{n}")]
    assert counts == [2, 3, 5]
    assert (await record(book, TEMPLATE, "~/{w}/{n}")).good == (f"{SITE}/x/1", f"{SITE}/y/1", f"{SITE}/x/2")


@pytest.mark.parametrize("outcome", [Outcome.GONE, Outcome.CLIENT_ERROR, Outcome.SERVER_ERROR, Outcome.TOO_BIG])
async def test_an_honest_error_says_nothing_about_a_template(book: LessonBook, outcome: Outcome) -> None:
    await learn(book, [page_of(visited(f"{SITE}/x/1", outcome), status=404)])
    assert await record(book, TEMPLATE, "/x/{n}") is None


async def test_a_url_that_was_never_asked_for_counts_for_nothing(book: LessonBook) -> None:
    await learn(book, [page_of(visited(f"{SITE}/x/1", Outcome.TIMED_OUT), status=0)])
    assert await book.everything() == []


async def test_one_redirect_is_nothing_but_a_long_chain_is_a_maze(book: LessonBook) -> None:
    visits = []
    for hops in range(10):
        visit = page_of(visited(f"{SITE}/hop/{hops}", Outcome.REDIRECTED), status=302)
        lease = replace(visit.settlement.lease, entry=replace(visit.settlement.lease.entry, redirects=hops))
        visits.append(replace(visit, settlement=replace(visit.settlement, lease=lease)))
    await learn(book, visits[:3])
    assert await record(book, TEMPLATE, "/hop/{n}") is None
    await learn(book, visits[3:])
    assert (await record(book, TEMPLATE, "/hop/{n}")).barren == {"chain": 3}


async def test_a_page_without_a_phrase_of_its_own_is_stale_once_a_host_is_known(book: LessonBook) -> None:
    def page(number: int, *phrases: int) -> Visit:
        return replace(visited(f"{SITE}/maze/{number}"), likeness=Likeness(number << 20, 200, phrases))

    await learn(book, [page(number, number, number + 1) for number in range(module.STALE_FROM)])
    await learn(book, [page(100, 10, 20), page(101, 10, 999)])
    await learn(book, [page(102, 999, 30)])
    tally = await record(book, TEMPLATE, "/maze/{n}")
    assert (tally.fetched, tally.barren) == (module.STALE_FROM + 3, {"stale": 2})
    await learn(book, [page(number, number) for number in (200, 200)])
    assert (await record(book, TEMPLATE, "/maze/{n}")).barren == {"stale": 3}, "also within one commit"
    elsewhere = [
        replace(visited(f"http://b.test/{number}"), likeness=Likeness(1, 200, (1_000 + number,))) for number in range(40)
    ]
    known_here = replace(visited("http://b.test/40"), likeness=Likeness(1, 200, (10, 20)))
    await learn(book, [*elsewhere, known_here])
    assert (await book._shelf.host("b.test")).templates["/{n}"].barren == {}, "phrases are a host's own"


async def test_a_host_with_templates_without_end_has_a_bounded_memory(
    book: LessonBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("MOST_TEMPLATES", "MOST_FOLDERS", "MOST_PARAMETERS"):
        monkeypatch.setattr(module, limit, 5)
    for number in range(30):
        word = "a" * (number + 1)
        await learn(book, [visited(f"{SITE}/{word}/x?{word}={value}", links=[f"{SITE}/{number}"]) for value in range(2)])
    host = await book._shelf.host(HOST)
    assert max(len(host.table(letter)) for letter in "tpsg") <= 7
    assert host.growth[""].fetched == 60, "the host itself is counted on"
    assert host.templates["/a/{w}?a"].fetched == 2


# --- what was refused ------------------------------------------------------------------------------------------------


async def test_urls_that_a_rule_ended_are_counted_with_it(book: LessonBook) -> None:
    await learn(book, [copy(f"{SITE}/x/{number}") for number in range(60)])
    await book.rule(HOST, PARAMETER, "sid", Ruling.BLOCK)
    await learn(book, [visited(f"{SITE}/y/1?sid=1")])
    ended = []
    for url in (f"{SITE}/x/1001", f"{SITE}/y/1?sid=2"):
        verdict = (await ask(book, url)).refused
        assert verdict is not None
        ended.append(page_of(visited(url, verdict.outcome), status=0, reason=verdict.reason))
    await learn(book, ended)
    assert (await record(book, TEMPLATE, "/x/{n}")).refused == 1
    assert (await record(book, PARAMETER, "sid")).merged == 1
    assert (await book.summary()) == {"hosts": 1, "templates": 2, "parameters": 1, "refused": 2}


# --- parameters ------------------------------------------------------------------------------------------------------


async def test_one_page_seen_in_two_ways_is_one_place(book: LessonBook) -> None:
    first, second = f"{SITE}/p?id=1&sid=1", f"{SITE}/p?id=1&sid=2"
    for number in range(10):
        await learn(book, [visited(first, content="p"), visited(second, content="p")])
        await learn(book, [visited(f"{SITE}/p?sid={number}&id=1", Outcome.DUPLICATE, "p", of=first)])
    evidence = await record(book, PARAMETER, "sid")
    assert evidence.same > 20 and len(evidence.places) == 1
    assert not evidence.was_cosmetic, "one page, however often it is seen, says nothing of others"


async def test_a_copy_that_differs_in_several_parameters_says_nothing_of_any_of_them(book: LessonBook) -> None:
    for page in range(10):
        await learn(book, [visited(f"{SITE}/{page}?rev=1&x=1", Outcome.DUPLICATE, "p", of=f"{SITE}/{page}?rev=2&x=2")])
    assert await record(book, PARAMETER, "rev") is await record(book, PARAMETER, "x") is None
    assert (await record(book, PARAMETER, "rev&x")).was_cosmetic
    assert (await book.judge(found(f"{SITE}/11?rev=3"))).key == f"{SITE}/11?rev=3", "only both together"
    await learn(book, [visited(f"{SITE}/q?c=1", Outcome.DUPLICATE, "p", of=f"{SITE}/p?c=2")])
    assert await record(book, PARAMETER, "c") is None, "another path differs in more than a parameter"


async def test_a_set_of_parameters_that_brings_something_else_is_no_rule(book: LessonBook) -> None:
    for page in range(10):
        same = visited(f"{SITE}/{page}?rev=1&x=1", Outcome.DUPLICATE, f"{page}", of=f"{SITE}/{page}?rev=2&x=2")
        await learn(book, [same, visited(f"{SITE}/{page}?rev=3&x=3", content=f"{page} as it was")])
    evidence = await record(book, PARAMETER, "rev&x")
    assert evidence.same == 10 and evidence.other >= 9, "a set is watched from the commit after the one that told of it"
    assert not (await book._shelf.host(HOST)).cosmetic


async def test_nearly_the_same_text_is_the_same_and_a_short_one_is_not_compared(book: LessonBook) -> None:
    def page(sid: int, simhash: int, words: int) -> Visit:
        return replace(visited(f"{SITE}/p?sid={sid}"), likeness=Likeness(simhash, words, (1,)))

    await learn(book, [page(1, 0b0, 200), page(2, 0b111, 200)])
    assert await record(book, PARAMETER, "sid") == Parameter(
        same=1, places=(await record(book, PARAMETER, "sid")).places, examples=((f"{SITE}/p?sid=1", f"{SITE}/p?sid=2"),)
    )
    await learn(book, [page(3, 0b111, 49)])
    assert (await record(book, PARAMETER, "sid")).other == 1


@pytest.mark.parametrize("outcome", [Outcome.SOFT_404, Outcome.GONE, Outcome.TOO_BIG])
async def test_what_is_no_page_says_nothing_about_parameters(book: LessonBook, outcome: Outcome) -> None:
    await learn(book, [visited(f"{SITE}/p?sid={sid}", outcome, "p") for sid in range(5)])
    assert await record(book, PARAMETER, "sid") is None


# --- soft 404s -------------------------------------------------------------------------------------------------------


async def test_a_suspicious_page_makes_its_host_worth_a_probe(book: LessonBook) -> None:
    suspicious = replace(visited(f"{SITE}/x/1"), page=None, suspicious=True)
    await learn(book, [suspicious])
    assert (await book._shelf.host(HOST)).probes == {"/": Probe()}
    assert (await ask(book, f"{SITE}/x/1")).probe_url.startswith(f"{SITE}/gossamer-probe-")
    await learn(book, [probed(f"{SITE}/x/1", "/", HONEST), suspicious])
    assert (await book._shelf.host(HOST)).probes == {"/": HONEST}, "and it is probed once"


async def test_a_directory_that_brings_nothing_is_worth_a_probe_of_its_own(book: LessonBook) -> None:
    await learn(book, [probed(f"{SITE}/1", "/", HONEST)])
    await learn(book, [copy(f"{SITE}/a/{number}") for number in range(module.SUSPICION)])
    lesson = await ask(book, f"{SITE}/a/9")
    assert lesson.probe_url.startswith(f"{SITE}/a/gossamer-probe-")
    soft = Probe(url=lesson.probe_url, status=200, title="Sorry")
    await learn(book, [probed(f"{SITE}/a/9", "/a/", soft)])
    assert (await ask(book, f"{SITE}/a/10")).probe == soft
    assert (await ask(book, f"{SITE}/b/10")).probe is None
    await learn(book, [visited(f"{SITE}/a/11", Outcome.SOFT_404)])
    probes = (await book._shelf.host(HOST)).probes
    assert (probes["/a/"].found, probes["/a/"].examples, probes["/"].found) == (1, (f"{SITE}/a/11",), 0)


async def test_a_maze_of_directories_is_probed_some_times_and_no_more(book: LessonBook) -> None:
    await learn(book, [probed(f"{SITE}/1", "/", HONEST)])
    for number in range(40):
        await learn(book, [copy(f"{SITE}/a/{number}/{page}") for page in range(4)])
    assert len((await book._shelf.host(HOST)).probes) == module.MOST_PROBES


# --- growth ----------------------------------------------------------------------------------------------------------


def farm(host: str, number: int, links: int) -> Visit:
    """Make up a page with so many links to its own host."""
    return visited(f"http://{host}/farm/{number}", links=[f"http://{host}/{number}/{link}" for link in range(links)])


async def test_a_folder_that_brings_forth_too_much_slows_its_host_once_each_time() -> None:
    book = LessonBook(MemoryKeyValue(), Traps(growth_urls=100), 50)
    slowed = [(await learn(book, [farm(HOST, number, 40)])).slow for number in range(6)]
    assert [list(slow) for slow in slowed] == [[], [], [HOST], [], [HOST], []]
    assert {host: (seconds, str(reason)) for host, (seconds, reason) in slowed[2].items()} == {
        HOST: (PAUSE, f"traps.growth: /farm/ brought forth 120 URLs in an hour, 100 are usual at most; last from {SITE}/farm/2")
    }
    grown = (await book._shelf.host(HOST)).growth
    assert (grown[""].slowed, grown["/farm/"].slowed, grown[""].found) == (2, 2, 240)
    assert not (await learn(book, [farm(HOST, 9, 40)], NOW + HOUR)).slow, "another hour"


async def test_only_urls_of_the_host_that_nobody_refused_are_growth(book: LessonBook) -> None:
    visit = visited(f"{SITE}/p", links=[f"{SITE}/1", f"{SITE}/2", "http://b.test/1"])
    first, *others = visit.settlement.discovered
    refused = (replace(first, refused=Verdict(False, because(Rule.SCOPE_WITHIN))), *others)
    await learn(book, [replace(visit, settlement=replace(visit.settlement, discovered=refused))])
    assert (await book._shelf.host(HOST)).growth == {"": Growth(1, 1, int(NOW // HOUR), 1, page=f"{SITE}/p", own=1, outside=1)}


async def compare(kv: MemoryKeyValue, restarts: bool) -> list[list[str]]:
    """Let six ordinary hosts and a wild one grow side by side; return which were slowed, in order."""
    book, slowed = LessonBook(kv, Traps(growth_ratio=50), 50), []
    for number in range(20):
        hosts = [f"{name}.test" for name in "bcdefg"]
        visits = [farm(host, number, 2) for host in hosts] + [farm("wild.test", number, 120)]
        for visit in visits:
            slowed.append(list((await learn(book, [visit])).slow))
            if restarts:
                book = LessonBook(kv, Traps(growth_ratio=50), 50)
    return slowed


async def test_a_host_out_of_proportion_is_slowed_once_and_also_after_a_restart() -> None:
    slowed = await compare(MemoryKeyValue(), restarts=False)
    assert [hosts for hosts in slowed if hosts] == [["wild.test"]]
    assert await compare(MemoryKeyValue(), restarts=True) == slowed


async def test_a_study_that_is_not_kept_leaves_no_trace(book: LessonBook) -> None:
    visits = [farm(HOST, 1, 5), copy(f"{SITE}/x/1?a=1")]
    first = await book.study(visits, NOW)
    again = await book.study(visits, NOW)
    assert (first.changes, first.rows, first.sizes) == (again.changes, again.rows, again.sizes)
    assert first.changes and first.rows and first.sizes
    assert (await book._shelf.host(HOST)).templates == {}
    assert isinstance(first.changes[HOST, TEMPLATE, "/x/{n}?a"], TemplateTally)


# --- what copies lead to -----------------------------------------------------------------------------------------------


def found_on(visit: Visit, via: str) -> Visit:
    """Say on which page the URL of a visit was found."""
    settlement = visit.settlement
    lease = replace(settlement.lease, entry=replace(settlement.lease.entry, via=via))
    return replace(visit, settlement=replace(settlement, lease=lease))


def listing(number: int) -> Visit:
    """Make up a visit to a listing that looks like others, and has a file."""
    return visited(f"{SITE}/x/{number}/", Outcome.NEAR_DUPLICATE, of=f"{SITE}/x/0/", links=[f"{SITE}/x/{number}/a.txt"])


async def test_copies_that_lead_to_something_new_are_never_throttled(book: LessonBook) -> None:
    for number in range(1, 40):
        await learn(book, [listing(number)])
        if (await ask(book, f"{SITE}/x/{number}/")).is_doubtful:
            await learn(book, [found_on(visited(f"{SITE}/x/{number}/a.txt"), f"{SITE}/x/{number}/")])
        assert (await ask(book, f"{SITE}/x/{number + 1}/")).refused is None
    tally = await record(book, TEMPLATE, "found on copies")
    assert tally.fetched == tally.fresh > 5


async def test_what_leads_from_copies_to_copies_is_soon_a_sample_and_nothing_else_of_that_make_is(book: LessonBook) -> None:
    home = f"{SITE}/g/0.html"
    await learn(book, [visited(home, Outcome.DUPLICATE, of=f"{SITE}/", links=[f"{SITE}/h/1"])])
    for number in range(1, 12):
        await learn(book, [found_on(copy(f"{SITE}/h{chr(96 + number)}/{chr(96 + number)}"), home)])
    tally = await record(book, TEMPLATE, "found on copies")
    assert (tally.fetched, tally.fresh, tally.weight) == (11, 0, 11)
    urls = [f"{SITE}/new/page{number}" for number in range(50)]
    entries = [replace(found(url), via=home) for url in urls]
    refused = [(await book.judge(entry)).refused for entry in entries]
    assert len([verdict for verdict in refused if verdict is not None]) >= 45
    assert {verdict.rule for verdict in refused if verdict is not None} == {"traps.template"}
    assert all("found on copies brought 0 new in 11 fetches" in verdict.text for verdict in refused if verdict is not None)
    assert [(await book.judge(found(url))).refused for url in urls] == [None] * 50, "found on a page that is news"
    views = [replace(entry, url=f"{entry.url}?view=1", key=f"{entry.url}?view=1") for entry in entries]
    assert [(await book.judge(view)).refused for view in views] == [None] * 50
    await book.rule(HOST, TEMPLATE, "found on copies", Ruling.ALLOW)
    assert [(await book.judge(entry)).refused for entry in entries] == [None] * 50


# --- mirrors -------------------------------------------------------------------------------------------------------------

OTHER = "http://b.test"


def mirrored(path: str) -> list[Visit]:
    """Make up visits to the same page on two hosts."""
    return [visited(f"{SITE}{path}", content=path), visited(f"{OTHER}{path}", Outcome.DUPLICATE, path, f"{SITE}{path}")]


async def test_a_host_that_has_what_another_has_is_a_mirror_and_no_page_of_it_is_fetched_twice(book: LessonBook) -> None:
    for number in range(6):
        await learn(book, mirrored(f"/m/{number}"))
    late = [f"/m/{number}" for number in range(100, 120)]
    await learn(book, [visited(f"{SITE}{path}", content=path) for path in late])
    lessons = [await ask(book, f"{OTHER}{path}") for path in late]
    assert {lesson.refused.rule for lesson in lessons if lesson.refused} == {"traps.mirror"}
    assert len([lesson for lesson in lessons if lesson.refused]) >= 16, "but for a sample"
    assert [(await ask(book, f"{OTHER}/m/{number}")).refused for number in range(200, 210)] == [None] * 10, "only there"
    verdicts = await book.verdicts(parse(f"{OTHER}/m/100"), f"{OTHER}/m/100")
    assert "traps.mirror" in {verdict.rule for verdict in verdicts}


async def test_a_host_that_differs_in_a_fifth_of_its_pages_is_no_mirror(book: LessonBook) -> None:
    for number in range(40):
        path = f"/m/{number}"
        pages = mirrored(path) if number % 5 else [visited(f"{SITE}{path}", content=f"a{path}"), visited(f"{OTHER}{path}")]
        await learn(book, pages)
    evidence = await record(book, PARAMETER, "//b.test")
    assert (evidence.same, evidence.other) == (32, 7)
    assert not (await book._shelf.host("b.test")).cosmetic
