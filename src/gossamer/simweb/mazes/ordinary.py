"""Small ordinary sites, to see that nobody starves beside a maze."""

import re
from collections.abc import Sequence

from gossamer.simweb.mazes.maze import MISSING, Maze, MazePage, MazeSite, write

_PAGES = 30
_NAMED = re.compile(r"/([a-z]+)-(\d+)\.html")
_SECTIONS = ("about", "news", "people")


class Ordinary(Maze):
    """Thirty pages, a tree."""

    boundless = False

    def __init__(self, exhibit: str, seed: int) -> None:
        super().__init__(exhibit, seed)
        self._site = MazeSite(self, _PAGES)

    def answer(self, path: str) -> MazePage:
        number = _find(path)
        if number is None:
            return MISSING
        links = [(_spell(other), self._site.title(other)) for other in self._site.links(number)]
        return write(self._site.title(number), self._site.text(number), links)

    def owns(self, path: str) -> str | None:
        return None if _find(path) is None else path

    def contents(self) -> Sequence[str]:
        return self.paths()

    def paths(self) -> Sequence[str]:
        return [_spell(number) for number in range(_PAGES)]


def _spell(number: int) -> str:
    return f"/{_SECTIONS[number % 3]}-{number}.html" if number else "/"


def _find(path: str) -> int | None:
    if path == "/":
        return 0
    found = _NAMED.fullmatch(path)
    number = int(found[2]) if found else 0
    return number if 0 < number < _PAGES and _spell(number) == path else None
