"""Cosmetic parameters: independent observations make one, observations to the contrary undo it, an operator decides."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gossamer.config.sections import Traps
from gossamer.policy.parameters import (
    MOST,
    apart,
    dropped,
    is_cosmetic,
    is_same,
    observed,
    place_of,
    reason_for,
    skeletons,
    without,
)
from gossamer.records.evidence import Parameter, Ruling, Sighting
from gossamer.url.parse import Url, parse

SITE = "http://a.example"
SETTINGS = Traps(parameter_evidence=5)
TEXT = st.text("abc=&%1", max_size=12)


def url(path: str) -> Url:
    return parse(SITE + path)


def seen(number: int, content: int = 1, simhash: int | None = None) -> Sighting:
    return Sighting(number, content, simhash, f"{SITE}/?sid={number}")


def after(same: list[int], other: int = 0, evidence: Parameter = Parameter()) -> Parameter:
    """Observe the same content at some places, and then something else."""
    for number, place in enumerate(same):
        evidence = observed(evidence, place, seen(number), seen(number + 1), SETTINGS)
    for _ in range(other):
        evidence = observed(evidence, 1, seen(1, 1), seen(2, 2), SETTINGS)
    return evidence


def test_a_url_is_seen_without_each_of_its_parameters() -> None:
    found = {skeleton.name: skeleton for skeleton in skeletons(url("/p?a=1&b=2"))}
    assert list(found) == ["a", "b"]
    same_place = {skeleton.name: skeleton for skeleton in skeletons(url("/p?b=2&a=9"))}
    assert same_place["a"].place == found["a"].place and same_place["a"].value != found["a"].value
    assert same_place["b"].value == found["b"].value and same_place["b"].place != found["b"].place


@pytest.mark.parametrize("other", ["/q?a=1&b=2", "/p?a=1&b=3", "/p?a=1", "/p?c=1&b=2", "/p?a=1&b=2&c=3"])
def test_another_page_is_another_place(other: str) -> None:
    places = {skeleton.place for skeleton in skeletons(url("/p?a=1&b=2")) if skeleton.name == "a"}
    assert places.isdisjoint(skeleton.place for skeleton in skeletons(url(other)))
    (elsewhere,) = (skeleton for skeleton in skeletons(parse("http://b.example/p?a=1&b=2")) if skeleton.name == "a")
    assert elsewhere.place not in places


def test_a_list_of_values_says_nothing_and_a_long_query_is_not_read_to_its_end() -> None:
    assert [skeleton.name for skeleton in skeletons(url("/p?a=1&a=2&b=3"))] == ["b"]
    assert list(skeletons(url("/p"))) == list(skeletons(url("/p?"))) == list(skeletons(url("/p?&&"))) == []
    assert len(list(skeletons(url("/p?" + "&".join(f"p{number}=1" for number in range(1_000)))))) == MOST


@given(st.lists(TEXT, max_size=6).map("&".join))
def test_whatever_a_query_is_it_is_taken_apart_the_same_way_each_time(query: str) -> None:
    found = list(skeletons(url(f"/p?{query}")))
    assert found == list(skeletons(url("/p?" + "&".join(reversed(query.split("&"))))))
    for skeleton in found:
        assert place_of(url(f"/p?{query}"), skeleton.name, {skeleton.name}) == skeleton.place
        assert without(query, {skeleton.name}).count("=") <= query.count("=")


@pytest.mark.parametrize(
    ("one", "two", "thing"),
    [
        ("/p?a=1&b=2", "/p?b=2&a=3", "a"),
        ("/p", "/p?a=1", "a"),
        ("/p?a=1&b=2", "/p?a=2&b=3", "a&b"),
        ("/p", "/p?b=1&a=2", "a&b"),
        ("/p?id=1&a=1&b=2", "/p?id=1&a=2&b=3", "a&b"),
        ("/p?a=1", "/p?a=1", ""),
        ("/p?a=1&b=2", "/p?c=3", ""),
        ("/p?a=1", "/p?a=2&b=3", ""),
        ("/p?a=1&a=2", "/p?a=1&a=3", ""),
        ("/p?a=1&b=1&c=1&d=1&e=1", "/p?a=2&b=2&c=2&d=2&e=2", ""),
        ("/p?a=1", "/q?a=2", ""),
    ],
)
def test_two_urls_of_a_page_differ_in_one_thing_or_say_nothing(one: str, two: str, thing: str) -> None:
    assert apart(url(one), url(two)) == apart(url(two), url(one)) == thing


def test_urls_of_two_hosts_do_not_differ_in_a_parameter() -> None:
    assert apart(url("/p?a=1"), parse("http://b.example/p?a=2")) == ""


def test_a_set_of_parameters_is_seen_and_dropped_only_together() -> None:
    found = {skeleton.name: skeleton for skeleton in skeletons(url("/p?id=1&a=1&b=2"), ["a&b", "a&c", "a"])}
    assert list(found) == ["a", "b", "id", "a&b"]
    (other,) = (skeleton for skeleton in skeletons(url("/p?a=7&id=1&b=8"), ["a&b"]) if skeleton.name == "a&b")
    assert other.place == found["a&b"].place and other.value != found["a&b"].value
    assert dropped("id=1&a=1&b=2", ["a&b"]) == {"a", "b"}
    assert dropped("id=1&a=1", ["a&b"]) == frozenset()
    assert dropped("id=1&a=1", ["a&b", "a"]) == {"a"}


def test_the_same_content_is_the_same_bytes_or_nearly_the_same_text() -> None:
    assert is_same(seen(1, 5), seen(2, 5))
    assert not is_same(seen(1, 5), seen(2, 6))
    assert is_same(seen(1, 5, 0b0), seen(2, 6, 0b111))
    assert not is_same(seen(1, 5, 0b0), seen(2, 6, 0b1111))
    assert not is_same(seen(1, 5, 0b0), seen(2, 6, None))


def test_enough_observations_on_three_pages_make_a_parameter_cosmetic() -> None:
    assert not is_cosmetic(after([1, 2, 3, 1]), SETTINGS), "four are not five"
    assert is_cosmetic(after([1, 2, 3, 1, 2]), SETTINGS)
    assert not is_cosmetic(after([1, 2] * 50), SETTINGS), "two pages are not three"
    assert not is_cosmetic(after([1] * 100), SETTINGS), "one page is none at all"


def test_observations_to_the_contrary_undo_it_and_it_may_come_back() -> None:
    evidence = after([1, 2, 3, 1, 2])
    assert evidence.was_cosmetic
    doubted = after([], 1, evidence)
    assert not is_cosmetic(doubted, SETTINGS)
    assert doubted.was_cosmetic, "its keys stand in the frontier still"
    assert is_cosmetic(after([1, 2, 3, 1, 2], 0, doubted), SETTINGS), "ten for one against"
    assert is_cosmetic(after([1, 2, 3] * 7, 2), SETTINGS) and not is_cosmetic(after([1, 2, 3] * 7, 3), SETTINGS)


def test_a_parameter_that_matters_never_is_cosmetic_however_often_it_did_not() -> None:
    evidence = Parameter()
    for _ in range(100):
        evidence = after([1, 2, 3], 1, evidence)
        assert not is_cosmetic(evidence, SETTINGS) and not evidence.was_cosmetic


def test_an_operators_word_stands_above_the_evidence() -> None:
    for evidence in (Parameter(), after([1, 2, 3] * 5), after([], 9)):
        assert is_cosmetic(replace(evidence, ruling=Ruling.BLOCK), SETTINGS)
        assert not is_cosmetic(replace(evidence, ruling=Ruling.ALLOW), SETTINGS)


def test_the_last_pairs_are_kept_as_examples() -> None:
    evidence = after([1, 2, 3, 4, 5], 4)
    assert len(evidence.examples) == len(evidence.counter) == 3
    assert evidence.examples[-1] == (f"{SITE}/?sid=4", f"{SITE}/?sid=5")
    assert (evidence.same, evidence.other, len(evidence.places)) == (5, 4, 3)


def test_a_rule_falls_soon_when_a_host_has_changed_however_long_it_was_true() -> None:
    evidence = after([1, 2, 3] * 10_000)
    falls = next(number for number in range(100) if not is_cosmetic(after([], number, evidence), SETTINGS))
    assert 5 < falls < 20
    assert is_cosmetic(after([1, 2, 3] * 100, 0, after([], falls, evidence)), SETTINGS), "and comes back"


def test_a_difference_now_and_then_does_not_undo_a_rule() -> None:
    evidence = after([1, 2, 3] * 30)
    for _ in range(200):
        evidence = after([1, 2, 3] * 17, 1, evidence)
        assert is_cosmetic(evidence, SETTINGS)


def test_a_rule_says_why_in_words() -> None:
    assert reason_for("sid", after([1, 2, 3, 1, 2])).text == (
        f"sid made no difference 5 times and a difference 0 times ({SITE}/?sid=4 and {SITE}/?sid=5)"
    )
    assert reason_for("sid", Parameter(ruling=Ruling.BLOCK)).text == "sid makes no difference, an operator said"


def test_parameters_leave_a_query_and_the_others_keep_their_order() -> None:
    assert without("b=2&sid=1&a=3&sid=4", {"sid"}) == "b=2&a=3"
    assert without("sid=1", {"sid"}) == ""
    assert without("side=1", {"sid"}) == "side=1"
