"""Mazes made of nothing: links without text, redirects without an end, and text that a machine put together.

Any path of theirs exists. The generated text is an order-2 chain over a short source, so that no three words of it were not in
the source already, though no two pages are alike.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from random import Random

from gossamer.simweb.mazes import prose
from gossamer.simweb.mazes.maze import MISSING, Maze, MazePage, redirect, write
from gossamer.simweb.text import english

_FARM_LINKS = 20
_CHAIN_LINKS = 10
_SOURCE_WORDS = 1_500
_STARTS = 3
_REAL = 10
_LANDING = 8  # one redirect in so many ends at a page that leads to more of them
_HOP = re.compile(r"/go/(\w+)")
_NOTE = re.compile(r"/note/(\d)")
_NOTHING_IS_MISSING = (  # any answer may be like the one for what cannot exist
    "traps.template",
    "traps.soft_404",
    "dedupe.*",
    "scope.max_depth",
    "traps.max_segments",
)


class LinkFarm(Maze):
    """Every path is a page of links to more of them."""

    traps = _NOTHING_IS_MISSING
    outcomes = (*Maze.outcomes, "soft_404")

    def answer(self, path: str) -> MazePage:
        rng = self.chance(path)
        return write("Links", "", [(href, href.rpartition("/")[2]) for href in _anywhere(rng, _FARM_LINKS)])

    def owns(self, path: str) -> str | None:
        return None

    def contents(self) -> Sequence[str]:
        return []


class Markov(Maze):
    """Every path but the home page is a page of generated text with links to more of it."""

    traps = _NOTHING_IS_MISSING
    outcomes = (*Maze.outcomes, "soft_404")

    def answer(self, path: str) -> MazePage:
        rng = self.chance(path)
        targets = _anywhere(rng, _CHAIN_LINKS)
        if path == "/":
            return write("A site about everything", prose.tell(rng, 200), [(href, "more") for href in targets])
        words = self._babble(rng, rng.randint(150, 350))  # one chain for everything, as a label is no better than the text
        labels = [" ".join(words[place : place + 3]) for place in range(0, 3 * _CHAIN_LINKS, 3)]
        return write(" ".join(words[-5:]), " ".join(words), list(zip(targets, labels, strict=True)))

    def owns(self, path: str) -> str | None:
        return "home" if path == "/" else None

    def contents(self) -> Sequence[str]:
        return ["home"]

    @cached_property
    def _chain(self) -> dict[tuple[str, str], list[str]]:
        """Learn what may follow any two words of the source, which ends where it begins."""
        rng = self.chance("source")
        words: list[str] = []
        while len(words) < _SOURCE_WORDS:
            words += english(rng).split()
        chain: dict[tuple[str, str], list[str]] = {}
        for place, word in enumerate(words):
            chain.setdefault((words[place - 2], words[place - 1]), []).append(word)
        return chain

    @cached_property
    def _beginnings(self) -> list[tuple[str, str]]:
        return list(self._chain)

    def _babble(self, rng: Random, count: int) -> list[str]:
        words = list(rng.choice(self._beginnings))
        while len(words) < count:
            words.append(rng.choice(self._chain[words[-2], words[-1]]))
        return words


class RedirectMaze(Maze):
    """A few real notes, and from them redirects to redirects, which now and then stop at a page of more redirects."""

    traps = ("fetch.max_redirects", "traps.template", "dedupe.*", "scope.max_depth")
    outcomes = ("trap", "redirected", "near_duplicate", "duplicate", "out_of_scope", "ok")

    def answer(self, path: str) -> MazePage:
        number = _note(path)
        if number is not None:
            text = prose.tell(self.chance(f"note {number}"), 150)
            notes = [(f"/note/{other}", f"note {other}") for other in range(1, _REAL)]
            return write(f"Note {number}", text, [*notes, *self._onward(path, _STARTS)])
        if not _HOP.fullmatch(path):
            return MISSING
        if self.draw(path) % _LANDING:
            return redirect(f"/go/{self.token(path)}")
        return write("Please wait", "You will be taken to the page you asked for.", self._onward(path, _STARTS))

    def owns(self, path: str) -> str | None:
        number = _note(path)
        return None if number is None else f"note {number}"

    def contents(self) -> Sequence[str]:
        return [f"note {number}" for number in range(_REAL)]

    def _onward(self, path: str, count: int) -> list[tuple[str, str]]:
        return [(f"/go/{self.token(f'{path} {number}')}", "more") for number in range(count)]


def _note(path: str) -> int | None:
    if path == "/":
        return 0
    found = _NOTE.fullmatch(path)
    return int(found[1]) if found and found[1] != "0" else None


def _anywhere(rng: Random, count: int) -> list[str]:
    """Make up paths: none or one folder, and a name."""
    pick = rng.choice
    folders = ("", f"{pick(prose.WORDS)}/", f"{pick(prose.WORDS)}/")
    return [f"/{pick(folders)}{pick(prose.WORDS)}-{rng.getrandbits(20)}" for _ in range(count)]
