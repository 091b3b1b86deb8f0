"""What a maze is made of: a host, its answer to any path, and a judge of what has content of its own.

Both are pure functions of the seed and the path. What real sites draw by lot (a session number, a request number) is drawn from
the path that was asked for: no crawler that asks for a URL once can tell the difference. Links stay on the host.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from html import escape
from random import Random
from typing import NamedTuple

from gossamer.simweb.mazes import prose

DOMAIN = "maze.sim"

Links = Iterable[tuple[str, str]]  # href and text


class MazePage(NamedTuple):
    """An answer before it goes over the wire."""

    status: int
    headers: tuple[tuple[str, str], ...]
    html: bytes


class Maze(ABC):
    """One host of the zoo. Hosts of one exhibit share its name, its chance, and the names of its contents."""

    robots = b"User-agent: *\nAllow: /\n"
    boundless = True  # links without end
    copies = False  # several paths say the same, so any of them may be the one that is kept
    deep = False  # some content is found only by going into the maze, and may rightly be lost in it
    traps: tuple[str, ...] = ()  # rules that may rightly end a URL without content of its own
    outcomes: tuple[str, ...] = ("trap", "near_duplicate", "duplicate", "out_of_scope", "ok")  # and how, the first best

    def __init__(self, exhibit: str, seed: int, *, name: str = "") -> None:
        self.exhibit = exhibit
        self.host = f"{name or exhibit}.{DOMAIN}"
        self._seed = f"{seed}/{exhibit}/"

    @abstractmethod
    def answer(self, path: str) -> MazePage:
        """Return what a path (with its query) is answered with."""

    @abstractmethod
    def owns(self, path: str) -> str | None:
        """Name the content of a path; two paths of one name say the same. None: it says nothing of its own."""

    @abstractmethod
    def contents(self) -> Sequence[str]:
        """List the names of all content there is."""

    def paths(self) -> Sequence[str] | None:
        """List one path for each content, if that can be said without walking."""
        return None

    def draw(self, name: str) -> int:
        """Return 64 bits that belong to a name."""
        return int.from_bytes(blake2b((self._seed + name).encode(), digest_size=8).digest())

    def chance(self, name: str) -> Random:
        """Return a random source that belongs to a name."""
        return Random(self.draw(name))

    def token(self, name: str) -> str:
        """Return letters and digits that belong to a name, such as a session would be called."""
        return blake2b((self._seed + name).encode(), digest_size=9).hexdigest()


def write(title: str, text: str, links: Links, *, footer: str = "") -> MazePage:
    """Make a page of HTML."""
    items = "".join([f'<li><a href="{escape(href)}">{words}</a></li>\n' for href, words in links])
    html = (
        f"<!DOCTYPE html>\n<html>\n<head><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n<p>{text}</p>\n"
        f"<ul>\n{items}</ul>\n<p>{footer}</p>\n</body>\n</html>\n"
    )
    return MazePage(200, (), html.encode())


def redirect(path: str) -> MazePage:
    """Lead to another path."""
    return MazePage(302, (("Location", path),), b"<!DOCTYPE html>\n<p>Moved.</p>\n")


MISSING = MazePage(404, (), b"<!DOCTYPE html>\n<title>Not found</title>\n<p>Not found.</p>\n")


class MazeSite:
    """A finite set of numbered pages, each with text of its own, in a tree whose root is 0: what is real behind a maze."""

    def __init__(self, maze: Maze, pages: int, *, words: tuple[int, int] = (80, 220), branches: int = 5) -> None:
        self._maze = maze
        self._words = words
        self._branches = branches
        self.pages = pages

    def title(self, number: int) -> str:
        """Return a page's title."""
        return f"{prose.label(self._maze.draw('title') + number * 31)} {number}".capitalize()

    def text(self, number: int) -> str:
        """Return a page's own text."""
        rng = self._maze.chance(f"text {number}")
        return prose.tell(rng, rng.randint(*self._words))

    def links(self, number: int) -> list[int]:
        """Return the pages it leads to: home, parent, children, neighbours."""
        first = number * self._branches + 1
        near = (0, (number - 1) // self._branches, number - 1, number + 1, *range(first, first + self._branches))
        return sorted({other for other in near if 0 <= other < self.pages and other != number})
