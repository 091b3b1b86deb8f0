"""Lets the attacks speak: a server that reads a request and hands the connection to the voice of the host that was asked.

Nothing is parsed that need not be, and nothing is kept from being said. Every request goes into the ledger the moment its head
is there; when an attack's answer ends is nobody's business, so start and end are the same. What is said goes into the ledger's
transcript first; what nobody asked for is no part of any answer, and is not in it (unless a request was perhaps under way when
it was said: nobody can tell then). A request that shows that an attack has worked (a cookie sent back, an injected header) is
remembered in `breaches`, and answered with a 500.
"""

import asyncio
import contextlib
import ssl
from collections.abc import Iterable
from functools import partial
from time import monotonic
from uuid import uuid4

from gossamer.simweb.attacks.attack import PLAIN, Attack, Door, Unasked, saying, whole
from gossamer.simweb.ledger import RequestLedger, Said, SeenRequest

_LONGEST_HEAD = 128 * 1024
_HEAD_END = b"\r\n\r\n"
_CROSSING = 0.05  # seconds that a request may be under way, on a busy machine
_ROBOTS = saying(whole(b"User-agent: *\nAllow: /\n", mime="text/plain"))
_BREACH = saying(whole(b"the attack worked\n", status="500 Internal Server Error", mime="text/plain"), close=True)
_NOBODY = saying(whole(b"no such host\n", status="404 Not Found", mime="text/plain"))
_NEVER_SENT = (b"\ncookie:", b"\nx-injected:", b"\nauthorization:")


class Speech(asyncio.StreamWriter):
    """What is said on a connection; the answers of it are written down before they are said."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, ledger: RequestLedger) -> None:
        super().__init__(writer.transport, writer.transport.get_protocol(), reader, asyncio.get_running_loop())
        self._ledger = ledger
        self._answer = ""  # its name
        self._last = b""
        self._tail = b""  # said behind each piece, in a TLS record of its own
        self._unasked = b"", 0.0  # the last words between two answers, and when

    def interrupt(self, words: bytes) -> None:
        """Speak before the next request."""
        self._unasked = words, monotonic()
        super().write(words)

    def begin(self, now: float, tail: bytes) -> str:
        """Begin the answer to a request; return its name."""
        self._answer, self._last, self._tail = uuid4().hex, b"", tail
        words, said = self._unasked
        if words and now - said < _CROSSING:
            self._ledger.say(Said(self._answer, words, crossed=True))
        self._unasked = b"", 0.0
        return self._answer

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Say a piece of an answer."""
        if data:
            words = bytes(data)
            self._ledger.say(Said(self._answer, b"" if words is self._last else words))
            self._last = words
            self.transport.writelines((words, self._tail)) if self._tail else super().write(words)


class AttackServer:
    """Listens on loopback for all hosts of the zoo, on a port for each door."""

    def __init__(self, attacks: Iterable[Attack], ledger: RequestLedger, certificate: str = "") -> None:
        """Take the attacks; the certificate is a file with a chain and its key, for those that speak TLS."""
        self._attacks = {attack.host: attack for attack in attacks}
        self._ledger = ledger
        self._certificate = certificate
        self._speaking: set[asyncio.Task[None]] = set()
        self._servers: dict[Door, asyncio.Server] = {}
        self.breaches: list[str] = []

    async def start(self, port: int = 0) -> None:
        """Listen."""
        for door in dict.fromkeys((PLAIN, *(attack.door for attack in self._attacks.values()))):
            self._servers[door] = await asyncio.start_server(
                partial(self._connected, door),
                "127.0.0.1",
                port if door == PLAIN else 0,
                limit=_LONGEST_HEAD,
                ssl=self._context() if door.tls else None,
            )

    def port(self, door: Door = PLAIN) -> int:
        """Return where a door is."""
        port: int = self._servers[door].sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        """Stop listening and drop every connection."""
        for server in self._servers.values():
            server.close()
        for task in self._speaking:
            task.cancel()
        await asyncio.gather(*self._speaking, return_exceptions=True)

    def _context(self) -> ssl.SSLContext:
        if not self._certificate:
            raise ValueError("attacks over TLS need a certificate; give --certificate FILE, a chain and its key in PEM")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificate)
        return context

    async def _connected(self, door: Door, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._speaking.add(task)
        speech, unasked = Speech(reader, writer, self._ledger), None
        try:
            if door.greeting:
                speech.interrupt(door.greeting)
            while not speech.is_closing():
                unasked = await self._serve(reader, speech, unasked)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, asyncio.CancelledError):
            pass  # the client left, or we do
        finally:
            self._speaking.discard(task)
            with contextlib.suppress(ConnectionError):
                speech.close()

    async def _serve(self, reader: asyncio.StreamReader, speech: Speech, before: Unasked | None) -> Unasked | None:
        """Read one request and let its host answer; return what that host has to say before the next."""
        request = await _request(reader, speech, before)
        now = monotonic()
        host, path = _target(request)
        attack = self._attacks.get(host)
        unasked = attack.unasked if attack is not None else None
        answer = speech.begin(now, unasked.words if unasked is not None and not unasked.after else b"")
        self._ledger.add(SeenRequest(now, now, host, path, 0, answer=answer))
        if any(name in request.lower() for name in _NEVER_SENT):
            self.breaches.append(request.decode("latin-1"))
            await _BREACH(reader, speech, path)
        elif attack is None:
            await _NOBODY(reader, speech, path)
        elif path == "/robots.txt":
            await (attack.robots or _ROBOTS)(reader, speech, path)
        else:
            await attack.answer(reader, speech, path)
        return unasked


async def _request(reader: asyncio.StreamReader, speech: Speech, unasked: Unasked | None) -> bytes:
    """Wait for a request; if there is none for a moment, say what has to be said without one."""
    if unasked is not None and unasked.after:
        try:
            async with asyncio.timeout(unasked.after):
                return await reader.readuntil(_HEAD_END)
        except TimeoutError:
            speech.interrupt(unasked.words)
    return await reader.readuntil(_HEAD_END)


def _target(request: bytes) -> tuple[str, str]:
    """Return the host without its port, and the path, of a request head."""
    first, *lines = request.decode("latin-1").split("\r\n")
    host = next((line[5:].strip() for line in lines if line.lower().startswith("host:")), "")
    return host.partition(":")[0].lower(), first.partition(" ")[2].rpartition(" ")[0]
