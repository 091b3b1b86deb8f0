"""Honest pages to fill applications with: generated, always the same, and really different from each other.

Words are made of syllables and have no meaning; sentences hang them between the small words of English, so that pages look to a
crawler like pages that people wrote. A text has a `phrase` of three words that stand nowhere else.
"""

from dataclasses import dataclass
from random import Random

ONSETS = "b bl br c cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sh sl sp st str t th tr v w"
VOWELS = "a e i o u ai ea ee ou ow"
CODAS = "b ck d ft g l ld lm m mp n nd ng nt p r rd rk rm rn s sk st t th x"
FRAMES = (
    "the {} of the {} is kept near a {} and a {}",
    "when {} met {} there was {} for every {}",
    "a {} {} may {} the {} without a {}",
    "nobody who has a {} would {} it for {} or {}",
    "in the year of {} they built {} beside the old {}",
    "it takes {} {} and some {} to make one {}",
    "before the {} came, {} was only a name for {}",
    "what {} calls {} is known to others as {} or {}",
    "some {} are {}, others are {}, and few are both",
    "under {} the price of {} rose until {} was sold",
)


@dataclass(frozen=True)
class Text:
    """What one page says."""

    title: str
    phrase: str  # stands in this text only
    paragraphs: tuple[str, ...]

    @property
    def whole(self) -> str:
        """All paragraphs, a blank line between two."""
        return "\n\n".join(self.paragraphs)


class Writer:
    """Writes texts; the same seed writes the same ones."""

    def __init__(self, seed: str, vocabulary: int = 4000) -> None:
        self.random = Random(seed)
        self._sounds = ONSETS.split(), VOWELS.split(), CODAS.split()
        self._taken: set[str] = set()
        self._words = [self.new_word() for _ in range(vocabulary)]

    def new_word(self, syllables: int = 2) -> str:
        """Return a word that was never used."""
        onsets, vowels, codas = self._sounds
        while True:
            parts = (self.random.choice(onsets) + self.random.choice(vowels) for _ in range(syllables))
            word = "".join(parts) + self.random.choice(codas)
            if word not in self._taken:
                self._taken.add(word)
                return word

    def text(self, paragraphs: int = 3) -> Text:
        """Write a text of about 50 words a paragraph."""
        phrase = " ".join(self.new_word(3) for _ in range(3))
        written = [self.paragraph() for _ in range(paragraphs)]
        written[0] += f" This is about {phrase}."
        return Text(self.title(), phrase, tuple(written))

    def title(self) -> str:
        """Return two words for a heading, never the same two."""
        return f"{self.new_word().capitalize()} {self.random.choice(self._words)}"

    def paragraph(self, sentences: int = 5) -> str:
        """Write some sentences."""
        return " ".join(self.sentence() for _ in range(sentences))

    def sentence(self) -> str:
        """Write one sentence."""
        frame = self.random.choice(FRAMES)
        said = frame.format(*self.random.sample(self._words, frame.count("{}")))
        return said[0].upper() + said[1:] + "."
