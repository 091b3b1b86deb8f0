"""Replies no standard allows: read where browsers read them, refused with a reason where nobody can."""

import asyncio

import pytest

from gossamer.document.decode import dechunk
from gossamer.fetchers.http import HttpFetcher
from gossamer.records.outcome import Outcome
from gossamer.testing.fetcher import RawServer, ask

OK = b"HTTP/1.1 200 OK\r\n"

READ = {
    "lines end in a bare LF": (b"HTTP/1.1 200 OK\nContent-Length: 5\nX:  y \n\nhello", 200, b"hello", ""),
    "no reason": (b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello", ""),
    "lower-case version": (b"http/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello", ""),
    "HTTP/1.0 without a length": (b"HTTP/1.0 200 OK\r\n\r\nhello", 200, b"hello", ""),
    "no headers at all": (b"HTTP/1.1 200 OK\r\n\r\nhello", 200, b"hello", ""),
    "a space before the colon": (OK + b"Content-Length : 5\r\n\r\nhello", 200, b"hello", ""),
    "an empty header name": (OK + b": x\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello", ""),
    "a first header that is folded": (OK + b" folded: x\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello", ""),
    "the same length twice": (OK + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello", ""),
    "a list of one length": (OK + b"Content-Length: 5, 5\r\n\r\nhello", 200, b"hello", ""),
    "a length beyond all numbers": (OK + b"Content-Length: 99999999999999999999999\r\n\r\nhello", 200, b"hello", ""),
    "a length that is too long": (OK + b"Content-Length: 50\r\n\r\nhello", 200, b"hello", "disconnect"),
    "a length that is too short": (OK + b"Content-Length: 3\r\n\r\nhello", 200, b"hel", ""),
    "a length beside chunks": (
        OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        200,
        b"5\r\nhello\r\n0\r\n\r\n",
        "",
    ),
    "an unknown transfer coding": (OK + b"Transfer-Encoding: foo\r\n\r\nhello", 200, b"hello", ""),
    "the identity transfer coding": (OK + b"Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello", ""),
    "chunks that end in LF": (OK + b"Transfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n", 200, b"5\nhello\n0\n\n", ""),
    "a chunk size that is none": (
        OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\nmore",
        200,
        b"5\r\nhello\r\nzz\r\nmore",
        "unspecified",
    ),
    "chunks that are none": (OK + b"Transfer-Encoding: chunked\r\n\r\n<p>hello</p>", 200, b"<p>hello</p>", "unspecified"),
    "chunks without an end": (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", 200, b"5\r\nhello\r\n", "disconnect"),
    "a status nobody knows": (b"HTTP/1.1 999 Go away\r\nContent-Length: 5\r\n\r\nhello", 999, b"hello", ""),
    "a status of four digits": (b"HTTP/1.1 2000 OK\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello", ""),
    "an HTTP/2 status line": (b"HTTP/2 200\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello", ""),
    "a content coding that is none": (OK + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello", ""),
    "an upgrade nobody asked for": (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nhello", 101, b"hello", ""),
    "a body after 204": (b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", 204, b"", ""),
    "a body after 304": (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello", 304, b"", ""),
}

REFUSED = {
    "nothing": b"",
    "a page without a head": b"<html>hello</html>",
    "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "a mail server": b"220 mail.example ESMTP\r\n",
    "an ICY stream": b"ICY 200 OK\r\n\r\nhello",
    "zero bytes": b"\0" * 100,
    "blank lines first": b"\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "a head cut in a line": b"HTTP/1.1 200 OK\r\nContent-Len",
    "a head cut between lines": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
    "interim answers and no other": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n",
    "a status of zero": b"HTTP/1.1 000 OK\r\nContent-Length: 5\r\n\r\nhello",
    "a status of letters": b"HTTP/1.1 abc OK\r\nContent-Length: 5\r\n\r\nhello",
    "a version that is none": b"HTTP/1.9 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "a zero byte in a header": OK + b"X: a\0b\r\nContent-Length: 5\r\n\r\nhello",
    "a bare CR in a header": OK + b"X: a\rb\r\nContent-Length: 5\r\n\r\nhello",
    "two lengths": OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "a negative length": OK + b"Content-Length: -5\r\n\r\nhello",
    "a length in letters": OK + b"Content-Length: five\r\n\r\nhello",
    "two places to go": b"HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
    "a line longer than all limits": OK + b"X: " + b"y" * 200_000 + b"\r\n\r\nhello",
    "more headers than all limits": OK + b"X: y\r\n" * 6000 + b"\r\nhello",
}


def once(server: RawServer, raw: bytes) -> None:
    """Let the server say it and close the connection."""

    async def reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        await writer.drain()
        writer.close()

    server.routes["/"] = reply


@pytest.mark.parametrize("case", READ)
async def test_what_browsers_read_is_kept(server: RawServer, fetcher: HttpFetcher, case: str) -> None:
    raw, status, body, truncated = READ[case]
    once(server, raw)
    answer = await fetcher.fetch(ask(server.url()))
    assert answer.outcome is Outcome.OK, answer.detail
    assert (answer.status, answer.body.read(), answer.truncated) == (status, body, truncated)
    assert raw.startswith(answer.response_head)
    assert len(server.requests) == 1


@pytest.mark.parametrize("case", REFUSED)
async def test_what_nobody_can_read_is_a_protocol_error_with_a_reason(
    server: RawServer, fetcher: HttpFetcher, case: str
) -> None:
    once(server, REFUSED[case])
    answer = await fetcher.fetch(ask(server.url()))
    assert answer.outcome is Outcome.PROTOCOL_ERROR, answer
    assert answer.detail
    assert (answer.status, answer.response_head, answer.headers, answer.body.size) == (0, b"", (), 0)
    assert answer.sent
    assert len(server.requests) == 1


async def test_a_folded_header_is_read_as_one_line(server: RawServer, fetcher: HttpFetcher) -> None:
    once(server, OK + b"X-Folded: a\r\n  b\r\n\tc\r\nContent-Length: 5\r\n\r\nhello")
    answer = await fetcher.fetch(ask(server.url()))
    assert answer.header("x-folded") == "a b c"
    assert b"X-Folded: a\r\n  b\r\n\tc\r\n" in answer.response_head  # as it came
    assert answer.body.read() == b"hello"


async def test_content_that_only_claims_to_be_chunked_can_still_be_read(server: RawServer, fetcher: HttpFetcher) -> None:
    once(server, READ["chunks that are none"][0])
    answer = await fetcher.fetch(ask(server.url()))
    assert answer.chunked
    assert dechunk(answer.body.read()) == b"<p>hello</p>"


ODD = OK + b"this is no header\r\n"
LENIENT = {
    "with a length": (ODD + b"Content-Length: 5\r\n\r\nhello", b"hello", ""),
    "with bytes behind its length": (ODD + b"Content-Length: 5\r\n\r\nhello and more", b"hello", ""),
    "without a length": (ODD + b"\r\nhello", b"hello", ""),
    "after an interim answer": (b"HTTP/1.1 100 Continue\r\n\r\n" + ODD + b"Content-Length: 5\r\n\r\nhello", b"hello", ""),
    "in chunks": (ODD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n0\r\n\r\n", ""),
    "in chunks without an end": (ODD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", b"5\r\nhello\r\n", "disconnect"),
    "with a length that is too long": (ODD + b"Content-Length: 50\r\n\r\nhello", b"hello", "disconnect"),
}


@pytest.mark.parametrize("case", LENIENT)
async def test_a_line_without_a_colon_is_passed_over_and_marked(server: RawServer, fetcher: HttpFetcher, case: str) -> None:
    raw, body, truncated = LENIENT[case]
    once(server, raw)
    answer = await fetcher.fetch(ask(server.url()))
    assert (answer.outcome, answer.status, answer.truncated) == (Outcome.OK, 200, truncated), answer.detail
    assert answer.body.read() == body
    assert answer.response_head in raw and answer.response_head.startswith(ODD)
    assert "this is no header" not in dict(answer.headers)
    assert answer.detail
    assert len(server.requests) == 1
    assert 0 < answer.started <= answer.answered <= answer.ended


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 20", b"HTTP/1.1 200 OK\r\nContent-Ty"], ids=repr)
async def test_after_a_failure_the_next_request_goes_over_a_new_connection(
    server: RawServer, fetcher: HttpFetcher, said: bytes
) -> None:
    server.routes["/good"] = OK + b"Content-Length: 2\r\n\r\nhi"
    once(server, said)
    assert (await fetcher.fetch(ask(server.url("/good")))).outcome is Outcome.OK
    for number in (2, 3, 4):
        assert (await fetcher.fetch(ask(server.url()))).outcome is not Outcome.OK
        assert len(server.requests) == number
    assert (await fetcher.fetch(ask(server.url("/good")))).outcome is Outcome.OK
