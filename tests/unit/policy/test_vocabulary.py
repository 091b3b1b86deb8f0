"""Vocabulary: words that are few and repeated are an application's own, names and what a maze invents are not."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.policy.vocabulary import (
    MOST_WORDS,
    NO_VERBS,
    REPEATED,
    Verbs,
    base,
    bases_of,
    is_parallel,
    is_plainer,
    met,
    narrow_of,
    unspoken,
    verbs_in,
    verbs_of,
    words_of,
)
from gossamer.records.evidence import Words
from gossamer.url.parse import Url, parse

SITE = "http://a.example"
VERBS: Verbs = {
    "/repo/": frozenset({"tree", "log"}),
    "/": frozenset({"en", "fr"}),
    "/en/": frozenset({"mod", "howto"}),
    "?do": frozenset({"edit", "diff"}),
}
LETTERS = [f"word{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(400)]


def url(path: str) -> Url:
    return parse(SITE + path)


def after(words: Iterable[str], known: Words = Words()) -> Words:
    for word in words:
        known = met(known, word) or known
    return known


@pytest.mark.parametrize(
    ("path", "query", "found"),
    [
        ("/", None, []),
        ("/about", None, []),
        ("/repo/tree/setup", None, [("/", "repo"), ("/repo/", "tree")]),
        ("/a/b/c/d/e/f", None, [("/", "a"), ("/a/", "b"), ("/a/*/", "c"), ("/a/*/*/", "d")]),
        ("/repo/17/x/", None, [("/", "repo"), ("/repo/*/", "x")]),
        ("/x", "do=edit&rev=5&id=", [("?do", "edit")]),
    ],
)
def test_words_are_found_in_folders_and_values_by_their_place(
    path: str, query: str | None, found: list[tuple[str, str]]
) -> None:
    assert list(words_of(path, query)) == found


def test_words_that_are_repeated_are_a_vocabulary_and_one_alone_is_none() -> None:
    assert verbs_in(after(["tree"] * 9)) == frozenset()
    assert verbs_in(after(["tree"] * REPEATED + ["log"] * (REPEATED - 1))) == frozenset()
    assert verbs_in(after(["tree"] * REPEATED + ["log"] * REPEATED + ["once"])) == {"tree", "log"}


def test_what_is_known_of_a_word_that_is_repeated_changes_no_more() -> None:
    assert met(after(["tree"] * REPEATED), "tree") is None


def test_a_place_with_more_words_than_an_application_has_is_a_place_of_names_for_good() -> None:
    full = after([word for word in LETTERS[: MOST_WORDS + 1] for _ in range(REPEATED)])
    assert full == Words(is_full=True) and verbs_in(full) == frozenset()
    assert met(full, "tree") is None


def test_a_maze_that_invents_words_neither_makes_a_vocabulary_nor_hides_one() -> None:
    words = after(["tree"] * REPEATED + ["log"] * REPEATED)
    for word in LETTERS:
        words = after([word], words)
    assert verbs_in(words) == {"tree", "log"} and len(words.counts) <= MOST_WORDS


def test_a_folder_that_is_repeated_at_several_depths_is_no_word_of_an_application() -> None:
    words = after(["guide", "help", "tree"] * REPEATED)
    assert verbs_of({"/": words, "?do": words}) == {"/": {"tree", "guide", "help"}, "?do": {"tree", "guide", "help"}}
    assert verbs_of({"/": words, "/guide/": after(["guide", "help"] * REPEATED)})["/"] == {"tree"}
    assert verbs_of({"/a/": words, "/b/": words})["/a/"] == {"tree", "guide", "help"}, "in two folders at one depth"


@given(st.lists(st.sampled_from(LETTERS), max_size=300))
def test_a_place_never_remembers_more_than_a_few_words(words: list[str]) -> None:
    assert len(after(words).counts) <= MOST_WORDS


@pytest.mark.parametrize(
    ("path", "query", "narrow"),
    [
        ("/repo/tree/setup", None, "/repo/tree/{w}"),
        ("/repo/log/src/7.c", None, "/repo/log/{w}/{n}.c"),
        ("/repo/blame/setup", None, ""),
        ("/en/mod/core", None, "/en/mod/{w}"),
        ("/fr/mod/core", None, ""),  # its first folder is in the fine one already
        ("/wiki", "id=start&do=edit", "/{w}?do=edit&id"),
        ("/wiki", "id=start&do=show", ""),
    ],
)
def test_the_narrow_template_keeps_the_words_of_the_vocabulary(path: str, query: str | None, narrow: str) -> None:
    assert narrow_of(path, query, VERBS) == narrow
    assert narrow_of(path, query, NO_VERBS) == ""


def test_a_url_with_less_in_its_query_is_the_plainer_one() -> None:
    assert is_plainer(url("/x"), url("/x?do=edit"))
    assert is_plainer(url("/x?id=1"), url("/x?do=edit&id=1"))
    assert not is_plainer(url("/x?id=1"), url("/x?do=edit&id=2"))
    assert not is_plainer(url("/x"), url("/y?do=edit"))
    assert not is_plainer(url("/x?a=1"), url("/x?a=2")) and not is_plainer(url("/x"), url("/x"))


def test_urls_that_differ_in_one_word_of_the_vocabulary_are_parallel() -> None:
    assert is_parallel(url("/repo/tree/f"), url("/repo/log/f"), VERBS)
    assert is_parallel(url("/en/mod/core"), url("/fr/mod/core"), VERBS)
    assert not is_parallel(url("/repo/tree/f"), url("/repo/log/g"), VERBS)
    assert not is_parallel(url("/repo/tree/f"), url("/repo/blame/f"), VERBS), "nobody knows that word"
    assert not is_parallel(url("/en/mod/f"), url("/fr/howto/f"), VERBS), "two words"
    assert not is_parallel(url("/repo/tree/f"), url("/repo/log/f"), NO_VERBS)


def test_a_view_names_the_pages_it_is_a_view_of() -> None:
    names = bases_of(url("/x?id=1&do=edit"), VERBS)
    assert base(url("/x?id=1")) in names and base(url("/x")) in names and base(url("/x?do=edit")) not in names
    assert bases_of(url("/x"), VERBS) == []
    assert unspoken(url("/repo/tree/f"), VERBS) == unspoken(url("/repo/log/f"), VERBS) == bases_of(url("/repo/log/f"), VERBS)
