"""What is no page has the limits of a file: it is asked what it is when it meets those of a page, in both ways of fetching."""

import asyncio
import gzip
from collections.abc import Callable

import pytest

from gossamer.fetchers import exchange
from gossamer.fetchers.exchange import HttpExchange
from gossamer.fetchers.http import HttpFetcher
from gossamer.records.fetch import Fetched
from gossamer.records.outcome import Outcome
from gossamer.testing.fetcher import RawServer, Reply, ask

PAGES = frozenset({"text/html", "text/plain"})
NOISE = bytes(range(256)) * 400  # 100 KiB
WORDS = b"<html>" + b"words of no use " * 6400
LIMITS = {"max_body": 10_000, "max_file": 50_000, "spool": 4096}


def whole(body: bytes, *lines: str) -> bytes:
    head = "\r\n".join(("HTTP/1.1 200 OK", f"Content-Length: {len(body)}", *lines, "", ""))
    return head.encode() + body


def chunked(body: bytes, *lines: str) -> bytes:
    head = "\r\n".join(("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", *lines, "", ""))
    pieces = b"".join(b"%x\r\n%s\r\n" % (len(body[at : at + 999]), body[at : at + 999]) for at in range(0, len(body), 999))
    return head.encode() + pieces + b"0\r\n\r\n"


def dripping(head: bytes, piece: bytes, pause: float = 0.02) -> Reply:
    """Say the head, then a piece again and again, for as long as anyone listens."""

    async def reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    return reply


async def fetched(fetcher: HttpFetcher, server: RawServer, **fields: object) -> Fetched:
    return await fetcher.fetch(ask(server.url("/x"), **({"pages": PAGES} | fields)))


@pytest.mark.parametrize(
    ("answer", "size"),
    [
        (whole(NOISE[:40_000], "Content-Type: video/mp4"), 40_000),
        (whole(NOISE[:40_000], "Content-Type: application/octet-stream"), 40_000),
        (whole(NOISE[:40_000]), 40_000),
        (whole(NOISE, "Content-Type: video/mp4"), 50_000),
        (whole(NOISE, "Content-Type: text/html"), 10_000),
        (whole(WORDS, "Content-Type: text/html"), 10_000),
        (whole(WORDS, "Content-Type: application/octet-stream"), 10_000),
        (whole(WORDS), 10_000),
        (whole(WORDS, "Content-Type: image/png"), 50_000),
        (whole(NOISE[:40_000], "Content-Type: video/mp4", "Content-Type: text/html"), 40_000),
        (whole(gzip.compress(NOISE, 0)[:30_000], "Content-Type: video/mp4", "Content-Encoding: gzip"), 30_000),
        (whole(gzip.compress(WORDS, 0), "Content-Encoding: gzip"), 10_000),
        (whole(gzip.compress(NOISE, 0)[:30_000], "Content-Encoding: gzip"), 30_000),
    ],
)
async def test_what_it_is_decides_how_long_it_may_be(
    server: RawServer, make: Callable[..., HttpFetcher], answer: bytes, size: int
) -> None:
    server.routes["/x"] = answer
    got = await fetched(make(**LIMITS), server)
    body = answer.partition(b"\r\n\r\n")[2]
    assert (got.outcome, got.body.size) == (Outcome.OK, size)
    assert got.truncated == ("" if size == len(body) else "length")
    assert got.body.read() == body[:size]
    got.body.close()


@pytest.mark.parametrize(("content", "is_file"), [(NOISE[:40_000], True), (WORDS[:40_000], False)])
async def test_a_chunked_body_is_known_by_what_is_in_its_chunks(
    server: RawServer, make: Callable[..., HttpFetcher], content: bytes, is_file: bool
) -> None:
    server.routes["/x"] = chunked(content)
    got = await fetched(make(**LIMITS), server)
    assert (got.truncated, got.body.size == 10_000) == (("", False) if is_file else ("length", True))
    got.body.close()


async def test_an_endless_file_is_cut_at_its_limit(server: RawServer, make: Callable[..., HttpFetcher]) -> None:
    server.routes["/x"] = dripping(b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n", NOISE, 0)
    got = await fetched(make(**(LIMITS | {"max_file": 5_000_000})), server)
    assert (got.outcome, got.truncated, got.body.size) == (Outcome.OK, "length", 5_000_000)
    got.body.close()


@pytest.mark.parametrize("fields", [{"pages": None}, {"max_body": 10_000}], ids=["every type is a page", "a limit of its own"])
async def test_only_who_asks_for_files_gets_one(
    server: RawServer, make: Callable[..., HttpFetcher], fields: dict[str, object]
) -> None:
    server.routes["/x"] = whole(NOISE, "Content-Type: video/mp4")
    got = await fetched(make(**LIMITS), server, **fields)
    assert (got.body.size, got.truncated) == (10_000, "length")
    got.body.close()


@pytest.mark.parametrize(("mime", "least"), [("video/mp4", 1.0), ("text/html", 0.3)])
async def test_a_file_may_take_longer_than_a_page(
    server: RawServer, make: Callable[..., HttpFetcher], mime: str, least: float
) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {mime}\r\nContent-Length: 1000000\r\n\r\n".encode()
    server.routes["/x"] = dripping(head, b"\0" * 10)
    got = await fetched(make(total_timeout=0.3, file_timeout=1.0), server)
    assert (got.outcome, got.truncated) == (Outcome.OK, "time")
    assert least - 0.02 <= got.ended - got.started < least + 0.6
    got.body.close()


async def test_a_slow_file_has_to_keep_the_minimum_rate(
    server: RawServer, make: Callable[..., HttpFetcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HttpExchange, "RATE_SECONDS", 1)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 1000000\r\n\r\n"
    server.routes["/x"] = dripping(head, b"\0")
    got = await fetched(make(total_timeout=0.3, file_timeout=60, min_rate=10_000), server)
    assert (got.outcome, got.truncated) == (Outcome.OK, "time")
    assert got.ended - got.started < 10
    got.body.close()


async def test_a_file_that_has_not_begun_has_the_time_of_a_page(server: RawServer, make: Callable[..., HttpFetcher]) -> None:
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 10\r\n\r\n")
        await reader.read()

    server.routes["/x"] = reply
    got = await fetched(make(total_timeout=0.3, file_timeout=60), server)
    assert got.outcome is Outcome.TIMED_OUT
    assert got.ended - got.started < 5


async def test_the_next_request_begins_as_if_there_had_been_no_file(
    server: RawServer, make: Callable[..., HttpFetcher]
) -> None:
    server.routes |= {"/x": whole(NOISE[:40_000], "Content-Type: video/mp4"), "/y": whole(WORDS, "Content-Type: text/html")}
    fetcher = make(**LIMITS)
    assert (await fetched(fetcher, server)).body.size == 40_000
    assert (await fetcher.fetch(ask(server.url("/y"), pages=PAGES))).body.size == 10_000


@pytest.mark.parametrize("way", ["ourselves"], indirect=True)
@pytest.mark.parametrize("size", [1, 20])
async def test_a_file_in_crumbs_is_cut_before_they_cost_too_much(
    server: RawServer, make: Callable[..., HttpFetcher], monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(exchange, "_MOST_CHUNKS", 1000)
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: video/mp4\r\n\r\n"
    server.routes["/x"] = dripping(head, b"%x\r\n%s\r\n" % (size, bytes(size)) * 100, 0)
    got = await fetched(make(**LIMITS | {"max_file": 5_000_000}), server)
    assert (got.outcome, got.truncated) == (Outcome.OK, "length")
    assert 10_000 < got.body.size < 500_000
    got.body.close()
