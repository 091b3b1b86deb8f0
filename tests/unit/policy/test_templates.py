"""Templates: URLs of one make share a shape, what brings nothing is throttled step by step, and never for good."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gossamer.config.sections import Traps
from gossamer.policy import templates
from gossamer.policy.templates import counted, decisive, one_in, reason_for, templates_of
from gossamer.records.evidence import Ruling, TemplateTally, Yield
from gossamer.url.parse import parse

SITE = "http://a.example"
SETTINGS = Traps(template_evidence=8, sample=1024)
BARREN = [Yield.COPY, Yield.TWIN, Yield.MISSING, Yield.EMPTY, Yield.STALE, Yield.CHAIN]
SHAPES = FINE, COARSE = "/shop/{n}", "~/{w}/{n}"


def fine(path: str) -> str:
    return templates_of(parse(SITE + path))[0]


def coarse(path: str) -> str:
    return templates_of(parse(SITE + path))[1]


def after(yields: list[Yield], tally: TemplateTally = TemplateTally()) -> TemplateTally:
    for number, brought in enumerate(yields):
        tally = counted(tally, brought, f"{SITE}/{number}")
    return tally


@pytest.mark.parametrize(
    ("path", "template"),
    [
        ("", "/"),
        ("/", "/"),
        ("/about", "/{w}"),
        ("/about-us.HTML", "/{w}.html"),
        ("/shop/17", "/shop/{n}"),
        ("/shop/17/", "/shop/{n}/"),
        ("/shop/blue-shoes", "/shop/{w}"),
        ("/2024/01/31", "/{n}/{n}/{n}"),
        ("/news/2024-01-31", "/news/{date}"),
        ("/news/2024-1-3-title", "/news/{date}{w}"),
        ("/news/20240131", "/news/{n}"),
        ("/x/550e8400-e29b-41d4-a716-446655440000", "/x/{uuid}"),
        ("/x/item-550E8400-E29B-41D4-A716-446655440000.json", "/x/{w}{uuid}.json"),
        ("/x/da39a3ee5e6b4b0d3255bfef95601890afd80709", "/x/{id}"),
        ("/x/dQw4w9WgXcQ", "/x/{id}"),
        ("/page9/x", "/page{n}/{w}"),
        ("/page10/x", "/page{n}/{w}"),
        ("/x/article9", "/x/{w}{n}"),
        ("/x/article1000", "/x/{w}{n}"),
        ("/wiki/%D0%BA%D0%BE%D1%82", "/wiki/{w}"),
        ("/wiki/кот", "/wiki/{w}"),
        ("/wiki/Caf%C3%A9_au_lait", "/wiki/{w}"),
        ("/wiki/my%20house", "/wiki/{w}"),
        ("/wiki/my%20house%2012", "/wiki/{w}{n}"),
        ("/wiki/100%25", "/wiki/{n}{w}"),
        ("/wiki/100%", "/wiki/{n}%"),
        ("/wiki/{n}", "/wiki/{w}"),
        ("/%D0%BA%D0%BE%D1%82/1", "/%D0%BA%D0%BE%D1%82/{n}"),
        ("//", "//"),
        ("/a//b", "/a//{w}"),
        ("/app;jsessionid=0A1B2C3D4E5F/cart", "/app;jsessionid={id}/{w}"),
        ("/app/(S(lit3py55t21z5v55vlm25s55))/cart.aspx", "/app/({w}({id}))/{w}.aspx"),
        ("/list?page=2&sort=up", "/{w}?page&sort"),
        ("/list?sort=up&page=7", "/{w}?page&sort"),
        ("/list?page=2&page=3&&", "/{w}?page"),
        ("/list?", "/{w}?"),
        ("/list?12", "/{w}?{n}"),
        ("/list?f[0]=a&f[1]=b", "/{w}?f[{n}]"),
        ("/list?=x", "/{w}?"),
        ("/v1.2.3/notes.tar.gz", "/v{n}.{n}.{n}/{w}.{w}.gz"),
    ],
)
def test_urls_of_one_make_have_one_template(path: str, template: str) -> None:
    assert fine(path) == template


@pytest.mark.parametrize(
    ("paths", "template"),
    [
        (("/a/b/1", "/very/deep/and/still/7"), "~/{w}+/{n}"),
        (("/a/1?x=1", "/b/2?y=2&z=3"), "~/{w}/{n}?*"),
        (("/2024/1/2", "/1999/12/31/5"), "~/{n}+"),
        (("/a.html", "/b.html"), "~/{w}.html"),
    ],
)
def test_a_maze_that_invents_folders_and_parameters_has_one_coarse_template(paths: tuple[str, ...], template: str) -> None:
    assert {coarse(path) for path in paths} == {template}
    assert all(one.startswith(templates.ROUGHLY) for one in map(coarse, paths))


def test_the_first_folder_and_the_names_of_parameters_tell_templates_apart() -> None:
    assert fine("/shop/1") != fine("/forum/1")
    assert fine("/shop/1?colour=1") != fine("/shop/1?size=1")
    assert coarse("/shop/1") != coarse("/shop/1?size=1")


@given(st.text(max_size=60), st.none() | st.text(max_size=40))
def test_whatever_a_url_is_made_of_it_has_its_template_every_time(path: str, query: str | None) -> None:
    url = parse(SITE).__class__(SITE, "http", "a.example", None, f"/{path}", query)
    first = templates_of(url)
    templates._shape.cache_clear()
    assert templates_of(url) == first
    assert "0x" not in "".join(first) or "0x" in f"{path}{query}"
    parsed = parse(f"{SITE}/{path}")
    assert templates_of(parse(parsed.wire)) == templates_of(parsed)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_number_makes_no_difference(one: int, two: int) -> None:
    assert templates_of(parse(f"{SITE}/shop/{one}?p={two}")) == templates_of(parse(f"{SITE}/shop/{two}?p={one}"))


@given(st.text(st.characters(categories=["L"]), min_size=1, max_size=20))
def test_a_word_is_a_word_in_every_script(word: str) -> None:
    assert fine(f"/wiki/{word}") == "/wiki/{w}"


@pytest.mark.parametrize(
    "piece", ["1", "a", "%", "{}", "a.", "a;", "a1.", "1-", "%41", "%D0.", "=a", "/a1", "a}", "{n}", "a1b2c3-"]
)
def test_a_hostile_path_takes_time_in_proportion_to_its_length(piece: str) -> None:
    path = (piece * 20_000)[:20_000]
    url = parse(SITE).__class__(SITE, "http", "a.example", None, f"/{path}", path)
    taken = []
    for _ in range(3):
        templates._shape.cache_clear()
        began = time.process_time()
        templates_of(url)
        taken.append(time.process_time() - began)
    assert min(taken) < 0.1, "ten times what it takes, a tenth of what it would take with the square of its length"


# --- throttling ------------------------------------------------------------------------------------------------------


def test_a_template_is_throttled_step_by_step_and_never_for_good() -> None:
    samples = [one_in(FINE, after([Yield.COPY] * number), SETTINGS) for number in range(200)]
    assert samples[:8] == [1] * 8
    assert samples[8:13] == [2, 2, 2, 2, 4]
    assert samples == sorted(samples)
    assert {later / earlier for earlier, later in itertools.pairwise(samples)} <= {1, 2}
    assert samples[-1] == one_in(FINE, after([Yield.COPY] * 10_000), SETTINGS) == 1024


@pytest.mark.parametrize("brought", BARREN)
def test_whatever_brings_nothing_weighs_the_same_and_is_told_apart(brought: Yield) -> None:
    tally = after([brought] * 9)
    assert one_in(FINE, tally, SETTINGS) == 2
    assert (tally.fetched, tally.fresh, tally.barren) == (9, 0, {brought.value: 9})


def test_fresh_pages_relieve_a_template() -> None:
    throttled = after([Yield.COPY] * 40)
    assert one_in(FINE, throttled, SETTINGS) == 512
    samples = [one_in(FINE, after([Yield.FRESH] * number, throttled), SETTINGS) for number in range(20)]
    assert samples == sorted(samples, reverse=True)
    assert samples[-1] == 1


def test_a_template_in_which_every_third_page_is_new_is_never_throttled() -> None:
    tally = TemplateTally()
    for _ in range(1_000):
        tally = after([Yield.COPY, Yield.COPY, Yield.FRESH], tally)
        assert one_in(FINE, tally, SETTINGS) == 1


def test_what_is_found_on_copies_is_throttled_only_when_hardly_any_of_it_is_new() -> None:
    tally = TemplateTally()
    for number in range(27):  # translations that fall back to one language, the own pages of each first
        tally = counted(tally, Yield.FRESH if number < 7 else Yield.COPY, f"/{number}")
    assert tally.weight == 20 and one_in(templates.ON_COPIES, tally, Traps()) == 1
    for number in range(27, 57):
        tally = counted(tally, Yield.COPY, f"/{number}")
    assert one_in(templates.ON_COPIES, tally, Traps()) > 8, "a maze has links without end"


def test_a_template_with_a_name_is_given_time() -> None:
    known = after([Yield.FRESH] * 800)
    assert one_in(FINE, after([Yield.COPY] * 100, known), SETTINGS) == 1
    assert one_in(FINE, after([Yield.COPY] * 108, known), SETTINGS) == 2


def test_a_coarse_template_needs_twice_the_evidence() -> None:
    assert one_in(COARSE, after([Yield.COPY] * 15), SETTINGS) == 1
    assert one_in(COARSE, after([Yield.COPY] * 16), SETTINGS) == 2


def test_the_heavier_template_of_a_url_decides() -> None:
    light, heavy = after([Yield.COPY] * 8), after([Yield.COPY] * 60)
    assert decisive(SHAPES, {}, SETTINGS) == (FINE, 1)
    assert decisive(SHAPES, {FINE: heavy}, SETTINGS) == (FINE, 1024)
    assert decisive(SHAPES, {COARSE: heavy}, SETTINGS) == (COARSE, 1024)
    assert decisive(SHAPES, {FINE: light, COARSE: heavy}, SETTINGS) == (COARSE, 1024)
    assert decisive(SHAPES, {FINE: heavy, COARSE: light}, SETTINGS) == (FINE, 1024)


def test_a_proven_fine_template_does_not_suffer_for_its_coarse_one() -> None:
    heavy = after([Yield.COPY] * 60)
    assert decisive(SHAPES, {FINE: after([Yield.FRESH] * 8), COARSE: heavy}, SETTINGS) == (FINE, 1)
    assert decisive(SHAPES, {FINE: after([Yield.FRESH] * 7), COARSE: heavy}, SETTINGS) == (COARSE, 1024)


@pytest.mark.parametrize("title", [FINE, COARSE])
def test_an_operators_word_stands_above_all_evidence(title: str) -> None:
    fresh, heavy = after([Yield.FRESH] * 100), after([Yield.COPY] * 100)
    for evidence in (fresh, heavy, TemplateTally()):
        others = {FINE: evidence, COARSE: evidence}
        blocked = others | {title: replace(evidence, ruling=Ruling.BLOCK)}
        assert decisive(SHAPES, blocked, SETTINGS) == (title, 0)
        allowed = others | {title: replace(evidence, ruling=Ruling.ALLOW)}
        assert decisive(SHAPES, allowed, SETTINGS) == (title, 1)


def test_of_two_words_of_an_operator_the_finer_one_counts() -> None:
    both = {FINE: TemplateTally(ruling=Ruling.ALLOW), COARSE: TemplateTally(ruling=Ruling.BLOCK)}
    assert decisive(SHAPES, both, SETTINGS) == (FINE, 1)


def test_a_verdict_names_its_numbers_and_an_example() -> None:
    tally = after([Yield.FRESH, Yield.COPY, Yield.COPY, Yield.TWIN])
    assert reason_for(FINE, tally, 4).text == (
        f"/shop/{{n}} brought 1 new in 4 fetches (2 copy, 1 twin, such as {SITE}/3); one in 4 is tried"
    )
    assert reason_for(FINE, tally, 0).text == "an operator blocked /shop/{n}"


def test_the_first_good_and_the_last_bad_examples_are_kept() -> None:
    tally = after([Yield.FRESH] * 5 + [Yield.COPY] * 5)
    assert tally.good == tuple(f"{SITE}/{number}" for number in (0, 1, 2))
    assert tally.bad == tuple(f"{SITE}/{number}" for number in (7, 8, 9))
