"""SimHash: the same numbers with and without a compiler, and near where texts are."""

import sys
from importlib.util import find_spec
from itertools import combinations, pairwise
from random import Random

import pytest
from bench.near import NEAR, edited, texts
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.dedupe import simhash, vectors
from gossamer.dedupe.scripts import ALONE, APART, LETTER, RANGES
from gossamer.dedupe.simhash import Reckon, likeness_of
from gossamer.records.likeness import Likeness, distance

WAYS: dict[str, Reckon] = {"vectors": vectors.reckon}
if find_spec("gossamer.dedupe._simhash") is not None:
    from gossamer.dedupe._simhash import reckon

    WAYS["compiled"] = reckon

every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)

# Letters, digits, punctuation, scripts without spaces, characters beyond the first plane, the borders of every range.
BORDERS = (
    "".join(chr(code) for first, last, _ in RANGES for code in (first - 1, first, last, last + 1) if code <= 0x10FFFF)
    .encode("utf-8", "replace")
    .decode()
)
CHARACTERS = st.sampled_from(" \n.,-'abcdefgxyzAZ0129éßΩжñ中文字かなカナกขမន😀𠀀" + BORDERS) | st.characters(
    exclude_categories=["Cs"]
)
TEXTS = st.text(CHARACTERS, max_size=200)


@given(TEXTS)
@example("")
@example("one")
@example("one two")
@example("中文")
@example("x" * (2 * vectors.PIECE + 7) + " one two three")
@example("one " * vectors.PIECE)
@example(" ".join(map(str, range(2 * vectors.PIECE + 1))))
@example(" ".join(map(str, range(vectors.PIECE + 2))) + "é")
@example("中" * (vectors.PIECE + 1))
@example("a b c " + "y" * (vectors.PIECE - 6) + "中文字")
def test_every_way_gives_the_same_numbers(text: str) -> None:
    assert len({likeness_of(text, way) for way in WAYS.values()}) == 1


def test_every_way_takes_words_of_every_length_for_the_same() -> None:
    for length in range(1, 80):
        word = "".join(chr(ord("a") + (7 * place + length) % 26) for place in range(length))
        for text in (word, f"{word} 1", f"-{word}, {word}2x--b", f"{word}é {word}", f"é{word}字{word}\u3000{word} end of it"):
            assert len({way(text) for way in WAYS.values()}) == 1, text


def test_every_way_takes_every_character_for_the_same() -> None:
    codes = (*range(0xD800), *range(0xE000, 0x10000), *range(0x10000, 0x110000, 61))
    every = " ".join(f"q{chr(code)}z" for code in codes)
    assert len({way(every) for way in WAYS.values()}) == 1


@every_way
def test_every_way_takes_every_character_for_what_it_is_when_its_case_is_folded(way: Reckon) -> None:
    codes = (*range(0x80, 0xD800), *range(0xE000, 0x10000), *range(0x10000, 0x20000), *range(0x20000, 0x110000, 61))
    changed = [chr(code) for code in codes if chr(code).casefold() != chr(code)]
    assert len(changed) > 1_400
    for written in changed:  # each in a text of its own: one letter beyond ASCII has all of them folded
        text = f"one q{written}z two"
        assert way(text) == vectors.reckon(text.casefold()), hex(ord(written))


@given(st.text(st.sampled_from("aB c.\n¶’—\u212a\u2126ÉéßẞΣςIıİŉ\u0345ⅧⒶ中Å"), max_size=40))
def test_a_text_is_like_itself_with_its_case_folded(text: str) -> None:
    for way in WAYS.values():
        assert likeness_of(text, way) == likeness_of(text.casefold(), way)


def test_the_ranges_are_in_order_and_agree_with_python_about_letters() -> None:
    assert all(before[1] < after[0] for before, after in pairwise(RANGES))
    kinds = [LETTER] * 0x110000
    for first, last, kind in RANGES:
        kinds[first : last + 1] = [kind] * (last + 1 - first)
    wrong = [
        chr(code)
        for code in range(0x80, 0x110000)
        if (chr(code).isalpha() and kinds[code] == APART) or (chr(code).isspace() and kinds[code] != APART)
    ]
    assert len(wrong) < 3_000 and not set(wrong) & set("éßÅωЖשعहไ中あ한ᄒ𠀀")  # letter-like signs, radicals, letters in rings
    assert [kinds[ord(letter)] for letter in "é한中あกx،。"] == [LETTER, LETTER, ALONE, ALONE, ALONE, LETTER, APART, APART]


@every_way
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" ,.!\n", 0),
        ("one", 1),
        ("it's 3.5 metres", 5),
        ("naïve Straße", 2),
        ("日本語のテキスト", 8),
        ("ภาษาไทย", 7),
        ("한국어 텍스트", 2),
        ("日本abc語", 4),
        ("नमस्ते दुनिया", 2),
        ("smile😀smile", 2),
    ],
)
def test_words_are_counted(text: str, words: int, way: Reckon) -> None:
    assert likeness_of(text, way).words == words


@every_way
def test_case_and_punctuation_do_not_count_and_order_does(way: Reckon) -> None:
    text = "The quick brown fox -- jumps over the lazy dog"
    assert likeness_of(text.upper(), way) == likeness_of("the quick, brown fox jumps; over the lazy dog.", way)
    assert likeness_of("the lazy dog jumps over the quick brown fox", way).simhash != likeness_of(text, way).simhash


@every_way
def test_a_passage_that_is_repeated_counts_once(way: Reckon) -> None:
    menu, text, *_ = texts(300)
    once, often = likeness_of(f"{menu} {text}", way), likeness_of(f"{f'{menu} ' * 50}{text}", way)
    assert often.words - once.words == 49 * likeness_of(menu, way).words
    assert distance(once.simhash, often.simhash) <= NEAR < distance(likeness_of(menu, way).simhash, once.simhash)


@every_way
def test_a_sketch_is_the_smallest_hashes_and_shared_where_shingles_are(way: Reckon) -> None:
    one, other, *_ = texts(1_700)
    sketch = likeness_of(one, way).sketch
    assert len(sketch) == 16 and list(sketch) == sorted(set(sketch)) and max(sketch) < 1 << 32
    assert not set(sketch) & set(likeness_of(other, way).sketch)
    both = likeness_of(f"{one} {other}", way).sketch
    assert len(set(both) & (set(sketch) | set(likeness_of(other, way).sketch))) >= 15  # one may be of the seam
    assert len(likeness_of("a b c d e", way).sketch) == 3


@every_way
def test_half_a_surrogate_pair_is_no_reason_to_fail(way: Reckon) -> None:
    assert likeness_of("one \ud800 two", way) == likeness_of("one ? two", way)


@every_way
def test_numbers_on_disk_stay_what_they_are(way: Reckon) -> None:
    assert likeness_of("The quick brown fox jumps over the lazy dog. 中文", way) == Likeness(
        6575145498221356112,
        11,
        (357560350, 535858023, 730504894, 1295349820, 1360682953, 1896805866, 2050464349, 3598681538, 3954512893),
    )


@every_way
def test_unrelated_texts_are_never_near_and_one_word_hardly_moves_a_text(way: Reckon) -> None:
    originals, chance = texts(1_700), Random(1)
    hashes = [likeness_of(text, way).simhash for text in originals]
    assert len(hashes) > 20
    assert min(distance(one, two) for one, two in combinations(hashes, 2)) > 4 * NEAR
    moved = [
        distance(simhash, likeness_of(edited(text, 0, chance), way).simhash)
        for text, simhash in zip(originals, hashes, strict=True)
        for _ in range(10)
    ]
    assert sum(bits <= NEAR for bits in moved) > 0.9 * len(moved) and max(moved) <= 4 * NEAR
    rewritten = [
        distance(simhash, likeness_of(edited(text, 0.2, chance), way).simhash)
        for text, simhash in zip(originals, hashes, strict=True)
    ]
    assert min(rewritten) > NEAR


def test_without_the_compiled_module_vectors_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gossamer.dedupe._simhash", None)
    assert simhash.usual_way() is vectors.reckon


def test_the_words_of_a_long_text_are_forgotten_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_KNOWN", 100)
    hashes = vectors.WordHashes()
    before = hashes["first"]
    for number in range(1000):
        assert hashes[str(number)] and len(hashes) <= 100
    assert hashes["first"] == before and hashes["x" * 1000] == hashes["x" * 64] and "x" * 1000 not in hashes
