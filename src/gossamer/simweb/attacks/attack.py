"""What an attack is made of: a host, what it says to whom, and how its URLs must end.

A voice says anything it likes on the connection: whole answers, halves, rubbish. It returns when it is done; the connection
is then read for the next request, unless the voice has closed it. The crawler an `ExpectedEnd` means follows links to any host,
has default settings otherwise, and tries again what may pass.
"""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

DOMAIN = "attack.sim"

Voice = Callable[[asyncio.StreamReader, asyncio.StreamWriter, str], Awaitable[None]]
Ports = Callable[["Door"], int]


@dataclass(frozen=True, slots=True)
class ExpectedEnd:
    """How one URL must end; the path is one of the attack's host, or a whole URL."""

    path: str
    outcome: str = "ok"
    truncated: str = ""  # WARC's word for why the body is not whole
    rule: str = ""  # that refuses it
    status: int = 200
    asked: bool = True  # False: not even once, because nobody could read the robots.txt before it
    outcomes: tuple[str, ...] = ()  # every way it may rightly end, where chance decides


class Door(NamedTuple):
    """What can be told of a host before it is asked for anything; the hosts behind one door share a port."""

    tls: bool = False
    greeting: bytes = b""  # said when somebody connects


PLAIN = Door()


class Unasked(NamedTuple):
    """What a host says after each answer, without being asked."""

    words: bytes
    after: float = 0.0  # seconds without another request; 0: at once, with the answer


@dataclass(frozen=True, slots=True)
class Attack:
    """One hostile host."""

    name: str
    answer: Voice
    ends: tuple[ExpectedEnd, ...]  # the root, which is the seed, first
    robots: Voice | None = None  # None: a plain one that allows everything
    door: Door = PLAIN
    unasked: Unasked | None = None

    @property
    def host(self) -> str:
        """Its host name."""
        return f"{self.name}.{DOMAIN}"

    @property
    def speaks_unasked(self) -> bool:
        """Whether a connection may have to be closed as a request leaves, and the request sent again."""
        return self.unasked is not None or bool(self.door.greeting)


def head(*lines: str, status: str = "200 OK", mime: str = "text/html") -> bytes:
    """Return a head with some header lines more."""
    return "\r\n".join((f"HTTP/1.1 {status}", f"Content-Type: {mime}", *lines, "", "")).encode("latin-1")


def whole(body: bytes, *lines: str, status: str = "200 OK", mime: str = "text/html") -> bytes:
    """Return a whole answer."""
    return head(*lines, f"Content-Length: {len(body)}", status=status, mime=mime) + body


def page(*links: str, title: str = "a page") -> bytes:
    """Return a small HTML page with links."""
    anchors = "".join(f'<a href="{link}">{link[:40]}</a>\n' for link in links)
    return f"<!DOCTYPE html>\n<title>{title}</title>\n<p>{title}</p>\n{anchors}".encode()


def saying(raw: bytes, *, close: bool = False) -> Voice:
    """Say some bytes whatever was asked; then wait for the next request, or close."""

    async def voice(_: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> None:
        writer.write(raw)
        await writer.drain()
        if close:
            writer.close()

    return voice


def routing(routes: dict[str, bytes | Voice], otherwise: bytes | Voice | None = None) -> Voice:
    """Answer by path; what is not known is a 404, or `otherwise`."""
    missing = whole(b"not found\n", status="404 Not Found", mime="text/plain") if otherwise is None else otherwise

    async def voice(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> None:
        route = routes.get(path, missing)
        await (saying(route) if isinstance(route, bytes) else route)(reader, writer, path)

    return voice


def repeating(first: bytes, again: bytes, pause: float = 0.0) -> Voice:
    """Say something, then something else for ever, with pauses; ends when nobody listens any more."""

    async def voice(_: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> None:
        writer.write(first)
        while not writer.is_closing():
            writer.write(again)
            await writer.drain()
            await asyncio.sleep(pause)

    return voice


def falling_silent(raw: bytes = b"") -> Voice:
    """Say some bytes, then nothing more, and keep the connection open."""

    async def voice(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> None:
        writer.write(raw)
        await writer.drain()
        await reader.read()
        writer.close()

    return voice


def resetting(raw: bytes = b"") -> Voice:
    """Say some bytes, then reset the connection when they have had time to arrive."""

    async def voice(_: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> None:
        writer.write(raw)
        await writer.drain()
        await asyncio.sleep(0.05)  # a reset overtakes what is still on its way
        opened = writer.get_extra_info("socket")
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    return voice


def origin(attack: Attack, ports: Ports) -> str:
    """Return where an attack is."""
    return f"{'https' if attack.door.tls else 'http'}://{attack.host}:{ports(attack.door)}"


def urls(attack: Attack, ports: Ports) -> Iterator[tuple[str, ExpectedEnd]]:
    """Give the URL of every end of an attack."""
    for end in attack.ends:
        yield end.path if "://" in end.path else origin(attack, ports) + end.path, end
