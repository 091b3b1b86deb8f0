"""A web of the default size, a running server of a small one, and a client that knows no more HTTP than it needs."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import pytest

from gossamer.simweb.ledger import RequestLedger
from gossamer.simweb.server import SimwebServer
from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.web import Web, build


@pytest.fixture(scope="session")
def web() -> Web:
    """The default web, for a server that is never started."""
    return build(SimwebSettings(), port=8080)


@pytest.fixture(scope="session")
def light_web() -> Web:
    """The default web with short pages, for tests that read all of it."""
    return build(SimwebSettings(max_bytes=8_000), port=8080)


@pytest.fixture
async def server() -> AsyncIterator[SimwebServer]:
    """A running server of a small web with every kind of host, which keeps its ledger in memory."""
    running = SimwebServer(SimwebSettings(hosts=12, pages=120, seed=3), RequestLedger(keep=True))
    await running.start()
    yield running
    await running.stop()


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    wire: bytes


class Client:
    """One connection; reads answers by their framing and keeps their exact bytes."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def __aenter__(self) -> "Client":
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.writer.close()

    def send(self, host: str, path: str, method: str = "GET", codings: str = "gzip, br") -> None:
        lines = (f"{method} {path} HTTP/1.1", f"Host: {host}:{self.port}", f"Accept-Encoding: {codings}", "", "")
        self.writer.write("\r\n".join(lines).encode())

    async def receive(self, has_body: bool = True) -> Reply:
        head = await self.reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").rstrip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await self._body(headers) if has_body else b""
        return Reply(int(first.split(" ")[1]), headers, head + body)

    async def _body(self, headers: dict[str, str]) -> bytes:
        if "content-length" in headers:
            return await self.reader.readexactly(int(headers["content-length"]))
        if headers.get("transfer-encoding") != "chunked":
            return await self.reader.read()
        body = b""
        while True:
            line = await self.reader.readuntil(b"\r\n")
            body += line + await self.reader.readexactly(int(line, 16) + 2)
            if line == b"0\r\n":
                return body

    async def get(self, host: str, path: str, **how: str) -> Reply:
        self.send(host, path, **how)
        return await self.receive(has_body=how.get("method") != "HEAD")


@pytest.fixture(scope="session")
def client() -> Callable[[int], Client]:
    """The class of the client; open it with the server's port."""
    return Client
