"""Folders that hold a session: told from those that honest sites sort their pages by, and replaced in keys by their make."""

import pytest

from gossamer.policy.folders import folder_apart, is_folder, taken_out, without_folders
from gossamer.policy.parameters import apart, place_of, skeletons
from gossamer.url.parse import Url, parse

SITE = "http://a.example"
SESSION = "/(S({id}))/"


def url(path: str) -> Url:
    return parse(SITE + path)


def test_two_urls_that_differ_in_one_session_folder_differ_in_one_thing() -> None:
    assert folder_apart(url("/(S(4f9a01bc))/page/3"), url("/(S(77ab02cd))/page/3")) == SESSION
    assert apart(url("/shop/sid=4f9a01bc/cart?n=1"), url("/shop/sid=77ab02cd/cart?n=1")) == "/sid={id}/"


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("/(S(4f9a01bc))/page/3", "/(S(77ab02cd))/page/4"),  # another page
        ("/(S(4f9a01bc))/page/3?a=1", "/(S(77ab02cd))/page/3?a=2"),
        ("/(S(4f9a01bc))/page/3", "/page/3"),
        ("/tree/4f9a01bc/readme", "/tree/77ab02cd/readme"),  # a revision
        ("/2024/(a)/x", "/2025/(a)/x"),  # a year
        ("/news/(a)/x", "/sport/(a)/x"),  # a word
        ("/(S(4f9a01bc))/x/(S(4f9a01bc))/y", "/(S(77ab02cd))/x/(S(77ab02cd))/y"),  # two of them
        ("/page/(S(4f9a01bc))", "/page/(S(77ab02cd))"),  # the page itself, no folder
    ],
)
def test_what_differs_in_another_way_is_no_session(one: str, two: str) -> None:
    assert folder_apart(url(one), url(two)) == ""


def test_a_folder_is_seen_and_left_out_like_a_parameter() -> None:
    one, two = (next(skeletons(url(path), [SESSION])) for path in ("/(S(4f9a01bc))/page/3", "/(S(77ab02cd))/page/3"))
    assert one.name == two.name == SESSION
    assert one.place == two.place == place_of(url("/(S(4f9a01bc))/page/3"), SESSION, [SESSION])
    assert one.value != two.value
    assert next(skeletons(url("/(S(4f9a01bc))/page/4"), [SESSION])).place != one.place
    assert list(skeletons(url("/page/3"), [SESSION])) == []


def test_a_key_has_the_make_of_the_folder_in_its_place() -> None:
    assert taken_out("/a/(S(4f9a01bc))/b", SESSION) == ("/a/(S({id}))/b", "(S(4f9a01bc))")
    key = without_folders(f"{SITE}/(S(4f9a01bc))/page/3?a=1", ["a", SESSION, "//b.example"])
    assert key == f"{SITE}/(S({{id}}))/page/3?a=1" == without_folders(f"{SITE}/(S(77ab02cd))/page/3?a=1", [SESSION])
    for other in (f"{SITE}/page/3?a=1", f"{SITE}/", SITE):
        assert without_folders(other, [SESSION]) == other


def test_neither_hosts_nor_parameters_are_folders() -> None:
    assert is_folder(SESSION)
    assert not any(map(is_folder, ["//b.example", "s", "pos&src", "/{id}/", "/page/"]))
