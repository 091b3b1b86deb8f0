"""Sites that write a mark into every link: a session in the query, a session in the path, where the click came from.

Behind each stands a small site; the same page answers under every mark.
"""

import re
from abc import abstractmethod
from collections.abc import Sequence

from gossamer.simweb.mazes.maze import MISSING, Maze, MazePage, MazeSite, write

_SOURCES = ("home", "side", "foot", "menu", "story", "mail")


class _Marked(Maze):
    """A small site whose pages are known by a number, whatever else their URL carries."""

    copies = True
    traps = ("traps.parameter", "traps.template", "dedupe.*", "scope.max_depth", "key.*")
    outcomes = ("duplicate", "near_duplicate", "trap", "out_of_scope", "ok")
    size = 40
    pattern = ""  # of a path, with the number as its group

    def __init__(self, exhibit: str, seed: int) -> None:
        super().__init__(exhibit, seed)
        self._site = MazeSite(self, self.size)
        self._number = re.compile(self.pattern)

    @abstractmethod
    def spell(self, number: int, path: str) -> str:
        """Write the link to a page as the page at this path does."""

    def answer(self, path: str) -> MazePage:
        number = self._find(path)
        if number is None:
            return MISSING
        links = [(self.spell(other, path), self._site.title(other)) for other in self._site.links(number)]
        return write(self._site.title(number), self._site.text(number), links)

    def owns(self, path: str) -> str | None:
        number = self._find(path)
        return None if number is None else f"page {number}"

    def contents(self) -> Sequence[str]:
        return [f"page {number}" for number in range(self.size)]

    def _find(self, path: str) -> int | None:
        if path == "/":
            return 0
        found = self._number.fullmatch(path)
        return int(found[1]) if found and int(found[1]) < self.size else None


class SessionQuery(_Marked):
    """Every link has a session of its own in the query."""

    pattern = r"/page/(\d+)(?:\?.*)?"

    def spell(self, number: int, path: str) -> str:
        return f"/page/{number}?s={self.token(f'{path} {number}')}"


class SessionPath(_Marked):
    """Every answer begins a new session, and writes it into the path."""

    pattern = r"/(?:\(S\(\w+\)\)/)?page/(\d+)"

    def spell(self, number: int, path: str) -> str:
        return f"/(S({self.token(path)}))/page/{number}"


class Tracking(_Marked):
    """Every link says where on which page it stood."""

    boundless = False  # there are only so many places for a link
    size = 120
    pattern = r"/story/(\d+)(?:\?.*)?"

    def spell(self, number: int, path: str) -> str:
        chance = self.draw(f"{path.partition('?')[0]} {number}")
        source, place = _SOURCES[chance % len(_SOURCES)], chance // 16 % 24
        if chance & 8:
            return f"/story/{number}?src={source}&pos={place}"
        return f"/story/{number}?from_block={source}-{place}"
