"""An answer belongs to its request: what was said before a request was sent is no part of it, in the clear or over TLS."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from gossamer.fetchers.http import HttpFetcher
from gossamer.fetchers.kept import Connection, ConnectionPool
from gossamer.records.outcome import Outcome
from gossamer.testing.fetcher import RawServer, ask

HI = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
NEXT = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext"
FAKE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nFAKE"
RECORD = b"\x17\x03\x03\x00\x40" + b"x" * 16  # the beginning of one

Writer = asyncio.StreamWriter


async def turns(number: int) -> None:
    """Let the loop turn some times."""
    for _ in range(number):
        await asyncio.sleep(0)


def says_more_at_once(server: RawServer) -> None:
    """Answer every request, and say another answer behind it, in a record of its own."""

    async def reply(_: asyncio.StreamReader, writer: Writer) -> None:
        writer.write(HI)
        await writer.drain()
        writer.write(FAKE)

    server.routes["/"] = reply


def says_more_when_told(server: RawServer, act: Callable[[Writer], None]) -> Callable[[], Awaitable[None]]:
    """Answer a request, and do something more on the connection when the test says so; return how to say so."""
    told, done = asyncio.Event(), asyncio.Event()

    async def reply(_: asyncio.StreamReader, writer: Writer) -> None:
        writer.write(HI)
        await told.wait()
        act(writer)
        done.set()

    async def tell() -> None:
        told.set()
        await done.wait()

    server.routes["/"] = reply
    return tell


async def test_a_second_answer_in_a_record_of_its_own_is_nobodys(server: RawServer, fetcher: HttpFetcher) -> None:
    says_more_at_once(server)
    server.routes["/next"] = NEXT
    for number in range(20):
        assert (await fetcher.fetch(ask(server.url()))).body.read() == b"hi"
        await turns(number % 7)
        answer = await fetcher.fetch(ask(server.url("/next")))
        assert answer.body.read() == b"next", answer.detail


@pytest.mark.parametrize("pause", [0, 1, 2, 20], ids=lambda pause: f"{pause} turns later")
async def test_words_on_an_idle_connection_are_nobodys_answer(server: RawServer, fetcher: HttpFetcher, pause: int) -> None:
    tell = says_more_when_told(server, lambda writer: writer.write(FAKE))
    server.routes["/next"] = NEXT
    assert (await fetcher.fetch(ask(server.url()))).body.read() == b"hi"
    await tell()
    await turns(pause)
    answer = await fetcher.fetch(ask(server.url("/next")))
    assert (answer.outcome, answer.body.read()) == (Outcome.OK, b"next")
    assert server.connections == 2


async def test_words_said_while_a_request_waits_for_its_turn_are_nobodys_answer(
    server: RawServer, fetcher: HttpFetcher
) -> None:
    tell = says_more_when_told(server, lambda writer: writer.write(FAKE))
    server.routes["/next"] = NEXT
    assert (await fetcher.fetch(ask(server.url()))).body.read() == b"hi"

    turns_taken = 0

    async def turn() -> str:
        nonlocal turns_taken
        turns_taken += 1
        if turns_taken == 1:
            await tell()
        return ""

    answer = await fetcher.fetch(replace(ask(server.url("/next")), turn=turn))
    assert (answer.outcome, answer.body.read()) == (Outcome.OK, b"next")
    assert server.connections == 2
    assert turns_taken == 2  # opening another connection took a while: what left since then may be too close


@pytest.mark.parametrize("way", ["tls"], indirect=True)
@pytest.mark.parametrize("said", [RECORD[:1], RECORD[:4], RECORD[:5], RECORD])
@pytest.mark.parametrize("pause", [0, 20])
async def test_the_beginning_of_a_record_is_nobodys_answer(
    server: RawServer, fetcher: HttpFetcher, said: bytes, pause: int
) -> None:
    def say_in_parts(writer: Writer) -> None:
        assert os.write(writer.get_extra_info("socket").fileno(), said) == len(said)

    tell = says_more_when_told(server, say_in_parts)
    server.routes["/next"] = NEXT
    assert (await fetcher.fetch(ask(server.url()))).body.read() == b"hi"
    await tell()
    await turns(pause)
    answer = await fetcher.fetch(ask(server.url("/next")))
    assert (answer.outcome, answer.body.read()) == (Outcome.OK, b"next")
    assert server.connections == 2


@pytest.mark.parametrize("pause", [0, 1, 2, 20])
async def test_a_connection_that_the_server_closed_is_not_asked(server: RawServer, fetcher: HttpFetcher, pause: int) -> None:
    tell = says_more_when_told(server, lambda writer: writer.close())
    server.routes["/next"] = NEXT
    assert (await fetcher.fetch(ask(server.url()))).body.read() == b"hi"
    await tell()
    await turns(pause)
    answer = await fetcher.fetch(ask(server.url("/next")))
    assert (answer.outcome, answer.body.read(), answer.unanswered) == (Outcome.OK, b"next", False), answer.detail


@asynccontextmanager
async def greeting(words: bytes, certificate: ssl.SSLContext | None) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """Run a server that speaks before it is asked, and then answers; yield its URL, and what is set when it spoke."""
    spoke = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: Writer) -> None:
        writer.write(words)
        spoke.set()
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(NEXT)
        except asyncio.IncompleteReadError:
            pass
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=certificate) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"{'https' if certificate else 'http'}://127.0.0.1:{port}/", spoke


def send_after(spoke: asyncio.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no request leave before the server spoke."""
    connect = ConnectionPool.connect

    async def connect_and_wait(self: ConnectionPool, connection: Connection, *places: object) -> None:
        await connect(self, connection, *places)  # type: ignore[arg-type]
        await spoke.wait()

    monkeypatch.setattr(ConnectionPool, "connect", connect_and_wait)


@pytest.mark.parametrize("words", [FAKE, b"HTTP/1.1 503 Busy\r\n\r\n", b"220 mail.example ESMTP\r\n", b"H"], ids=repr)
async def test_a_server_that_speaks_first_says_nothing_about_any_page(
    way: str, certificate: ssl.SSLContext, make: Callable[..., HttpFetcher], words: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with greeting(words, certificate if way == "tls" else None) as (url, spoke):
        send_after(spoke, monkeypatch)
        answer = await make().fetch(ask(url))
    assert (answer.outcome, answer.sent, answer.status) == (Outcome.PROTOCOL_ERROR, False, 0)
    assert "before it was asked" in answer.detail


async def test_what_tls_says_of_itself_is_no_word_of_the_server(
    way: str, certificate: ssl.SSLContext, make: Callable[..., HttpFetcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with greeting(b"", certificate if way == "tls" else None) as (url, ready):
        send_after(ready, monkeypatch)  # by then tickets for the next session wait to be read
        answer = await make().fetch(ask(url))
    assert (answer.outcome, answer.body.read()) == (Outcome.OK, b"next")


async def test_over_tls_an_end_without_a_word_may_be_anybodys_and_is_marked(
    server: RawServer, fetcher: HttpFetcher, way: str
) -> None:
    async def hang_up(_: asyncio.StreamReader, writer: Writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nhello")
        await writer.drain()
        writer.transport.abort()  # without close_notify

    server.routes["/"] = hang_up
    answer = await fetcher.fetch(ask(server.url()))
    assert (answer.outcome, answer.body.read()) == (Outcome.OK, b"hello")
    assert answer.truncated == ("disconnect" if way == "tls" else "")


async def test_a_server_that_hangs_up_at_once_did_not_speak(
    way: str, certificate: ssl.SSLContext, fetcher: HttpFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = asyncio.Event()

    async def hang_up(_: asyncio.StreamReader, writer: Writer) -> None:
        writer.close()
        try:
            await writer.wait_closed()
        except (OSError, ssl.SSLError):
            pass
        gone.set()

    send_after(gone, monkeypatch)
    async with await asyncio.start_server(hang_up, "127.0.0.1", 0, ssl=certificate if way == "tls" else None) as server:
        port = server.sockets[0].getsockname()[1]
        answer = await fetcher.fetch(ask(f"{'https' if way == 'tls' else 'http'}://127.0.0.1:{port}/"))
    assert answer.outcome is Outcome.PROTOCOL_ERROR
    assert "without an answer" in answer.detail
