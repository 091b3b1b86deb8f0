"""Walks a maze without HTTP, breadth-first from its root, as a crawler with no judgement would: the links of every page."""

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple
from urllib.parse import urljoin

from gossamer.simweb.mazes.maze import Maze, MazePage

_HREF = re.compile(r'<a href="([^"]*)"')


class WalkStep(NamedTuple):
    """A path that was found, and where."""

    path: str
    depth: int
    found_by: str  # the path of the page that led there; empty at the root


def leads(path: str, page: MazePage) -> list[str]:
    """Return the paths a page leads to, each once, in order."""
    targets = [value for name, value in page.headers if name == "Location"]
    targets += map(unescape, _HREF.findall(page.html.decode()))
    return list(dict.fromkeys(target if target[:1] == "/" else urljoin(path, target) for target in targets))


def walk(maze: Maze) -> Iterator[WalkStep]:
    """Give every path in the order it is found; its page is read only when the next is asked for."""
    known = {"/"}
    waiting = [WalkStep("/", 0, "")]
    for step in waiting:  # grows while it is read
        yield step
        for path in leads(step.path, maze.answer(step.path)):
            if path not in known:
                known.add(path)
                waiting.append(WalkStep(path, step.depth + 1, step.path))
