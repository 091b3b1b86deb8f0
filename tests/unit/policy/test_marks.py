"""Marks: what a URL has beside the identity of a page, and what is no view of one."""

import pytest

from gossamer.policy import marks

SITE = "http://a.example"


def beside(url: str, page: str, *active: str) -> list[str]:
    return [mark.name for mark in marks.beside(SITE + url, SITE + page, active)]


@pytest.mark.parametrize(
    ("page", "url", "found"),
    [
        ("/wiki/x", "/wiki/x?do=edit", ["?do=edit"]),
        ("/i.php?title=x", "/i.php?title=x&action=history", ["?action=history"]),
        ("/pub/", "/pub/?C=N;O=D", ["?C=N", "?O=D"]),
        ("/wiki/x", "/wiki/x?action=diff&version=3", ["?action=diff", "?version=*"]),
        ("/wiki/x", "/wiki/x?oldid=123456", ["?oldid=*"]),
        ("/list", "/list?page=2", ["?page=2"]),
        ("/r/tree/f.c", "/r/log/f.c", ["/log/*"]),
        ("/wiki/x", "/wiki/links/x", ["/links/*"]),
        ("/wiki/x", "/wiki/x/edit", ["*/edit"]),
        ("/r/commit/?id=7", "/r/diff/?id=7", ["/diff*?id"]),
        ("/view.php?t=5", "/post.php?mode=reply&t=5", ["/post.php*?mode=reply&t"]),
        ("/wiki/x", "/i.php?title=x&action=edit", ["/i.php*?action=edit&title"]),
    ],
)
def test_what_stands_beside_a_page_has_a_mark(page: str, url: str, found: list[str]) -> None:
    assert beside(url, page) == found


@pytest.mark.parametrize(
    ("page", "url"),
    [
        ("/", "/about"),
        ("/docs/", "/docs/intro/"),
        ("/docs/a.html", "/docs/b.html"),
        ("/i.php?title=x", "/i.php?title=y"),
        ("/r/log/", "/r/commit/?id=7"),
        ("/r/commit/?id=7", "/r/commit/?id=8"),
        ("/item?id=1", "/user?name=me"),
    ],
)
def test_other_pages_have_none(page: str, url: str) -> None:
    assert beside(url, page) == []


def test_what_is_found_on_a_view_and_carries_its_identity_is_one() -> None:
    assert marks.in_force(SITE + "/w/x?rev=7", SITE + "/w/x?do=history", {"?do=history"}) == "?do=history"
    assert not marks.in_force(SITE + "/w/y?rev=7", SITE + "/w/x?do=history", {"?do=history"})
    assert not marks.in_force(SITE + "/r/commit/?id=8", SITE + "/r/log/", {"/log/*", "/commit/*", "/tree*?id"})
    assert marks.in_force(SITE + "/r/commit/f?id=8", SITE + "/r/log/f", {"/commit/*"}) == "/commit/*"
    assert marks.in_force(SITE + "/r/tree/f?id=8", SITE + "/r/tree/?id=8", {"/tree*?id"}) == "/tree*?id"
