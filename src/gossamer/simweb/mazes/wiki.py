"""A wiki: everything behind one script and a long query. An article and the talk about it differ in one parameter only."""

import re
from collections.abc import Sequence
from math import ceil

from gossamer.simweb.mazes import prose
from gossamer.simweb.mazes.giant import Giant
from gossamer.simweb.mazes.maze import MISSING, MazePage, write

_PAGES = 2_000
_LISTED = 100  # titles on a page of the list
_TITLE = re.compile(r"/index\.php\?title=\w+_(\d+)&action=view&.*")
_LIST = re.compile(r"/index\.php\?title=Special:All&action=view&from=(\d+)")
_SPACES = ("article", "talk")


class Wiki(Giant):
    """A thousand articles, each with its talk."""

    def __init__(self, exhibit: str, seed: int, scale: float) -> None:
        super().__init__(exhibit, seed)
        self._titles = max(10, round(_PAGES * scale / 2))

    def answer(self, path: str) -> MazePage:
        if path == "/":
            links = [(_list(page), f"titles from {page * _LISTED}") for page in range(self._lists())]
            return write("The wiki", self.tell(path, 60, 120), links)
        if (listed := self._find_list(path)) is not None:
            first = listed * _LISTED
            some = range(first, min(first + _LISTED, self._titles))
            links = [(self._spell(number, 0), _name(number)) for number in some]
            return write(f"Titles from {first}", self.tell(path, 60, 90), [("/", "wiki"), *links])
        found = self._find(path)
        return MISSING if found is None else self._show(path, *found)

    def owns(self, path: str) -> str | None:
        known = path == "/" or self._find(path) is not None or self._find_list(path) is not None
        return path if known else None

    def paths(self) -> Sequence[str]:
        pages = [self._spell(number, space) for number in range(self._titles) for space in (0, 1)]
        return ["/", *(_list(page) for page in range(self._lists())), *pages]

    def _show(self, path: str, number: int, space: int) -> MazePage:
        rng = self.chance(f"links {path}")
        others = [rng.randrange(self._titles) for _ in range(8)]
        links = [("/", "wiki"), (self._spell(number, 1 - space), _SPACES[1 - space])]
        links += [(self._spell(other, 0), _name(other)) for other in others if other != number]
        return write(f"{_name(number)} ({_SPACES[space]})", self.tell(path, 80, 300), links)

    def _spell(self, number: int, space: int) -> str:
        revision = self.draw(f"revision {number} {space}") % 90_000_000 + 10_000_000
        subject = _name(number).replace(" ", "_")
        return f"/index.php?title={subject}&action=view&ns={_SPACES[space]}&lang=en&variant=desktop&oldid={revision}"

    def _lists(self) -> int:
        return ceil(self._titles / _LISTED)

    def _find_list(self, path: str) -> int | None:
        found = _LIST.fullmatch(path)
        page, odd = divmod(int(found[1]), _LISTED) if found else (0, 1)
        return page if not odd and page < self._lists() else None

    def _find(self, path: str) -> tuple[int, int] | None:
        found = _TITLE.fullmatch(path)
        if found is None:
            return None
        number, space = int(found[1]), int("&ns=talk&" in path)
        return (number, space) if number < self._titles and self._spell(number, space) == path else None


def _name(number: int) -> str:
    return f"{prose.label(number * 71 + 3)} {number}".title()


def _list(page: int) -> str:
    return f"/index.php?title=Special:All&action=view&from={page * _LISTED}"
