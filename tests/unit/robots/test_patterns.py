"""Paths as patterns are compared with them: what is taken the short way comes out as by the long one."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.robots import patterns
from gossamer.robots.patterns import ITSELF, NO_RULE, Group, spell_path

PIECES = st.lists(
    st.sampled_from(["/", "a", "?", "#", "%2F", "%2f", "%41", "%zz", "*", "$", "é", " ", "~", "!", '"', "&", ":"])
)


@example("http://a.test", ["/", "*"])
@example("http://a.test", ["/", "$"])
@example("http://a.test", ["/", "%41"])
@example("http://a.test", ["/", "#", "a"])
@example("http://a.test", ["?", "/"])
@example("http://a.test", ["#", "/"])
@given(st.sampled_from(["http://a.test", "https://a.test:8080", "ftp://a", "http:", "data:", ""]), PIECES)
def test_both_ways_spell_a_path_alike(origin: str, pieces: list[str]) -> None:
    url = origin + "".join(pieces)
    spelled = spell_path(url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "_PLAIN", re.compile("(?!)"))
        assert spell_path(url) == spelled


@pytest.mark.parametrize("path", ["/robots.txt", "/robots.txt?x", "/robots%2Etxt", "/%72obots.txt"])
def test_robots_txt_itself_is_told_apart_also_where_there_are_no_rules(path: str) -> None:
    assert Group([]).judge(f"http://a.test{path}") == ITSELF
    assert Group([]).judge("http://a.test/robots") == NO_RULE
