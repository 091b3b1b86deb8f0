"""Prose for the pages: sentences made once per language, then shuffled together by the thousand.

A page draws runs of sentences from a fixed stock: cheap, because the stock is one long text that is only sliced, and lively,
because two pages hardly ever draw the same run. All text is UTF-8 and needs no escaping in HTML. The words are in `words`.
"""

import re
from itertools import accumulate
from random import Random
from typing import NamedTuple

from gossamer.simweb import words

PARAGRAPH = b"</p>\n<p>"
_SENTENCES_PER_PARAGRAPH = 5
_RUN = 6  # sentences drawn at a time
_ENGLISH_SENTENCES = 4096
_OTHER_SENTENCES = 1024

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
    """The sentences of one language as one text, and where each begins."""

    text: bytes
    starts: list[int]


class Prose:
    """Titles and running text in every language of the synthetic web."""

    def __init__(self, seed: int) -> None:
        rng = Random(f"{seed}/prose")
        self._stock = {"en": _stock([_english(rng) for _ in range(_ENGLISH_SENTENCES)])}
        for name, language in LANGUAGES.items():
            self._stock[name] = _stock([_other(rng, language) for _ in range(_OTHER_SENTENCES)])
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
        stock, starts = self._stock[language]
        choices = len(starts) - _RUN
        runs: list[bytes] = []
        missing = size
        while missing > 0:
            first = int(rng.random() * choices)
            runs.append(stock[starts[first] : starts[first + _RUN]])
            missing -= len(runs[-1])
        text = b"".join(runs)
        end = text.rfind(b" ", 0, size) + 1  # no tag and no character of UTF-8 has a space inside
        return text[:end] + b" " * (size - end)


def _stock(sentences: list[str]) -> Stock:
    """Put sentences together; every fifth ends its paragraph."""
    parts = [
        sentence.encode() + (PARAGRAPH if number % _SENTENCES_PER_PARAGRAPH == 0 else b" ")
        for number, sentence in enumerate(sentences)
    ]
    return Stock(b"".join(parts), [0, *accumulate(map(len, parts))])


def _english_title(number: int) -> str:
    adjective = words.ADJECTIVES[number % len(words.ADJECTIVES)].capitalize()
    one, two = words.NOUNS[number * 7 % len(words.NOUNS)], words.NOUNS[number // 3 % len(words.NOUNS)]
    return f"{adjective} {one} {two} {number}"


def _english(rng: Random) -> str:
    pattern = rng.choice(words.ENGLISH_PATTERNS)
    filled = re.sub(r"\{(.)\}", lambda slot: rng.choice(_SLOTS[slot[1]]), pattern)
    text = re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", filled)
    return text[0].upper() + text[1:]


def _other(rng: Random, language: Language) -> str:
    text = language.space.join(rng.choices(language.words, k=rng.randint(7, 14)))
    return text[0].upper() + text[1:] + language.stop
