"""Packed edges: what goes in comes out, and their numbers stay what they are on disk."""

from gossamer.edges import KINDS, NOFOLLOW, NUMBERS, WIDTH, names_fingerprint, pack, unpack
from gossamer.records import LinkKind


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
