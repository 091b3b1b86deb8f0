"""Sites that never say 404: every dead link is answered with a page, or with a redirect to the home page."""

import re
from abc import abstractmethod
from collections.abc import Sequence

from gossamer.simweb.mazes.maze import Maze, MazePage, MazeSite, redirect, write

_PAGES = 60
_DEAD = 150
_FOLDERS = ("", "old/", "news/", "docs/", "shop/", "docs/old/")
_PAGE = re.compile(r"/page/(\d+)")


class _Denying(Maze):
    """A site of real pages with as many dead links among the real ones as each can bear."""

    boundless = False  # any path is answered, but only so many are linked

    def __init__(self, exhibit: str, seed: int) -> None:
        super().__init__(exhibit, seed)
        self._site = MazeSite(self, _PAGES)

    def answer(self, path: str) -> MazePage:
        number = _find(path)
        if number is None:
            return self.deny(path)
        links = [(_spell(other), self._site.title(other)) for other in self._site.links(number)]
        links += [(self._dead(dead), f"older {dead}") for dead in range(number, _DEAD, _PAGES)]
        return write(self._site.title(number), self._site.text(number), links)

    @abstractmethod
    def deny(self, path: str) -> MazePage:
        """Answer a path that does not exist."""

    def owns(self, path: str) -> str | None:
        number = _find(path)
        return None if number is None else f"page {number}"

    def contents(self) -> Sequence[str]:
        return [f"page {number}" for number in range(_PAGES)]

    def _dead(self, number: int) -> str:
        name = self.token(f"dead {number}")[: 4 + number % 9]
        return f"/{_FOLDERS[number % len(_FOLDERS)]}{name}{'.html' if number % 3 else ''}"


class Soft404(_Denying):
    """Dead links are answered with 200, an excuse, what was asked for, and a number nobody saw before."""

    traps = ("traps.soft_404", "dedupe.*", "traps.template")
    outcomes = ("soft_404", "near_duplicate", "duplicate", "trap")

    def deny(self, path: str) -> MazePage:
        excuse = (
            "We are sorry, but we could not find that page. It may have been moved or renamed, or it may never have been "
            "there. Please check the address, or begin again on our home page, where you will find all that is new. You "
            "asked for {path}. If you write to us about this, please mention request {number}."
        )
        number = self.draw(path) % 10_000_000
        links = [(_spell(other), self._site.title(other)) for other in (0, *self._site.links(0))]
        return write("We could not find that page", excuse.format(path=_plain(path), number=number), links)


class Soft404Redirect(_Denying):
    """Dead links lead to the home page."""

    traps = ("traps.soft_404", "traps.template", "dedupe.*")
    outcomes = ("soft_404", "redirected", "trap")

    def deny(self, path: str) -> MazePage:
        return redirect("/")


def _spell(number: int) -> str:
    return f"/page/{number}" if number else "/"


def _find(path: str) -> int | None:
    if path == "/":
        return 0
    found = _PAGE.fullmatch(path)
    return int(found[1]) if found and 0 < int(found[1]) < _PAGES else None


def _plain(path: str) -> str:
    """Leave out what HTML would read as its own."""
    return re.sub(r"[<>&\"]", " ", path)
