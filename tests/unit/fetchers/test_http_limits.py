"""Every limit holds, and what came before it is kept and marked."""

import asyncio
import resource
import socket
import struct
from collections.abc import Callable

import pytest

from gossamer.fetchers.exchange import HttpExchange
from gossamer.fetchers.http import HttpFetcher
from gossamer.records.outcome import Outcome
from gossamer.testing.fetcher import RawServer, Reply, ask


def slowly(*pieces: bytes) -> Reply:
    """Say the pieces, then nothing more, and keep the connection open."""

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        await reader.read()

    return reply


def dripping(head: bytes) -> Reply:
    """Say the head, then a byte every hundredth of a second for as long as anyone listens."""

    async def reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.01)

    return reply


def endless(head: bytes) -> Reply:
    """Never stop talking."""

    async def reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(b"y" * 65536)
            await writer.drain()

    return reply


def resetting(*pieces: bytes) -> Reply:
    """Say the pieces, then reset the connection."""

    async def reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        await asyncio.sleep(0.05)
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    return reply


async def test_a_body_exactly_at_the_limit_is_whole(server: RawServer, make: Callable[..., HttpFetcher]) -> None:
    server.routes["/"] = b"HTTP/1.1 200 OK\r\nContent-Length: 1024\r\n\r\n" + b"x" * 1024
    answer = await make(max_body=1024).fetch(ask(server.url()))
    assert (answer.body.size, answer.truncated) == (1024, "")


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
    ],
)
async def test_an_endless_body_is_cut_at_the_limit_and_marked(
    server: RawServer, make: Callable[..., HttpFetcher], head: bytes
) -> None:
    server.routes["/"] = endless(head)
    answer = await make(max_body=100_000, spool=1024).fetch(ask(server.url()))
    assert (answer.outcome, answer.truncated, answer.body.size) == (Outcome.OK, "length", 100_000)
    assert answer.body.read().endswith(b"y" * 1000)
    answer.body.close()


async def test_the_limit_of_a_request_comes_before_the_configured_one(
    server: RawServer, make: Callable[..., HttpFetcher]
) -> None:
    server.routes["/"] = b"HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n" + b"x" * 3000
    fetcher = make(max_body=2000)
    assert (await fetcher.fetch(ask(server.url(), max_body=10))).body.size == 10
    assert (await fetcher.fetch(ask(server.url(), max_body=2500))).body.size == 2500
    assert (await fetcher.fetch(ask(server.url()))).body.size == 2000


async def test_headers_beyond_the_limit_are_no_answer(server: RawServer, make: Callable[..., HttpFetcher]) -> None:
    line = b"X: " + b"y" * 995 + b"\r\n"
    fetcher = make(max_headers=4096)
    for path, lines, body in (("/few", 3, b"hello"), ("/many", 5, b"hello"), ("/bare", 5, b"")):
        server.routes[path] = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n" % len(body) + line * lines + b"\r\n" + body
    assert (await fetcher.fetch(ask(server.url("/few")))).outcome is Outcome.OK
    for path in ("/many", "/bare"):
        answer = await fetcher.fetch(ask(server.url(path)))
        assert answer.outcome is Outcome.PROTOCOL_ERROR
        assert "fetch.max_headers" in answer.detail


@pytest.mark.parametrize(
    "flood", [b"X: y\r\n", b"X: " + b"y" * 10_000 + b"\r\n", b"HTTP/1.1 100 Continue\r\n\r\n", b"z" * 10_000], ids=repr
)
async def test_a_flood_of_header_bytes_ends_early(server: RawServer, fetcher: HttpFetcher, flood: bytes) -> None:
    sent = 0

    async def reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\n" if not flood.startswith(b"HTTP") else b"")
        while True:
            writer.write(flood * (100_000 // len(flood)))
            sent += 100_000
            await writer.drain()

    server.routes["/"] = reply
    answer = await fetcher.fetch(ask(server.url()))
    assert answer.outcome is Outcome.PROTOCOL_ERROR
    assert answer.detail
    assert sent < 20_000_000


async def test_a_host_that_accepts_no_connection_times_out_in_time(make: Callable[..., HttpFetcher]) -> None:
    full = socket.socket()
    full.bind(("127.0.0.1", 0))
    full.listen(0)
    waiting = [socket.socket() for _ in range(4)]
    for client in waiting:  # fill the backlog, so that the next connect gets no answer
        client.setblocking(False)
        client.connect_ex(full.getsockname())
    try:
        answer = await make(connect_timeout=0.2, total_timeout=20).fetch(ask(f"http://127.0.0.1:{full.getsockname()[1]}/"))
    finally:
        for opened in (*waiting, full):
            opened.close()
    assert answer.outcome is Outcome.TIMED_OUT
    assert answer.detail.startswith("no connection in time")
    assert answer.request_head == b""
    assert 0.19 <= answer.ended - answer.started < 5


@pytest.mark.parametrize(
    "said", [b"", b"HTTP/1.1 200 OK\r\nContent-Le", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"], ids=repr
)
async def test_no_answer_within_the_total_time_is_timed_out(
    server: RawServer, make: Callable[..., HttpFetcher], said: bytes
) -> None:
    server.routes["/"] = slowly(said)
    answer = await make(total_timeout=0.2).fetch(ask(server.url()))
    assert (answer.outcome, answer.status, answer.body.size) == (Outcome.TIMED_OUT, 0, 0)
    assert answer.detail.startswith("no answer in time")
    assert answer.sent
    assert 0.1 <= answer.ended - answer.started < 5  # the handshake was part of the time


async def test_the_end_of_waiting_is_when_a_silent_host_answered(server: RawServer, make: Callable[..., HttpFetcher]) -> None:
    server.routes["/"] = slowly()
    answer = await make(total_timeout=0.2).fetch(ask(server.url()))
    assert answer.answered == answer.ended


async def test_a_body_that_takes_too_long_is_kept_as_far_as_it_came(
    server: RawServer, make: Callable[..., HttpFetcher]
) -> None:
    server.routes["/"] = slowly(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", b"hello")
    answer = await make(total_timeout=0.3).fetch(ask(server.url()))
    assert (answer.outcome, answer.truncated, answer.body.read()) == (Outcome.OK, "time", b"hello")


async def test_a_body_slower_than_the_minimum_rate_is_cut(
    server: RawServer, make: Callable[..., HttpFetcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HttpExchange, "RATE_SECONDS", 1)
    server.routes["/"] = dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    answer = await make(min_rate=10_000).fetch(ask(server.url()))
    assert (answer.outcome, answer.truncated) == (Outcome.OK, "time")
    assert 0 < answer.body.size < 1000
    assert answer.ended - answer.started < 10


@pytest.mark.parametrize("status", [302, 404, 503])
@pytest.mark.parametrize(("end", "word"), [(slowly, "time"), (resetting, "disconnect")])
async def test_a_status_that_says_it_all_needs_no_body(
    server: RawServer, make: Callable[..., HttpFetcher], status: int, end: Callable[..., Reply], word: str
) -> None:
    server.routes["/"] = end(b"HTTP/1.1 %d X\r\nLocation: /next\r\nContent-Length: 10\r\n\r\n" % status)
    answer = await make(total_timeout=0.3).fetch(ask(server.url()))
    assert (answer.outcome, answer.status, answer.truncated, answer.body.size) == (Outcome.OK, status, word, 0)
    assert answer.header("location") == "/next"


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n"]
)
async def test_a_connection_lost_in_the_body_keeps_what_came(server: RawServer, fetcher: HttpFetcher, head: bytes) -> None:
    async def close(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head + b"hello")
        writer.close()

    server.routes |= {"/close": close, "/reset": resetting(head, b"hello")}
    for path in ("/close", "/reset"):
        answer = await fetcher.fetch(ask(server.url(path)))
        assert (answer.outcome, answer.truncated) == (Outcome.OK, "disconnect")
        assert (answer.response_head + answer.body.read()) == head + b"hello"


async def test_a_connection_lost_before_any_byte_is_a_failed_connection(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes["/"] = resetting()
    answer = await fetcher.fetch(ask(server.url()))
    assert answer.outcome is Outcome.CONNECT_FAILED
    assert (answer.sent, answer.unanswered) == (True, False)


async def test_a_port_nobody_listens_on_is_a_failed_connection(fetcher: HttpFetcher) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    answer = await fetcher.fetch(ask(f"http://127.0.0.1:{port}/"))
    assert answer.outcome is Outcome.CONNECT_FAILED
    assert answer.detail.startswith("no connection")
    assert answer.request_head == b""


async def test_no_descriptor_left_is_said_and_passes(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes["/"] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        answer = await fetcher.fetch(ask(server.url()))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert (answer.outcome, answer.sent) == (Outcome.CONNECT_FAILED, False)
    assert "ulimit -n" in answer.detail
    assert (await fetcher.fetch(ask(server.url()))).outcome is Outcome.OK
