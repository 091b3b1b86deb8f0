"""Packed edges: what goes in comes out, and their numbers stay what they are on disk."""

from gossamer.edges import KINDS, NOFOLLOW, NUMBERS, WIDTH, pack, unpack
from gossamer.records import LinkKind


def test_what_was_packed_is_unpacked() -> None:
    edges = [((1 << 64) - number - 1, kind, number % 2 == 0) for number, kind in enumerate(KINDS)]
    packed = pack([target for target, *_ in edges], [NUMBERS[kind.value] | NOFOLLOW * nofollow for _, kind, nofollow in edges])
    assert len(packed) == WIDTH * len(edges)
    assert list(unpack(packed)) == edges
    assert list(unpack(b"")) == []


def test_every_kind_has_a_number_and_none_ever_changes() -> None:
    assert set(KINDS) == set(LinkKind) and len(KINDS) < NOFOLLOW
    assert [kind.value for kind in KINDS] == (
        "seed anchor area frame iframe link canonical alternate refresh image sitemap redirect feed ascent".split()  # noqa: SIM905
    )
    assert pack([0x0102030405060708], [1]) == bytes([8, 7, 6, 5, 4, 3, 2, 1, 1])
