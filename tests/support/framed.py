"""Hosts whose framing is broken, all behind one port in the clear and one over TLS; every answer that was meant is known."""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import trustme

from gossamer.simweb.attacks.framings import BEHIND, Framing, framings

DOMAIN = "framing.sim"
ROBOTS = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nnot found"


@dataclass(frozen=True)
class Framed:
    """Running hosts, each once in the clear and once over TLS."""

    port: int
    tls_port: int
    authority: trustme.CA

    def roots(self) -> dict[str, Framing]:
        """Return what is said at each root."""
        return {self._url(scheme, framing): framing for scheme in ("http", "https") for framing in framings(scheme)}

    def _url(self, scheme: str, framing: Framing) -> str:
        port = self.tls_port if scheme == "https" else self.port
        return f"{scheme}://{framing.name}-{scheme}.{DOMAIN}:{port}/"


def next_page(host: str) -> bytes:
    """Return the page that a root leads to."""
    return f"<!DOCTYPE html>\n<title>behind {host}</title>\n<p>This is the page of {host} and of nobody else.</p>\n".encode()


@contextmanager
def framed_running() -> Iterator[Framed]:
    """Run them for a while, in a thread."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(f"*.{DOMAIN}").configure_cert(context)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    servers = [_in(loop, asyncio.start_server(_serve, "127.0.0.1", 0, ssl=tls)) for tls in (None, context)]
    try:
        yield Framed(*(server.sockets[0].getsockname()[1] for server in servers), authority)
    finally:
        for server in servers:
            loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


def _in(loop: asyncio.AbstractEventLoop, starting: object) -> asyncio.Server:
    return asyncio.run_coroutine_threadsafe(starting, loop).result(10)  # type: ignore[arg-type]


_BY_NAME = {f"{framing.name}-{scheme}": framing for scheme in ("http", "https") for framing in framings(scheme)}


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while not writer.is_closing():
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            host = head.partition("\r\nHost: ")[2].partition("\r\n")[0].partition(":")[0]
            await _answer(head.split()[1], host, writer)
    except (asyncio.IncompleteReadError, OSError):
        pass
    finally:
        writer.close()


async def _answer(path: str, host: str, writer: asyncio.StreamWriter) -> None:
    """Answer, and say something more that nobody asked for, in a record of its own."""
    if path == "/robots.txt":
        writer.write(ROBOTS)
        return
    framing = _BY_NAME[host.partition(".")[0]]
    if path == "/":
        writer.write(framing.said)
        if framing.closes:
            writer.close()
            return
    else:
        body = next_page(host)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    await writer.drain()
    writer.write(BEHIND)
