"""Connections of our own: kept while they are of use, given up when they are not, and never more than configured."""

import asyncio
import socket
from collections.abc import Callable

import pytest

from gossamer.fetchers import kept
from gossamer.fetchers.http import HttpFetcher
from gossamer.records.outcome import Outcome
from gossamer.testing.fetcher import RawServer, ask

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


async def until(holds: Callable[[], bool]) -> None:
    """Let the loop turn until something holds."""
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0)


async def test_an_idle_connection_that_the_server_closes_is_forgotten_at_once(server: RawServer, fetcher: HttpFetcher) -> None:
    async def last_word(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HELLO)
        await writer.drain()
        writer.close()

    server.routes |= {"/last": last_word, "/": HELLO}
    assert (await fetcher.fetch(ask(server.url("/last")))).body.read() == b"hello"
    await until(lambda: fetcher._kept.idle == 0)
    assert (await fetcher.fetch(ask(server.url()))).outcome is Outcome.OK
    assert server.connections == 2


async def test_words_nobody_asked_for_are_no_answer_to_the_next_request(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes |= {"/": HELLO + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", "/next": HELLO}
    assert (await fetcher.fetch(ask(server.url()))).body.read() == b"hello"
    assert (await fetcher.fetch(ask(server.url("/next")))).body.read() == b"hello"
    assert server.connections == 2

    async def twice(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HELLO)
        await writer.drain()
        while fetcher._kept.idle == 0:
            await asyncio.sleep(0)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")

    server.routes["/twice"] = twice
    assert (await fetcher.fetch(ask(server.url("/twice")))).body.read() == b"hello"
    await until(lambda: fetcher._kept.idle == 0)
    assert (await fetcher.fetch(ask(server.url("/next")))).body.read() == b"hello"


async def test_no_more_connections_are_kept_than_configured_and_the_newest_are(
    server: RawServer, make: Callable[..., HttpFetcher]
) -> None:
    names = {f"h{number}.example": ("127.0.0.1",) for number in range(5)}
    server.routes["/"] = HELLO
    fetcher = make(names, connections=2)
    for host in names:
        await fetcher.fetch(ask(server.url("/", host)))
        assert fetcher._kept.idle <= 2
    for host in list(names)[-2:]:
        await fetcher.fetch(ask(server.url("/", host)))
    assert server.connections == 5
    await asyncio.gather(*(fetcher.fetch(ask(server.url("/", host))) for host in names))
    assert fetcher._kept.idle <= 2


async def test_a_connection_that_was_idle_for_too_long_is_not_used_again(
    server: RawServer, fetcher: HttpFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.routes["/"] = HELLO
    await fetcher.fetch(ask(server.url()))
    monkeypatch.setattr(kept, "IDLE_SECONDS", 0.0)
    assert (await fetcher.fetch(ask(server.url()))).outcome is Outcome.OK
    assert server.connections == 2


async def test_an_address_that_keeps_silent_does_not_keep_the_next_one_waiting(
    serving: Callable[..., RawServer], make: Callable[..., HttpFetcher]
) -> None:
    async with serving("127.0.0.3") as listening:
        listening.routes["/"] = HELLO
        with socket.socket() as full:
            full.bind(("127.0.0.2", listening.port))
            full.listen(0)
            waiting = [socket.socket() for _ in range(4)]
            for client in waiting:  # fill the backlog, so that the next connect gets no answer
                client.setblocking(False)
                client.connect_ex(full.getsockname())
            fetcher = make({"mixed.example": ("127.0.0.2", "127.0.0.3")}, connect_timeout=20)
            answer = await fetcher.fetch(ask(listening.url("/", "mixed.example")))
            for client in waiting:
                client.close()
    assert (answer.outcome, answer.address) == (Outcome.OK, "127.0.0.3")
    assert answer.ended - answer.started < 10


async def test_a_fetch_that_is_connecting_ends_when_the_fetcher_is_closed(make: Callable[..., HttpFetcher]) -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(full.getsockname())
        fetcher = make()
        fetching = asyncio.create_task(fetcher.fetch(ask(f"http://127.0.0.1:{full.getsockname()[1]}/")))
        await until(lambda: bool(fetcher._kept._connecting))
        await fetcher.aclose()
        with pytest.raises(asyncio.CancelledError):
            await fetching
        for client in waiting:
            client.close()
