"""Lets the attacks speak: a server that reads a request and hands the connection to the voice of the host that was asked.

Nothing is parsed that need not be, and nothing is kept from being said. Every request goes into the ledger the moment its head
is there; when an attack's answer ends is nobody's business, so start and end are the same. A request that shows that an
attack has worked (a cookie sent back, an injected header) is remembered in `breaches`, and answered with a 500.
"""

import asyncio
import contextlib
from collections.abc import Iterable
from time import monotonic

from gossamer.simweb.attacks.attack import Attack, saying, whole
from gossamer.simweb.ledger import Ledger, Request

_LONGEST_HEAD = 128 * 1024
_ROBOTS = saying(whole(b"User-agent: *\nAllow: /\n", mime="text/plain"))
_BREACH = saying(whole(b"the attack worked\n", status="500 Internal Server Error", mime="text/plain"), close=True)
_NOBODY = saying(whole(b"no such host\n", status="404 Not Found", mime="text/plain"))
_NEVER_SENT = (b"\ncookie:", b"\nx-injected:", b"\nauthorization:")


class AttackServer:
    """Listens on one port of loopback for all hosts of the zoo."""

    port = 0

    def __init__(self, attacks: Iterable[Attack], ledger: Ledger) -> None:
        self._attacks = {attack.host: attack for attack in attacks}
        self._ledger = ledger
        self._speaking: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.breaches: list[str] = []

    async def start(self, port: int = 0) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", port, limit=_LONGEST_HEAD)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening and drop every connection."""
        if self._server is not None:
            self._server.close()
        for task in self._speaking:
            task.cancel()
        await asyncio.gather(*self._speaking, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._speaking.add(task)
        try:
            while not writer.is_closing():
                await self._serve(reader, writer)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, asyncio.CancelledError):
            pass  # the client left, or we do
        finally:
            self._speaking.discard(task)
            with contextlib.suppress(ConnectionError):
                writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read one request and let its host answer."""
        request = await reader.readuntil(b"\r\n\r\n")
        now = monotonic()
        host, path = _target(request)
        self._ledger.add(Request(now, now, host, path, 0))
        attack = self._attacks.get(host)
        if any(name in request.lower() for name in _NEVER_SENT):
            self.breaches.append(request.decode("latin-1"))
            await _BREACH(reader, writer, path)
        elif attack is None:
            await _NOBODY(reader, writer, path)
        elif path == "/robots.txt":
            await (attack.robots or _ROBOTS)(reader, writer, path)
        else:
            await attack.answer(reader, writer, path)


def _target(request: bytes) -> tuple[str, str]:
    """Return the host without its port, and the path, of a request head."""
    first, *lines = request.decode("latin-1").split("\r\n")
    host = next((line[5:].strip() for line in lines if line.lower().startswith("host:")), "")
    return host.partition(":")[0].lower(), first.partition(" ")[2].rpartition(" ")[0]
