"""Soft 404s: an answer like the one for what cannot exist is none; an honest host is never accused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gossamer.policy.soft404 import NAME, counted, directory_of, is_soft, is_telling, likeness_to, probe_url
from gossamer.records.evidence import Probe, Ruling
from gossamer.records.likeness import Likeness
from gossamer.url.parse import parse

SITE = "http://a.example"
TEXT = Likeness(0xFFFF, 100)
SOFT = Probe(url=f"{SITE}/gone", status=200, simhash=TEXT.simhash, words=100, title="Sorry", length=1_000)
MOVED = Probe(url=f"{SITE}/gone", status=302, location=f"{SITE}/")


def said(
    probe: Probe,
    path: str = "/page",
    status: int = 200,
    location: str = "",
    likeness: Likeness | None = None,
    title: str = "",
    length: int = 0,
) -> str:
    reason = likeness_to(probe, parse(SITE + path), status, location, likeness, title, length)
    return "" if reason is None else reason.text


@given(st.sampled_from([0, 400, 404, 410, 403, 500, 503]), st.integers(0, 2**64 - 1), st.text(), st.integers(0, 10**6))
def test_an_honest_host_has_no_soft_404(status: int, simhash: int, title: str, length: int) -> None:
    honest = Probe(url=f"{SITE}/gone", status=status, simhash=simhash, words=100, title=title, length=length)
    assert not is_soft(honest)
    assert not said(honest, likeness=Likeness(simhash, 100), title=title, length=length)


@pytest.mark.parametrize(("bits", "found"), [(0, True), (0b111, True), (0b1111, False)])
def test_nearly_the_same_text_is_found_out(bits: int, found: bool) -> None:
    assert bool(said(SOFT, likeness=Likeness(TEXT.simhash ^ bits, 80))) is found


def test_a_few_words_are_alike_everywhere() -> None:
    assert not said(SOFT, likeness=Likeness(TEXT.simhash, 19))
    assert not said(replace(SOFT, words=19), likeness=TEXT)
    assert not said(replace(SOFT, simhash=None), likeness=TEXT)


def test_the_same_title_counts_only_with_about_the_same_length() -> None:
    assert said(SOFT, title="Sorry", length=1_090) == f"its title is 'Sorry' and its length 1090, like {SITE}/gone (1000)"
    assert not said(SOFT, title="Sorry", length=1_101)
    assert not said(SOFT, title="Shoes", length=1_000)
    assert not said(replace(SOFT, title=""), title="", length=1_000), "no title is no likeness"
    other = Likeness(TEXT.simhash ^ 0xFFFFFFFF, 100)
    assert not said(SOFT, title="Sorry", length=1_000, likeness=other), "a long text that says something else counts for more"
    assert said(SOFT, title="Sorry", length=1_000, likeness=replace(other, words=59))


def test_a_redirect_to_the_same_place_is_found_out() -> None:
    assert said(MOVED, status=301, location=f"{SITE}/") == f"redirected to {SITE}/, like {SITE}/gone"
    assert not said(MOVED, status=301, location=f"{SITE}/new")
    assert not said(MOVED, status=200, likeness=TEXT), "the page it leads to is a page"
    assert not said(replace(MOVED, location=""), status=301, location=""), "nowhere is no place"


def test_a_host_that_answers_200_may_redirect_and_fail_as_it_likes() -> None:
    for status in (301, 302, 404, 500):
        assert not said(SOFT, status=status, location=f"{SITE}/", likeness=TEXT, title="Sorry", length=1_000)


@pytest.mark.parametrize("path", ["", "/", "/?a=1"])
def test_the_root_never_is_one(path: str) -> None:
    assert not said(SOFT, path, likeness=TEXT)
    assert not said(MOVED, path, 302, f"{SITE}/")


def test_an_operators_word_stands_above_the_probe() -> None:
    assert not is_soft(replace(SOFT, ruling=Ruling.ALLOW))
    assert not said(replace(SOFT, ruling=Ruling.ALLOW), likeness=TEXT)


@pytest.mark.parametrize(
    ("path", "directory"), [("", "/"), ("/a", "/"), ("/a/", "/a/"), ("/a/b.html?x=/y/", "/a/"), ("/a/b/c", "/a/b/")]
)
def test_a_directory_ends_with_a_slash(path: str, directory: str) -> None:
    assert directory_of(parse(SITE + path)) == directory


def test_a_probe_says_who_asks_and_is_the_same_each_time() -> None:
    url = parse(f"{SITE}:8080/a/b")
    probe = probe_url(url, "/a/")
    assert probe.startswith(f"{SITE}:8080/a/{NAME}") and probe == probe_url(parse(f"{SITE}:8080/z"), "/a/")
    assert len({probe, probe_url(url, "/"), probe_url(parse("https://a.example:8080/a/"), "/a/")}) == 3
    assert directory_of(parse(probe)) == "/a/" and parse(probe).wire == probe


@pytest.mark.parametrize(
    ("title", "telling"),
    [
        ("Page not found - Shop", True),
        ("404", True),
        ("Error 404: nothing", True),
        ("Seite nicht gefunden", True),
        ("Page introuvable", True),
        ("Страница не найдена", True),
        ("ページが見つかりません", True),
        ("This page doesn't exist", True),
        ("", False),
        ("Route 4040", False),
        ("Lost and found", False),
        ("Model A404B", False),
    ],
)
def test_some_titles_tell(title: str, telling: bool) -> None:
    assert is_telling(title) is telling


def test_what_was_found_by_a_probe_is_counted_with_the_last_examples() -> None:
    probe = SOFT
    for number in range(5):
        probe = counted(probe, str(number))
    assert (probe.found, probe.examples) == (5, ("2", "3", "4"))
