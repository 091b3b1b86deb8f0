"""Views of a page count against what makes them views, never against the page; the words that tell are learned by the way."""

import pytest
from msgspec.structs import replace

from gossamer.config.sections import Traps
from gossamer.kv.memory import MemoryKeyValue
from gossamer.lessons.book import LessonBook
from gossamer.lessons.study import STALE_FROM
from gossamer.records.evidence import Ruling
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome
from gossamer.records.visit import Visit
from gossamer.testing.lessons import HOST, SITE, TEMPLATE, ask, found, learn, visited
from gossamer.url.parse import parse

NAMES = [f"{one}{two}" for one in "abcdefgh" for two in "abcdefgh"]
COPY, TWIN = Outcome.DUPLICATE, Outcome.NEAR_DUPLICATE


@pytest.fixture
def kv() -> MemoryKeyValue:
    return MemoryKeyValue()


@pytest.fixture
def book(kv: MemoryKeyValue) -> LessonBook:
    return LessonBook(kv, Traps(), 50)


def view(path: str, outcome: Outcome, of: str, via: str = "/list") -> Visit:
    """Make up a visit to what says the same as another page."""
    visit = visited(f"{SITE}{path}", outcome, of, f"{SITE}{of}")
    lease = replace(visit.settlement.lease, entry=replace(visit.settlement.lease.entry, via=f"{SITE}{via}"))
    return replace(visit, settlement=replace(visit.settlement, lease=lease))


async def speak(book: LessonBook, *words: str) -> None:
    """Let a host be seen to use some words."""
    for word in words:
        await learn(book, [visited(f"{SITE}/repo/{word}/known{number}.c") for number in range(4)])


async def weights(book: LessonBook) -> dict[str, int]:
    """Return the templates that have weight."""
    host = await book._shelf.host(HOST)
    return {title: tally.weight for title, tally in host.templates.items() if tally.weight}


async def test_views_by_a_query_count_against_those_queries_and_not_against_the_page(book: LessonBook) -> None:
    await learn(book, [view(f"/wiki/{name}?do=export", TWIN, f"/wiki/{name}") for name in NAMES])
    assert set(await weights(book)) == {"/wiki/{w}?do", "~/{w}+?*"}
    assert (await ask(book, f"{SITE}/wiki/other")).refused is None


async def test_a_page_fetched_after_its_own_views_is_not_to_blame(book: LessonBook) -> None:
    await learn(book, [view(f"/wiki/{name}", COPY, f"/wiki/{name}?do=diff") for name in NAMES])
    assert await weights(book) == {}


async def test_a_page_whose_views_have_shown_all_its_phrases_is_not_stale(book: LessonBook, kv: MemoryKeyValue) -> None:
    def page(path: str, phrase: int) -> Visit:
        return replace(visited(f"{SITE}{path}"), likeness=Likeness(phrase << 20, 200, (phrase,)))

    await learn(book, [page(f"/known/{number}", 7) for number in range(STALE_FROM + 1)])
    before = await weights(book)
    await learn(book, [page(f"/wiki/{name}?do=history", number) for number, name in enumerate(NAMES)])
    book = LessonBook(kv, Traps(), 50)  # also after a restart
    await learn(book, [page(f"/wiki/{name}", number) for number, name in enumerate(NAMES)])
    assert await weights(book) == before
    await learn(book, [page(f"/else/{name}", number) for number, name in enumerate(NAMES)])
    assert (await weights(book))["/else/{w}"] == len(NAMES), "who has no views repeats others"


async def test_views_by_a_word_of_the_path_are_told_by_the_page_they_are_found_on(book: LessonBook) -> None:
    await speak(book, "tree", "plain")
    await learn(book, [view(f"/repo/tree/{name}.c", TWIN, f"/repo/plain/{name}.c") for name in NAMES])
    assert await weights(book) == {}, "nobody knows which of the two is the view"
    some = [view(f"/repo/plain/{name}x.c", TWIN, f"/repo/tree/{name}x.c", f"/repo/tree/{name}x.c") for name in NAMES]
    await learn(book, some)
    assert await weights(book) == {"/repo/plain/{w}.c": len(NAMES)}
    assert (await ask(book, f"{SITE}/repo/tree/new.c")).refused is None
    assert [(await ask(book, f"{SITE}/repo/plain/{name}y.c")).refused for name in NAMES].count(None) < len(NAMES) / 2


async def test_trees_of_the_same_bytes_beside_each_other_are_fetched_to_the_last(book: LessonBook) -> None:
    await speak(book, "en", "fr")
    await learn(book, [view(f"/repo/fr/{name}.html", COPY, f"/repo/en/{name}.html") for name in NAMES])
    assert await weights(book) == {}


async def test_copies_with_links_that_are_all_known_are_fetched_to_the_last_where_others_are_new(book: LessonBook) -> None:
    def page(number: int, links: list[str]) -> Visit:
        return visited(f"{SITE}/x/{number}", COPY, "same", f"{SITE}/y", links)

    await learn(book, [visited(f"{SITE}/x/{number}") for number in range(20)])
    await learn(book, [page(number, []) for number in range(20, 120)])
    assert await weights(book) == {}
    await learn(book, [page(number, [f"{SITE}/x/{number + 1}"]) for number in range(200, 230)])
    assert (await weights(book))["/x/{n}"] == 30, "what leads on may have no end"


async def test_a_word_that_answers_otherwise_has_a_template_of_its_own_and_others_do_not_suffer(book: LessonBook) -> None:
    await speak(book, "tree", "stats")
    await learn(book, [visited(f"{SITE}/repo/tree/{name}.c") for name in NAMES[:10]])
    await learn(book, [replace(visited(f"{SITE}/repo/stats/{name}.c"), likeness=None) for name in NAMES])
    urls = {word: [f"{SITE}/repo/{word}/{name}z.c" for name in NAMES] for word in ("tree", "stats")}
    refused = {word: [url for url in some if (await ask(book, url)).refused is not None] for word, some in urls.items()}
    assert refused["tree"] == [] and len(refused["stats"]) > len(NAMES) / 2
    evidence = await book.evidence(parse(refused["stats"][0]))
    assert list(evidence["templates"]) == ["/repo/stats/{w}.c", "/repo/{w}/{w}.c", "~/{w}+/{w}.c"]
    await book.rule(HOST, TEMPLATE, "/repo/{w}/{w}.c", Ruling.ALLOW)
    assert [(await ask(book, url)).refused for url in urls["stats"]] == [None] * len(NAMES), "a word on the wider one holds"
    await book.rule(HOST, TEMPLATE, "/repo/stats/{w}.c", Ruling.BLOCK)
    assert None not in [(await book.judge(found(url))).refused for url in urls["stats"]]
