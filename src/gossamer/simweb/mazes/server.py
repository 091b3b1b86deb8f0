"""Serves the mazes over HTTP/1.1 on one port of loopback; every host allows everything, every request is in the ledger."""

from collections.abc import Iterable

from gossamer.simweb.answers import WireAnswer, assemble
from gossamer.simweb.ledger import RequestLedger
from gossamer.simweb.mazes.maze import Maze, MazePage
from gossamer.simweb.port import NOBODY, Port
from gossamer.simweb.requests import RequestHead

_HTML = ("Content-Type", "text/html; charset=utf-8")


class MazeServer(Port):
    """The mazes, listening."""

    def __init__(self, mazes: Iterable[Maze], ledger: RequestLedger) -> None:
        super().__init__(ledger)
        self._mazes = {maze.host: maze for maze in mazes}

    def reply(self, request: RequestHead) -> WireAnswer:
        """Let the maze of that host answer."""
        maze = self._mazes.get(request.host)
        if maze is None:
            return NOBODY
        if request.path == "/robots.txt":
            return assemble(200, [("Content-Type", "text/plain")], maze.robots)
        return wire(maze.answer(request.path))


def wire(page: MazePage) -> WireAnswer:
    """Return a page as it is sent."""
    names = {name for name, _ in page.headers}
    return assemble(page.status, [*(() if _HTML[0] in names else (_HTML,)), *page.headers], page.html)
