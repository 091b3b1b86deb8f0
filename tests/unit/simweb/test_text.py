"""Prose: of the exact length, in the right language, never broken inside a character or a tag."""

from itertools import pairwise
from random import Random

import pytest

from gossamer.simweb.text import LANGUAGES, Prose


@pytest.fixture(scope="module")
def prose() -> Prose:
    return Prose(seed=1)


@pytest.mark.parametrize("language", ["en", *LANGUAGES])
@pytest.mark.parametrize("size", [0, 1, 7, 500, 30_000])
def test_text_has_exactly_the_size_asked_for_and_no_torn_character_or_tag(prose: Prose, language: str, size: int) -> None:
    text = prose.fill(language, Random(4), size)
    assert len(text) == size
    plain = text.decode().replace("</p>\n<p>", "")
    assert "<" not in plain and ">" not in plain and "&" not in plain


def test_two_pages_share_little_text(prose: Prose) -> None:
    one, two = (set(prose.fill("en", Random(number), 20_000).split(b". ")) for number in (1, 2))
    assert len(one & two) < len(one) / 5


@pytest.mark.parametrize("language", ["en", "fr", "ko"])
def test_a_page_says_something_new_however_many_were_read_before(prose: Prose, language: str) -> None:
    def shingles(number: int) -> set[tuple[str, str, str]]:
        said = prose.fill(language, Random(number), 4_000).decode().replace("</p>\n<p>", " ").split()
        return set(zip(said, said[1:], said[2:], strict=False))

    known = set[tuple[str, str, str]]().union(*map(shingles, range(300)))
    for number in range(300, 310):
        page = shingles(number)
        assert len(page - known) > len(page) / 10


def test_titles_are_unique(prose: Prose) -> None:
    assert len({prose.title(language, number) for language in ("en", "ja") for number in range(500)}) == 1000


def test_an_article_before_a_vowel_is_an(prose: Prose) -> None:
    words = prose.fill("en", Random(1), 50_000).decode().split()
    assert not [two for one, two in pairwise(words) if one.lower() == "a" and two[0] in "aeiou"]
