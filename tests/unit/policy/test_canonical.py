"""Of two pages alike one is canonical, by an order that no exchange can go round in."""

from itertools import permutations, product

import pytest

from gossamer.policy.canonical import ITSELF, crowned, named, nobody_knows, why
from gossamer.records.page import Original

SITE = "http://a.test"


def page(url: str, canonical: str = "", is_lesser: bool = False) -> Original:
    url = url if "://" in url else SITE + url
    canonical = canonical if canonical in ("", ITSELF) or "://" in canonical else SITE + canonical
    return Original(url, url, 1.0, False, canonical, is_lesser)


# The canonical one, the other, and what is said of it.
PAIRS = [
    (page("/x"), page("/x?version=1"), "fewer parameters (0, not 1)"),
    (page("/x?id=a-long-name"), page("/x?id=a&do=d"), "fewer parameters (1, not 2)"),
    (page("/a/very/long/path"), page("/p?i=1"), "fewer parameters"),
    (page("/x"), page("/x/print"), "shorter (0 folders, not 1)"),
    (page("https://a.test/x"), page("http://a.test/x/print"), "shorter (0 folders, not 1)"),
    (page("/an-article-with-a-name?id=1"), page("/p", "/an-article-with-a-name?id=1"), "this page says so"),
    (page("/long-name", ITSELF), page("/p", "/long-name"), "this page says so"),
    (page("https://b.test/long-name"), page("/p", "https://b.test/long-name"), "this page says so"),
    (page("https://a.test/long-name"), page("/p", "http://a.test/long-name"), "this page says so"),
    (page("/x?a=1&b=2", ITSELF), page("/x"), "says so itself"),
    (page("/x", ITSELF), page("/x?a=1", ITSELF), "fewer parameters"),
    (page("/x?a=1"), page("/x", is_lesser=True), "may be indexed"),
    (page("http://b.test/x?a=1"), page("/x", is_lesser=True), "may be indexed"),
    (page("/x"), page("/x?print", "/not-there"), "fewer parameters"),
    (page("/a/x"), page("/a/x.print"), "shorter (by 6)"),
    (page("/a/x?id=1"), page("/a/x?id=1.5"), "shorter (by 2)"),
    (page("/"), page("/index.html"), "shorter (by 10)"),
    (page("/topic/?page=2"), page("/topic/?post=1109"), "shorter (by 3)"),
    (page("/"), page("/index/x"), "0 folders, not 1"),
    (page("/p?i=1", "/x"), page("/x/y?a=1&b=2", "/p?i=1"), "fewer parameters"),
]


@pytest.mark.parametrize(("better", "worse", "said"), PAIRS)
def test_the_canonical_one_of_two_is_told_with_the_reason(better: Original, worse: Original, said: str) -> None:
    assert said in why(better, worse, nobody_knows)
    assert why(worse, better, nobody_knows) == ""


def test_where_nothing_decides_the_first_stays() -> None:
    for one, other in [
        ("/x?a=1", "/x?a=2"),
        ("/x", "http://b.test/xyz?a=1"),
        ("/x", "https://a.test/x"),
        ("/x", "http://a.test:81/yy"),
    ]:
        assert why(page(one), page(other), nobody_knows) == why(page(other), page(one), nobody_knows) == ""
    both = page("/x", "/y"), page("/y", "/x")
    assert why(*both, nobody_knows) == "", "two that name each other say nothing"


def test_of_two_that_nothing_else_tells_apart_the_one_that_is_clearly_better_linked_counts() -> None:
    ranks = {f"{SITE}/x?a=1": 4.0, f"{SITE}/x?a=2": 2.0, f"{SITE}/x?a=3": 3.9}
    linked = lambda key: ranks.get(key, 0.0)  # noqa: E731
    assert why(page("/x?a=1"), page("/x?a=2"), linked) == "more pages link to it"
    for other in ("/x?a=1", "/x?a=3", "/x?a=4"):
        assert why(page("/x?a=1"), page(other), linked) == "", "nobody knows, or it makes little difference"


def test_what_a_page_names_is_remembered_in_short() -> None:
    url = f"{SITE}/x?b=2&utm_source=z"
    assert named("", url, f"{SITE}/x?b=2") == ""
    assert {named(one, url, f"{SITE}/x?b=2") for one in (url, f"{SITE}/x?b=2", "https://a.test/x?b=2")} == {ITSELF}
    assert named(f"{SITE}/y", url, url) == f"{SITE}/y"


def test_a_page_that_took_a_place_because_it_was_named_keeps_it_against_shorter_ones() -> None:
    other = page("/p?i=1", "/a/long/name")
    assert why(page("/short"), page("/a/long/name"), nobody_knows)
    assert why(page("/short"), crowned(page("/a/long/name"), other), nobody_knows) == ""
    assert crowned(page("/b"), other) == page("/b")


def test_no_place_goes_round_in_a_circle() -> None:
    urls = ("/a", "/a/b", "/c?x=1")
    everything = [page(url, says) for url, says in product(urls, ("", ITSELF, *urls)) if says != url]
    for three in permutations(everything, 3):
        if len({one.url for one in three}) < 3:
            continue
        holder, exchanges = three[0], 0
        for newcomer in three * 5:  # each comes again and again
            if newcomer.key != holder.key and why(newcomer, holder, nobody_knows):
                holder, exchanges = crowned(newcomer, holder), exchanges + 1
        assert exchanges <= 3, (three, holder)
