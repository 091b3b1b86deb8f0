"""A port of loopback that answers at once: what hosts without moods of their own need."""

import asyncio

from gossamer.simweb.answers import WireAnswer, answer_note
from gossamer.simweb.ledger import RequestLedger
from gossamer.simweb.requests import RequestHead
from gossamer.simweb.server import ClientConnection

NOBODY = answer_note(404)

_BACKLOG = 4096
_BAD_METHOD = answer_note(405, (("Allow", "GET, HEAD"),), close=True)


class Port:
    """Listens, and answers what `reply` says."""

    port = 0

    def __init__(self, ledger: RequestLedger) -> None:
        self.ledger = ledger
        self.connections: set[ClientConnection] = set()
        self._server: asyncio.Server | None = None

    async def start(self, port: int = 0) -> None:
        """Listen."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: ClientConnection(self), "127.0.0.1", port, backlog=_BACKLOG)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening and drop the connections; the ledger is its owner's to close."""
        if self._server is not None:
            self._server.close()
            for connection in list(self.connections):
                connection.abort()
            await self._server.wait_closed()

    def answer(self, request: RequestHead) -> tuple[WireAnswer, float]:
        """Return the answer to a request, at once."""
        return (self.reply(request) if request.method in ("GET", "HEAD") else _BAD_METHOD), 0.0

    def reply(self, request: RequestHead) -> WireAnswer:
        """Answer a request by a method that is known."""
        return NOBODY
