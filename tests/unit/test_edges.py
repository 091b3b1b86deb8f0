"""Packed edges: what goes in comes out, and their numbers stay what they are on disk."""

import pytest

from gossamer import edges as module
from gossamer.edges import KINDS, NOFOLLOW, NUMBERS, WIDTH, names_fingerprint, pack, pack_links, split_known, unpack
from gossamer.records.entry import Link, LinkKind


@pytest.fixture(params=["compiled", "plain"], autouse=True)
def _with_and_without_what_is_compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "plain":
        monkeypatch.setattr(module, "_quick", None)


def test_what_was_packed_is_unpacked() -> None:
    edges = [((1 << 64) - number - 1, kind, number % 2 == 0) for number, kind in enumerate(KINDS)]
    packed = pack([target for target, *_ in edges], [NUMBERS[kind] | NOFOLLOW * nofollow for _, kind, nofollow in edges])
    assert len(packed) == WIDTH * len(edges)
    assert list(unpack(packed)) == edges
    assert list(unpack(b"")) == []


def test_every_kind_has_a_number_and_none_ever_changes() -> None:
    assert set(KINDS) == set(LinkKind) and len(KINDS) < NOFOLLOW
    assert [kind.value for kind in KINDS] == (
        "seed anchor area frame iframe link canonical alternate refresh image sitemap redirect feed ascent".split()  # noqa: SIM905
    )
    assert pack([0x0102030405060708], [1]) == bytes([8, 7, 6, 5, 4, 3, 2, 1, 1])


def test_the_same_targets_have_the_same_fingerprint_whatever_their_order() -> None:
    one, two = pack([3, 1 << 63, (1 << 64) - 1], [1, 1, 2]), pack([(1 << 64) - 1, 3, 1 << 63], [5, 1, 1])
    assert names_fingerprint(one) == names_fingerprint(two) == ((1 << 63) + 2) % (1 << 64)
    assert names_fingerprint(pack([3, 1 << 63], [1, 1])) != names_fingerprint(one)
    assert names_fingerprint(b"") == 0


def test_links_are_packed_with_kind_and_nofollow_of_their_own_or_of_the_page() -> None:
    links = tuple(Link(f"http://a/{kind}", kind, nofollow) for kind in KINDS for nofollow in (False, True))
    names = [(number * 0x9E3779B97F4A7C15 + 1) % (1 << 64) for number in range(len(links))]
    expected = [(name, link.kind, link.nofollow) for name, link in zip(names, links, strict=True)]
    assert list(unpack(pack_links(links, names, False))) == expected
    assert list(unpack(pack_links(links, names, True))) == [(name, kind, True) for name, kind, _ in expected]
    assert pack_links((), [], False) == b""


def test_known_links_get_their_names_and_the_others_are_returned() -> None:
    known, other = Link("http://a/known", LinkKind.ANCHOR), Link("http://a/other", LinkKind.IMAGE)
    names = {known.url: (1 << 64) - 1}
    assert split_known((other, known, other), names) == ([None, (1 << 64) - 1, None], [other, other])
    assert split_known((), names) == ([], [])
