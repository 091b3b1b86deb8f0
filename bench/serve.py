"""The server that everyone is measured against: prerendered answers, as little work a request as Python allows.

It is not measured itself, but it shares the machine, so it must be cheap. HTTP on one port, with connections kept. On another
port TLS 1.3, one request a connection and no session tickets: each page costs a whole handshake, as it does in a crawl of many
hosts. `/-/count` on the first port tells what was asked for since the last time it was read: it is the witness.

The first line on standard output says where it stands, as JSON; it serves until its standard input is closed.
"""

import argparse
import asyncio
import json
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import md5, shake_128
from http.client import HTTPConnection
from pathlib import Path
from struct import unpack
from time import monotonic
from typing import Any, cast

import trustme
import uvloop

from bench.measure import ROOT
from bench.site import Answer, Generated, Site, documentation

Send = tuple[bytes, bytes]  # head without its end, and body
Choose = Callable[[bytes, bytes, bool], Send]  # by host, path, and whether gzip is accepted
COUNT = b"/-/count"
OPEN, CLOSE = b"Connection: keep-alive\r\n\r\n", b"Connection: close\r\n\r\n"
MISSING = (b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n", b"not here\n")


class Witness:
    """What was asked for since it was last read."""

    def __init__(self) -> None:
        self.paths: set[bytes] = set()
        self.requests = 0
        self.connections = 0
        self.arrivals: dict[bytes, list[float]] = {}  # by host, when somebody wants to know

    def read(self, pages: frozenset[bytes]) -> bytes:
        """Tell, and begin anew."""
        told = {
            "pages": len(self.paths & pages),
            "of": len(pages),
            "requests": self.requests,
            "connections": self.connections,
            "arrivals": {host.decode(): times for host, times in self.arrivals.items()},
        }
        self.__init__()  # type: ignore[misc]
        return json.dumps(told).encode()


class Connection(asyncio.Protocol):
    """Answers requests without a body, one after the other, pipelined or not."""

    def __init__(self, choose: Choose, witness: Witness, count: Callable[[], bytes], keep: bool, by_host: bool) -> None:
        self._choose, self._witness, self._count = choose, witness, count
        self._end = OPEN if keep else CLOSE
        self._keep, self._by_host = keep, by_host
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._witness.connections += 1

    def data_received(self, data: bytes) -> None:
        arrived = monotonic()
        data = self._buffer + data if self._buffer else data
        while (end := data.find(b"\r\n\r\n")) >= 0:
            request, data = data[:end], data[end + 4 :]
            self._answer(request, arrived)
        self._buffer = data

    def _answer(self, request: bytes, arrived: float) -> None:
        start = request.find(b" ") + 1
        path = request[start : request.find(b" ", start)]
        if path == COUNT:
            body = self._count()
            head, body = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n" % len(body), body
        else:
            witness = self._witness
            witness.requests += 1
            witness.paths.add(path)
            host = host_of(request)
            if self._by_host:
                witness.arrivals.setdefault(host, []).append(arrived)
            head, body = self._choose(host, path, b"gzip" in request)
        self._transport.writelines((head, self._end, body))
        if not self._keep:
            self._transport.close()


def host_of(request: bytes) -> bytes:
    """Return the host of a request, without its port."""
    start = request.find(b"\r\nHost:") + 7  # as all of these clients spell it
    if start < 7:
        start = request.lower().find(b"\r\nhost:") + 7
    end = request.find(b"\r\n", start)
    return request[start : end if end > 0 else len(request)].strip().partition(b":")[0]


def prepared(answer: Answer, packed: bool) -> Send:
    """Render the head of an answer."""
    body = answer.packed if packed and answer.packed is not None else answer.body
    coding = "Content-Encoding: gzip\r\n" if body is answer.packed else ""
    head = (
        "HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\n"
        f"Content-Type: {answer.mime}\r\nContent-Length: {len(body)}\r\n{coding}Vary: Accept-Encoding\r\n"
        "Cache-Control: max-age=600\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n"
    )
    return head.encode(), body


def of_site(site: Site) -> Choose:
    """Serve a site under any host name."""
    plain = {path: prepared(answer, False) for path, answer in site.answers.items()}
    packed = {path: prepared(answer, True) for path, answer in site.answers.items()}

    def choose(host: bytes, path: bytes, gzip: bool) -> Send:
        return (packed if gzip else plain).get(path, MISSING)

    return choose


def of_sites(sites: Iterable[Site]) -> Choose:
    """Serve each site under a host name of its own: h0.sim, h1.sim and so on."""
    chosen = {b"h%d.sim" % number: of_site(site) for number, site in enumerate(sites)}

    def choose(host: bytes, path: bytes, gzip: bool) -> Send:
        return chosen[host](host, path, gzip)

    return choose


def of_hosts() -> Choose:
    """Serve an endless small site under every host name: no two pages are alike, and each leads to the next few."""
    pieces = [
        b" ".join(b"%x" % (number * 2_654_435_761 + word * 40_503 & 0xFFFFFFF) for word in range(12))
        for number in range(65_536)
    ]
    fixed, _ = prepared(Answer("text/html; charset=utf-8", b"", None), False)
    before, after = fixed.split(b"Content-Length: 0")

    @lru_cache(1_000)
    def links_of(number: int) -> bytes:
        return b"".join([b'<a href="/%d">%d</a>' % (n, n) for n in range(number + 1, number + 6)])

    def choose(host: bytes, path: bytes, gzip: bool) -> Send:
        if path != b"/" and not path[1:].isdigit():
            return MISSING
        number = int(path[1:] or 0)
        text = b" ".join([pieces[place] for place in unpack("8H", md5(b"%s %d" % (host, number)).digest())])
        content = b"<!DOCTYPE html><title>%s %d</title><p>%s</p>%s" % (host, number, text, links_of(number))
        return b"%sContent-Length: %d%s" % (before, len(content), after), content

    return choose


def of_tree(pages: int) -> Choose:
    """Serve so many small pages under every host name, no two alike; each leads to ten others."""
    words = [b"%x" % (number * 2_654_435_761 % 2**32) for number in range(4_096)]

    def choose(host: bytes, path: bytes, gzip: bool) -> Send:
        number = int(path[1:] or 0) if path[1:].isdigit() or path == b"/" else pages
        if number >= pages:
            return MISSING
        dice = shake_128(b"%s %d" % (host, number)).digest(120)
        text = b" ".join([words[dice[place] << 4 | dice[place + 1] >> 4] for place in range(0, 120, 2)])
        links = b"".join(b'<a href="/%d">%d</a>' % (n, n) for n in range(10 * number + 1, min(10 * number + 11, pages)))
        content = b"<!DOCTYPE html><title>%s %d</title><p>%s</p>%s" % (host, number, text, links)
        return prepared(Answer("text/html; charset=utf-8", content, None), False)

    return choose


async def serve(choose: Choose, pages: frozenset[bytes], certificate: Path | None, by_host: bool) -> None:
    """Serve until standard input is closed."""
    loop, witness = asyncio.get_running_loop(), Witness()

    def connection(keep: bool) -> Connection:
        return Connection(choose, witness, lambda: witness.read(pages), keep, by_host)

    plain = await loop.create_server(lambda: connection(True), "127.0.0.1", 0, backlog=4096)
    told = {"port": plain.sockets[0].getsockname()[1], "pages": len(pages)}
    if certificate is not None:
        secure = await loop.create_server(lambda: connection(False), "127.0.0.1", 0, ssl=_tls(certificate), backlog=4096)
        told["tls_port"] = secure.sockets[0].getsockname()[1]
    print(json.dumps(told), flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def _tls(certificate: Path) -> ssl.SSLContext:
    """Make a certificate of our own, and leave the authority's where clients find it."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.num_tickets = 0
    authority.issue_cert("127.0.0.1", "localhost").configure_cert(context)
    return context


@dataclass(frozen=True)
class Running:
    """A server in a process of its own."""

    port: int
    pages: int
    tls_port: int = 0

    def url(self, secure: bool = False) -> str:
        """Return where a crawl begins."""
        return f"https://127.0.0.1:{self.tls_port}/" if secure else f"http://127.0.0.1:{self.port}/"

    def count(self) -> dict[str, Any]:
        """Return what was asked for since the last time."""
        with closing(HTTPConnection("127.0.0.1", self.port)) as connection:
            connection.request("GET", COUNT.decode())
            told: dict[str, Any] = json.loads(connection.getresponse().read())
        return told


@contextmanager
def running(*options: object) -> Iterator[Running]:
    """Serve for a while, in a process of its own."""
    command = [sys.executable, "-m", "bench.serve", *map(str, options)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stdin is not None and server.stdout is not None
        try:
            yield Running(**json.loads(server.stdout.readline()))
        finally:
            server.stdin.close()
            server.wait()


def main() -> None:
    """Build a site and serve it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documentation", action="store_true", help="what Debian packages left on this machine")
    parser.add_argument("--hosts", action="store_true", help="an endless small site under every host name")
    parser.add_argument("--tree", type=int, help="so many small pages under every host name")
    parser.add_argument("--sites", type=int, help="so many different sites, each under a host name of its own")
    for name, value in (("pages", 2_000), ("size", 25_000), ("links", 100)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--certificate", type=Path, help="also serve TLS; write the authority's certificate here")
    given = parser.parse_args()
    if given.hosts:
        uvloop.run(serve(of_hosts(), frozenset(), given.certificate, True))
        return
    if given.tree:
        uvloop.run(serve(of_tree(given.tree), frozenset(), given.certificate, False))
        return
    if given.sites:
        sites = (Generated(given.pages, given.size, given.links, seed).site() for seed in range(given.sites))
        uvloop.run(serve(of_sites(sites), frozenset(), given.certificate, False))
        return
    site = documentation() if given.documentation else Generated(given.pages, given.size, given.links).site()
    uvloop.run(serve(of_site(site), site.pages, given.certificate, False))


if __name__ == "__main__":
    main()
