"""Every fetcher keeps the rules of `gossamer.testing.fetcher`."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from gossamer.clock import SystemClock
from gossamer.config.sections import Fetch
from gossamer.fetchers.file import FileFetcher
from gossamer.fetchers.http import HttpFetcher
from gossamer.joints.fetch import Fetcher
from gossamer.testing.fetcher import RULES, FetcherBench, RawServer
from gossamer.testing.resolver import StaticResolver

CONTENT = b"<p>" + b"hello " * 1000


class HttpBench:
    """A server on loopback."""

    content = CONTENT

    def __init__(self, server: RawServer) -> None:
        server.routes |= {
            "/page": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(CONTENT) + CONTENT,
            "/missing": b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            "/redirect": b"HTTP/1.1 301 Moved\r\nLocation: /page\r\nContent-Length: 0\r\n\r\n",
        }
        self.page, self.missing, self.redirect = (server.url(path) for path in ("/page", "/missing", "/redirect"))
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            self.unreachable = f"http://127.0.0.1:{unused.getsockname()[1]}/"

    async def open(self, settings: Fetch) -> Fetcher:
        return HttpFetcher(settings, StaticResolver({}), lambda address: "", SystemClock())


class FileBench:
    """A directory."""

    content = CONTENT
    unreachable = "file://other.example/page"

    def __init__(self, directory: Path) -> None:
        (directory / "page").write_bytes(CONTENT)
        (directory / "folder").mkdir()
        self.page, self.missing, self.redirect = ((directory / name).as_uri() for name in ("page", "missing", "folder"))

    async def open(self, settings: Fetch) -> Fetcher:
        return FileFetcher(settings, StaticResolver({}), lambda address: "", SystemClock())


@pytest.fixture(params=["http", "file"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[FetcherBench]:
    if request.param == "file":
        yield FileBench(tmp_path)
        return
    async with RawServer() as server:
        yield HttpBench(server)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_every_fetcher_keeps_the_rule(rule: Callable[[FetcherBench], Awaitable[None]], bench: FetcherBench) -> None:
    await asyncio.wait_for(rule(bench), 20)


async def test_every_fetcher_looks_like_its_joint(bench: FetcherBench) -> None:
    fetcher = await bench.open(Fetch())
    assert isinstance(fetcher, Fetcher)
    await fetcher.aclose()
