"""Directives: what a page asks of robots, and of which robots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.policy.directives import from_header, from_meta, merge
from gossamer.records.page import Directives

NOTHING = Directives()
NOINDEX = Directives(noindex=True)
NOFOLLOW = Directives(nofollow=True)
BOTH = Directives(noindex=True, nofollow=True)
AGENT = "gossamer/0.1.0 (+https://operator.example/)"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", NOTHING),
        ("all", NOTHING),
        ("index, follow", NOTHING),
        ("noindex", NOINDEX),
        ("NoIndex,NOFOLLOW", BOTH),
        ("noindex nofollow", BOTH),
        ("noindex; nofollow", BOTH),
        ("none", BOTH),
        ("noarchive", Directives(noarchive=True)),
        ("noindexing, notnofollow", NOTHING),
        ("max-image-preview: none", NOTHING),
        ("max-image-preview:none, nofollow", NOFOLLOW),
        ("noindex max-snippet: 5", NOINDEX),
        ("unavailable_after: Wed, 21 Oct 2026 07:28:00 GMT, nofollow", NOFOLLOW),
    ],
)
def test_a_meta_element_asks_with_words(content: str, expected: Directives) -> None:
    assert from_meta(content) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], NOTHING),
        (["noindex"], NOINDEX),
        (["noindex", "nofollow"], BOTH),
        (["noindex, nofollow"], BOTH),
        (["none"], BOTH),
        (["googlebot: noindex, nofollow"], NOTHING),
        (["google-bot: none"], NOTHING),
        (["gossamer: noindex, nofollow"], BOTH),
        (["GOSSAMER : noindex"], NOINDEX),
        (["gossamer-images: noindex"], NOTHING),
        (["*: noindex"], NOINDEX),
        (["googlebot: noindex", "nofollow"], NOFOLLOW),
        (["googlebot: noindex, gossamer: nofollow"], NOFOLLOW),
        (["noindex, otherbot: nofollow"], NOINDEX),
        (["unavailable_after: 25 Jun 2026 15:00:00 GMT"], NOTHING),
        (["unavailable_after: Thu, 25 Jun 2026 15:00:00 GMT, noindex"], NOINDEX),
        (["max-image-preview: none, nofollow"], NOFOLLOW),
        (["otherbot: max-snippet: 5, noindex"], NOTHING),
    ],
)
def test_a_header_binds_us_unless_it_names_another_robot(values: list[str], expected: Directives) -> None:
    assert from_header(values, AGENT) == expected
    assert from_header(values, "gossamer") == expected


@given(st.lists(st.text()), st.text())
def test_no_header_breaks_the_rule(values: list[str], agent: str) -> None:
    assert isinstance(from_header(values, agent), Directives)


def test_directives_add_up() -> None:
    assert merge(NOINDEX, NOFOLLOW) == BOTH
    assert merge(NOTHING, NOTHING) == NOTHING
    assert merge(BOTH, Directives(noarchive=True)) == Directives(True, True, True)
