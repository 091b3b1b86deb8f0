"""The quick way to join a link gives byte for byte what the full parser gives."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.records.entry import Link, LinkKind
from gossamer.url.parse import Base

BASES = (
    "http://site.test/dir/page.html?q=1",
    "https://site.test/",
    "http://site.test:8080/a//b/",
    "http://[::1]/x?/y",
    "http://1.2.3.4/a/b",
    "http://u:p@h.test/x",
    "http://site.test/a^b/c",
    "http://a.test/x@y/z#f",
    "http://a.test/%2e%2e%41/x y/",
    "file:///a/b",
    "http://site.test",
    "HTTP://site.test/x",
    "http://Site.test:8080/x",
    "http://site.test:80/a/b",
    "https://site.test:443/",
    "http://site.test/a/../b/%2E%2e/c",
    "http://site.test/a b/c'd?e'f",
    "http://1.2/a",
    "http://\u00e9.test/a/\u00e9?\u00e9",
    "http://xn--9ca.test/a?b^c",
    "http://site.test/a?b/c?d/",
)
PIECES = """
a b X 0 - . _ ~ ! $ & ' ( ) * + , ; = : @ / % ? # [ ] | ^ ` { } \\ < > \" é .. ./ // http:// https:// HTTP: http: %2e %2E%2e
a.test A.test xn--a 1.2.3.4 h.1 h.0x1 a..b localhost :80 :8080 user@ mailto: b.c-d a--b site.test http://site.test:8080/
https://site.test/ page.html /dir/ ?a=1&b=2 ../ ../../
""".split()  # noqa: SIM905 - easier to read as words


@settings(max_examples=2000, derandomize=True)
@given(
    st.sampled_from(BASES),
    st.lists(st.sampled_from([*PIECES, " ", "\t", "\n", "\0", "\ud800"]), max_size=8).map("".join),
    st.sampled_from(("utf-8", "windows-1252")),
)
def test_a_plain_link_is_joined_as_the_full_parser_joins_it(url: str, href: str, charset: str) -> None:
    base = Base(url, charset)
    assert base.join(href) == base.join_fully(href)


@pytest.mark.parametrize(
    ("href", "joined"),
    [
        ("/x", "http://site.test/x"),
        (" x/y.html\n", "http://site.test/dir/x/y.html"),
        ("?r", "http://site.test/dir/page.html?r"),
        ("", "http://site.test/dir/page.html?q=1"),
        ("#f", "http://site.test/dir/page.html?q=1"),
        ("//b.test/x#f", "http://b.test/x"),
        ("https://b.test/x?y#z", "https://b.test/x?y"),
        ("/" + "x" * 5000, "http://site.test/" + "x" * 5000),
        ("../x", "http://site.test/x"),
        ("../../x/../y", "http://site.test/y"),
        (".././x", "http://site.test/x"),
        ("./x:y", "http://site.test/dir/x:y"),
        ("../?r", "http://site.test/?r"),
        ("./", "http://site.test/dir/"),
        ("..", "http://site.test/"),
        (".x", "http://site.test/dir/.x"),
        ("/a/%2E./x", "http://site.test/x"),
        ("x:y", None),
        ("http://1.2/x", "http://1.0.0.2/x"),
        ("http://B.test/x", "http://b.test/x"),
        ("/a'b?c'd", "http://site.test/a'b?c%27d"),
    ],
)
def test_every_shape_of_link_is_joined(href: str, joined: str | None) -> None:
    assert Base("http://site.test/dir/page.html?q=1").join(href) == joined


HREFS = st.lists(st.sampled_from([*PIECES, " ", "\ud800"]), max_size=4).map("".join)
WAYS = st.tuples(st.sampled_from((LinkKind.ANCHOR, LinkKind.AREA)), st.booleans())


@settings(max_examples=200, derandomize=True)
@given(st.sampled_from(BASES), st.dictionaries(HREFS, WAYS, max_size=20), st.integers(0, 25))
def test_the_links_of_a_page_are_gathered_as_they_would_be_one_by_one(
    url: str, ways: dict[str, tuple[LinkKind, bool]], most: int
) -> None:
    quick, slow = Base(url), Base(url)
    slow._ends = None
    assert list(quick.gather(ways, most, Link).items()) == list(slow.gather(ways, most, Link).items())


@pytest.mark.parametrize("url", ["http://site.test/dir/", "file:///dir/"])
def test_the_first_of_two_places_says_the_kind_and_nofollow_is_said_by_all(url: str) -> None:
    ways = {
        "a": (LinkKind.ANCHOR, True),
        "./a": (LinkKind.AREA, False),
        "b": (LinkKind.AREA, False),
        "b#c": (LinkKind.ANCHOR, True),
        "d": (LinkKind.ANCHOR, True),
        "./d": (LinkKind.ANCHOR, True),
        "mailto:x": (LinkKind.ANCHOR, False),
        "beyond": (LinkKind.ANCHOR, False),
    }
    assert list(Base(url).gather(ways, 7, Link).values()) == [
        Link(f"{url}a", LinkKind.ANCHOR, False),
        Link(f"{url}b", LinkKind.AREA, False),
        Link(f"{url}d", LinkKind.ANCHOR, True),
    ]
