"""Serves the mazes over HTTP/1.1 on one port of loopback; every host allows everything, every request is in the ledger."""

import asyncio
from collections.abc import Iterable

from gossamer.simweb.answers import Answer, answer_note, assemble
from gossamer.simweb.ledger import Ledger
from gossamer.simweb.mazes.maze import Maze, Page
from gossamer.simweb.requests import RequestHead
from gossamer.simweb.server import Connection

_BACKLOG = 4096
_HTML = ("Content-Type", "text/html; charset=utf-8")
_ROBOTS = assemble(200, [("Content-Type", "text/plain")], b"User-agent: *\nAllow: /\n")
_BAD_METHOD = answer_note(405, (("Allow", "GET, HEAD"),), close=True)
_NOBODY = answer_note(404)


class MazeServer:
    """The mazes, listening."""

    port = 0

    def __init__(self, mazes: Iterable[Maze], ledger: Ledger) -> None:
        self.ledger = ledger
        self.connections: set[Connection] = set()
        self._mazes = {maze.host: maze for maze in mazes}
        self._server: asyncio.Server | None = None

    async def start(self, port: int = 0) -> None:
        """Listen."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self), "127.0.0.1", port, backlog=_BACKLOG)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening and drop the connections; the ledger is its owner's to close."""
        if self._server is not None:
            self._server.close()
            for connection in list(self.connections):
                connection.abort()
            await self._server.wait_closed()

    def answer(self, request: RequestHead) -> tuple[Answer, float]:
        """Return the answer to a request, at once."""
        if request.method not in ("GET", "HEAD"):
            return _BAD_METHOD, 0.0
        maze = self._mazes.get(request.host)
        if maze is None:
            return _NOBODY, 0.0
        if request.path == "/robots.txt":
            return _ROBOTS, 0.0
        return wire(maze.answer(request.path)), 0.0


def wire(page: Page) -> Answer:
    """Return a page as it is sent."""
    return assemble(page.status, [_HTML, *page.headers], page.html)
