"""The words of the mazes: a made-up language, so that a page with content of its own says what no other page says.

Some 4,000 words from syllables with the small words of English between them, about as often as in real text: two pages share
"of the", hardly ever three words in a row. Titles and texts come from a random source the caller seeds; boilerplate is fixed.
"""

from random import Random

_SMALL = (
    "the", "of", "and", "in", "to", "a", "for", "with", "on", "at", "by", "from", "as", "that", "is", "was", "its", "or", "not",
    "but",
)  # fmt: skip
_OPENINGS = (
    "b", "br", "ch", "d", "dr", "f", "g", "gl", "h", "j", "k", "kr", "l", "m", "n", "p", "pl", "r", "s", "sh", "st", "t", "th",
    "tr", "v", "w", "z",
)  # fmt: skip
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou", "ea")
_ENDINGS = ("", "n", "r", "l", "s", "t", "nd", "ck")
_WORDS = 4_000
_SENTENCE = (7, 15)


def _invent() -> tuple[str, ...]:
    rng = Random(20)
    words: dict[str, None] = {}
    while len(words) < _WORDS:
        syllables = (rng.choice(_OPENINGS) + rng.choice(_VOWELS) for _ in range(rng.choice((1, 2, 2, 3))))
        words["".join(syllables) + rng.choice(_ENDINGS)] = None
    return tuple(words)


WORDS = _invent()
_SPOKEN = WORDS + _SMALL * (_WORDS // len(_SMALL) // 3)  # every fourth word is a small one


def tell(rng: Random, words: int) -> str:
    """Return sentences of about so many words, with names and numbers among them."""
    drawn = rng.choices(_SPOKEN, k=words)
    sentences = []
    start = 0
    while start < words:
        end = start + rng.randint(*_SENTENCE)
        sentence = drawn[start:end]
        sentence[0] = sentence[0].capitalize()
        sentence.append(f"{WORDS[rng.getrandbits(11)].capitalize()} {rng.getrandbits(13)}.")
        sentences += sentence
        start = end
    return " ".join(sentences)


def title(rng: Random) -> str:
    """Return a name for a page."""
    return " ".join(rng.choices(WORDS, k=3)).title()


def label(number: int) -> str:
    """Return a short text for a link, the same for the same number."""
    return f"{WORDS[number % _WORDS]} {WORDS[number // 7 % _WORDS]}"


BOILERPLATE = tell(Random(21), 90)
