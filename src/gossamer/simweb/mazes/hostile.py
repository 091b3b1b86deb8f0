"""Hosts that want to be crawled for ever: sitemaps that list ever new sitemaps, and pages of words made up for crawlers.

Nothing about their answers is alike, so that no sameness gives them away: every word of the farm was made up for its page, and
every index lists others. Both are heard of from nobody but themselves, and lead to nobody else. They are no part of the zoo
that `all` names: a crawl of them ends by its budget only.
"""

from collections.abc import Sequence
from random import Random

from gossamer.simweb.mazes.maze import Maze, MazePage, write

_LINKS = 15
_WORDS = 120
_LISTED = 20
_XML = ("Content-Type", "application/xml")
_SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


class WordFarm(Maze):
    """Every path is a page of words that nobody has used before, and leads to more of them."""

    def answer(self, path: str) -> MazePage:
        rng = self.chance(path)
        words = " ".join(_word(rng) for _ in range(_WORDS))
        return write(_word(rng), words, [(f"/{_word(rng)}/{_word(rng)}", _word(rng)) for _ in range(_LINKS)])

    def owns(self, path: str) -> str | None:
        return None

    def contents(self) -> Sequence[str]:
        return []


class SitemapFarm(Maze):
    """A home page, and a sitemap index that lists indexes that list indexes."""

    robots = b"User-agent: *\nAllow: /\nSitemap: /sitemap.xml\n"

    def answer(self, path: str) -> MazePage:
        rng = self.chance(path)
        if path == "/":
            return write("Welcome", " ".join(_word(rng) for _ in range(_WORDS)), [])
        places = "".join(f"<sitemap><loc>/{_word(rng)}/{_word(rng)}.xml</loc></sitemap>" for _ in range(_LISTED))
        index = f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</sitemapindex>'
        return MazePage(200, (_XML,), f'<?xml version="1.0"?>{index}'.encode())

    def owns(self, path: str) -> str | None:
        return "home" if path == "/" else None

    def contents(self) -> Sequence[str]:
        return ["home"]


def _word(rng: Random) -> str:
    return "".join(rng.choices(_SYLLABLES, k=rng.randint(3, 5)))
