"""A request whose turn is over does not leave: a process that was stopped for long wakes up to turns that are not its own."""

from collections.abc import Callable

from gossamer.clock import SystemClock
from gossamer.fetchers.http import HttpFetcher
from gossamer.records.fetch import Request
from gossamer.testing.fetcher import RawServer

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


async def test_no_request_leaves_after_its_turn(server: RawServer, make: Callable[..., HttpFetcher]) -> None:
    server.routes["/"] = HELLO
    fetcher, now = make(), SystemClock().now()
    late = await fetcher.fetch(Request(url=server.url("/"), user_agent="test", until=now - 1))
    assert (late.sent, late.status, server.requests) == (False, 0, [])
    soon = await fetcher.fetch(Request(url=server.url("/"), user_agent="test", until=now + 60))
    assert (soon.sent, soon.status, len(server.requests)) == (True, 200, 1)
