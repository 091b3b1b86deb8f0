"""Outlinks: a page's links become edges by their keys, however they are spelled and however much was forgotten."""

from gossamer.edges import unpack
from gossamer.records.entry import Entry, Link, LinkKind
from gossamer.url.fingerprint import fingerprint
from gossamer.url.normalize import KeyRules
from gossamer.url.parse import Url, parse
from gossamer.visit.links import Outlinks

KEY = KeyRules().key


def name(url: str) -> int:
    return fingerprint(KEY(parse(url)))


def test_an_edge_leads_to_the_key_of_its_link_with_kind_and_nofollow() -> None:
    links = [
        Link("https://a.test/x/?b=2&a=1&utm_source=y", LinkKind.ANCHOR),
        Link("https://a.test/b", LinkKind.ANCHOR, nofollow=True),
        Link("https://a.test/i.png", LinkKind.IMAGE),
        Link("https://a.test/c", LinkKind.ANCHOR),
    ]
    assert list(unpack(Outlinks(KEY).of(links, [None] * 4, (), nofollow=False))) == [
        (name("https://a.test/x?a=1&b=2"), LinkKind.ANCHOR, False),
        (name("https://a.test/b"), LinkKind.ANCHOR, True),
        (name("https://a.test/i.png"), LinkKind.IMAGE, False),
        (name("https://a.test/c"), LinkKind.ANCHOR, False),
    ]


def test_a_page_that_asks_for_it_has_only_nofollow_links() -> None:
    packed = Outlinks(KEY).of([Link("https://a.test/b", LinkKind.ANCHOR)], [None], (), nofollow=True)
    assert [nofollow for *_, nofollow in unpack(packed)] == [True]


def test_what_a_sitemap_lists_is_no_edge() -> None:
    assert Outlinks(KEY).of([Link("https://a.test/b", LinkKind.SITEMAP)], [None], (), nofollow=False) == b""


def test_keys_that_are_known_are_not_worked_out_again() -> None:
    asked: list[str] = []

    def key_of(url: Url) -> str:
        asked.append(url.wire)
        return KEY(url)

    outlinks = Outlinks(key_of, remembered=100)
    known = Entry("https://a.test/known/", "https://a.test/known", "a.test")
    links = [Link(known.url, LinkKind.ANCHOR), Link("https://a.test/met", LinkKind.ANCHOR)]
    first = outlinks.of(links, [None, None], [known], nofollow=False)
    assert outlinks.of(links, [None, None], [], nofollow=False) == first
    assert asked == ["https://a.test/met"]
    told = outlinks.of([Link("https://a.test/told", LinkKind.ANCHOR)], [7], [], nofollow=False)
    assert [target for target, *_ in unpack(told)] == [7] and asked == ["https://a.test/met"]


def test_it_remembers_a_bounded_number_and_forgetting_changes_nothing() -> None:
    outlinks = Outlinks(KEY, remembered=10)
    links = [Link(f"https://a.test/{number}", LinkKind.ANCHOR) for number in range(4)]
    expected = [(name(link.url), link.kind, False) for link in links]
    for turn in range(30):
        others = [Link(f"https://a.test/{turn}-{number}", LinkKind.ANCHOR) for number in range(4)]
        outlinks.of(others, [None] * 4, [], nofollow=False)
        assert list(unpack(outlinks.of(links, [None] * 4, [], nofollow=False))) == expected
    assert len(outlinks._names) + len(outlinks._names._older) < 30
