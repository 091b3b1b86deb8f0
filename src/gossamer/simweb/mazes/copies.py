"""Sites that say everything twice: a broken relative link, a mirror on another host, every article again for the printer."""

import re
from collections.abc import Sequence

from gossamer.simweb.mazes.maze import MISSING, Links, Maze, MazePage, MazeSite, write

_TOPIC = re.compile(r"/(?:(?:guide|help)/)*(?:topic-(\d+)\.html)?")
_PLACE = re.compile(r"/place/(\d+)\.html")
_ARTICLE = re.compile(r"/(article|print)/(\d+)")


class _Copied(Maze):
    """A site whose pages answer under several paths or hosts."""

    boundless = False
    copies = True
    traps: tuple[str, ...] = ("dedupe.*", "traps.template")
    outcomes: tuple[str, ...] = ("duplicate", "near_duplicate", "trap", "ok")
    size = 150
    words = (80, 220)

    def __init__(self, exhibit: str, seed: int, *, name: str = "") -> None:
        super().__init__(exhibit, seed, name=name)
        self.site = MazeSite(self, self.size, words=self.words)

    def contents(self) -> Sequence[str]:
        return [f"page {number}" for number in range(self.size)]


class RelativeLinks(_Copied):
    """Twenty pages, which two folders that do not exist are written before, again and again."""

    boundless = True
    traps = ("traps.max_repeats", "traps.max_segments", "traps.template", "dedupe.*", "scope.max_depth")
    outcomes = ("duplicate", "near_duplicate", "trap", "out_of_scope", "ok")
    size = 20

    def answer(self, path: str) -> MazePage:
        number = self._find(path)
        if number is None:
            return MISSING
        links = [(f"/{_topic(other)}", self.site.title(other)) for other in self.site.links(number)]
        links += [(f"guide/{_topic((number + 1) % self.size)}", "guide"), (f"help/{_topic((number + 7) % self.size)}", "help")]
        return write(self.site.title(number), self.site.text(number), links)

    def owns(self, path: str) -> str | None:
        number = self._find(path)
        return None if number is None else f"page {number}"

    def _find(self, path: str) -> int | None:
        found = _TOPIC.fullmatch(path)
        number = int(found[1] or 0) if found else self.size
        return number if number < self.size else None


class Mirror(_Copied):
    """A site that is there on two hosts; half of the pages name their host in the footer."""

    # What one host has is not fetched from the other, so the rest of that one may be found by longer ways only.
    traps = ("traps.mirror", "dedupe.*", "traps.template", "scope.max_depth")
    outcomes = ("duplicate", "near_duplicate", "trap", "out_of_scope", "ok")

    def answer(self, path: str) -> MazePage:
        number = self._find(path)
        if number is None:
            return MISSING
        links = [(_place(other), self.site.title(other)) for other in self.site.links(number)]
        footer = f"You are reading {self.host}" if number % 2 else "All rights reserved"
        return write(self.site.title(number), self.site.text(number), links, footer=footer)

    def owns(self, path: str) -> str | None:
        number = self._find(path)
        return None if number is None else f"page {number}"

    def _find(self, path: str) -> int | None:
        if path == "/":
            return 0
        found = _PLACE.fullmatch(path)
        return int(found[1]) if found and 0 < int(found[1]) < self.size else None


class Printer(_Copied):
    """Articles, each with a version for the printer: the same text in another dress."""

    size = 151  # the home page and its articles
    words = (250, 450)

    def answer(self, path: str) -> MazePage:
        found = self._find(path)
        if found is None:
            return MISSING
        number, printed = found
        if printed:
            return _dress(self.site.title(number), self.site.text(number), [(_article(number), "Back")])
        links = [(_article(other), self.site.title(other)) for other in self.site.links(number)]
        if number:
            links.append((f"/print/{number}", "Print"))
        return write(self.site.title(number), self.site.text(number), links)

    def owns(self, path: str) -> str | None:
        found = self._find(path)
        return None if found is None else f"page {found[0]}"

    def _find(self, path: str) -> tuple[int, bool] | None:
        if path == "/":
            return 0, False
        found = _ARTICLE.fullmatch(path)
        return (int(found[2]), found[1] == "print") if found and 0 < int(found[2]) < self.size else None


def _dress(title: str, text: str, links: Links) -> MazePage:
    """Dress a page for the printer."""
    below = "".join(f'<a href="{href}">{words}</a>' for href, words in links)
    table = f"<table><tr><th>{title}</th></tr>\n<tr><td>{text}</td></tr></table>\n<hr>{below}"
    return MazePage(200, (), f"<html><head><title>{title}</title></head><body>\n{table}\n</body></html>\n".encode())


def _topic(number: int) -> str:
    return f"topic-{number}.html" if number else ""


def _place(number: int) -> str:
    return f"/place/{number}.html" if number else "/"


def _article(number: int) -> str:
    return f"/article/{number}" if number else "/"
