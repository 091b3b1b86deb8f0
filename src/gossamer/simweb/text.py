"""Prose for the pages: sentences made once per language, then shuffled together by the thousand.

A page draws runs of sentences from a fixed stock: cheap, because the stock is one long text that is only sliced, and lively,
because two pages hardly ever draw the same run. The stock is soon known by heart, so after each run stands a sentence that is
the page's own: no page of an honest web only repeats others. All text is UTF-8 and needs no escaping in HTML.
"""

import re
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import NamedTuple

from gossamer.simweb import words

PARAGRAPH = b"</p>\n<p>"
_SENTENCES_PER_PARAGRAPH = 5
_RUN = 6  # sentences drawn at a time
_ENGLISH_SENTENCES = 4096
_OTHER_SENTENCES = 1024
_ENGLISH_MOULD = "Then %s %d met %s %d near %s %d. "
_PART = (1 << 30) - 1

_SLOTS = {"a": words.ADJECTIVES, "n": words.NOUNS, "v": words.VERBS, "p": words.PREPOSITIONS, "d": words.ADVERBS}


class Language(NamedTuple):
    """How a language other than English puts words together."""

    words: tuple[str, ...]
    space: str
    stop: str


LANGUAGES = {
    "fr": Language(words.FRENCH, " ", "."),
    "ru": Language(words.RUSSIAN, " ", "."),
    "ja": Language(words.JAPANESE, "", "。"),
    "ko": Language(words.KOREAN, " ", "."),
    "zh": Language(words.CHINESE, "", "。"),
}


class Stock(NamedTuple):
    """The sentences of one language as one text, where each begins, and the mould of those that a page makes itself."""

    text: bytes
    starts: list[int]
    mould: bytes  # takes a name and a number three times
    names: list[bytes]


class Prose:
    """Titles and running text in every language of the synthetic web."""

    def __init__(self, seed: int) -> None:
        rng = Random(f"{seed}/prose")
        sentences = [english(rng) for _ in range(_ENGLISH_SENTENCES)]
        self._stock = {"en": _stock(sentences, _ENGLISH_MOULD, [noun.capitalize() for noun in words.NOUNS])}
        for name, language in LANGUAGES.items():
            sentences = [_other(rng, language) for _ in range(_OTHER_SENTENCES)]
            self._stock[name] = _stock(sentences, f"%s %d %s %d %s %d{language.stop} ", language.words)
        self._titles: dict[int, str] = {}  # the English ones, because every link to a page shows its title

    def title(self, language: str, number: int) -> str:
        """Name the page of that number; its own name, because the number is in it."""
        if language == "en":
            return self._titles.get(number) or self._titles.setdefault(number, _english_title(number))
        known = LANGUAGES[language]
        chosen = [known.words[(number * factor + factor) % len(known.words)] for factor in (1, 3, 5, 11)]
        return f"{known.space.join(chosen)} {number}"

    def fill(self, language: str, rng: Random, size: int) -> bytes:
        """Return exactly `size` bytes of text, to stand between <p> and </p>."""
        stock, starts, mould, names = self._stock[language]
        choices = len(starts) - _RUN
        runs: list[bytes] = []
        missing = size
        while missing > 0:
            first = int(rng.random() * choices)
            run = stock[starts[first] : starts[first + _RUN]]
            own = _fill_in(mould, names, rng.getrandbits(90))
            runs += (run, own)
            missing -= len(run) + len(own)
        text = b"".join(runs)
        end = text.rfind(b" ", 0, size) + 1  # no tag and no character of UTF-8 has a space inside
        return text[:end] + b" " * (size - end)


def _fill_in(mould: bytes, names: list[bytes], chance: int) -> bytes:
    """Make a sentence of 90 bits of chance: any three words of it in a row hold a number that no other page is likely to."""
    one, two, three = chance & _PART, chance >> 30 & _PART, chance >> 60
    return mould % (names[one & 31], one >> 5, names[two & 31], two >> 5, names[three & 31], three >> 5)


def _stock(sentences: list[str], mould: str, names: Sequence[str]) -> Stock:
    """Put sentences together; every fifth ends its paragraph."""
    parts = [
        sentence.encode() + (PARAGRAPH if number % _SENTENCES_PER_PARAGRAPH == 0 else b" ")
        for number, sentence in enumerate(sentences)
    ]
    starts = [0, *accumulate(map(len, parts))]
    return Stock(b"".join(parts), starts, mould.encode(), [name.encode() for name in names[:32]])


def _english_title(number: int) -> str:
    adjective = words.ADJECTIVES[number % len(words.ADJECTIVES)].capitalize()
    one, two = words.NOUNS[number * 7 % len(words.NOUNS)], words.NOUNS[number // 3 % len(words.NOUNS)]
    return f"{adjective} {one} {two} {number}"


def english(rng: Random) -> str:
    """Make up an English sentence."""
    pattern = rng.choice(words.ENGLISH_PATTERNS)
    filled = re.sub(r"\{(.)\}", lambda slot: rng.choice(_SLOTS[slot[1]]), pattern)
    text = re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", filled)
    return text[0].upper() + text[1:]


def _other(rng: Random, language: Language) -> str:
    text = language.space.join(rng.choices(language.words, k=rng.randint(7, 14)))
    return text[0].upper() + text[1:] + language.stop
