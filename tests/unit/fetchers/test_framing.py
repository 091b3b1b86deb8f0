"""What heads say, plain ones and odd ones, and whether a connection may serve again behind them."""

import pytest

from gossamer.document.decode import is_chunked
from gossamer.document.head import fields_of
from gossamer.fetchers import framing
from gossamer.fetchers.framing import CHUNKED, UNTIL_CLOSE, Refused, ResponseHead, end_of_head, read_head

OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("fields", "extent", "keeps"),
    [
        (b"Content-Length: 5\r\n", 5, True),
        (b"Content-Length: 5\r\nConnection: close\r\n", 5, False),
        (b"Content-Length: 5, 5\r\n", 5, True),
        (b"Content-Length: 5\r\nContent-Length: 5\r\n", 5, True),
        (b"Content-Length: 5\r\nTransfer-Encoding: Chunked\r\n", CHUNKED, False),
        (b"Transfer-Encoding: Chunked\r\n", CHUNKED, True),
        (b"Transfer-Encoding: chunked, gzip\r\n", CHUNKED, False),
        (b"Transfer-Encoding: chunked, chunked\r\n", CHUNKED, False),
        (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", CHUNKED, False),
        (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", CHUNKED, False),
        (b"Transfer-Encoding : chunked\r\n", CHUNKED, False),
        (b"Transfer-Encoding: \x0bchunked\r\n", CHUNKED, False),
        (b"Transfer-Encoding: \xa0chunked\r\n", CHUNKED, False),
        (b"Transfer-Encoding: xchunked\r\n", UNTIL_CLOSE, False),
        (b"X: \xe9\r\nContent-Length: 5\r\n", 5, True),
        (b"X y: z\r\nContent-Length: 5\r\n", 5, False),
        (b" Content-Length: 6\r\nContent-Length: 5\r\n", 5, False),
        (b"Transfer-Encoding: gzip, chunked\r\n", CHUNKED, True),
        (b"Transfer-Encoding: foo\r\nContent-Length: 5\r\n", UNTIL_CLOSE, False),
        (b"Content-Length: 99999999999999999999999\r\n", UNTIL_CLOSE, False),
        (b"Content-Length : 5\r\n", 5, False),
        (b"", UNTIL_CLOSE, False),
    ],
)
def test_where_a_body_ends(fields: bytes, extent: int, keeps: bool) -> None:
    answer = read_head(OK + fields + b"\r\n")
    assert isinstance(answer, ResponseHead)
    assert (answer.extent, answer.keeps) == (extent, keeps)
    assert answer.head.raw == OK + fields + b"\r\n"
    assert (
        answer.head.chunked is (extent == CHUNKED) is is_chunked(answer.head.headers) is is_chunked(fields_of(answer.head.raw))
    )


@pytest.mark.parametrize(
    ("line", "status", "extent", "keeps"),
    [
        (b"HTTP/1.1 204 None", 204, 0, True),
        (b"HTTP/1.1 304 Same", 304, 0, True),
        (b"HTTP/1.1 101 Switching", 101, UNTIL_CLOSE, False),
        (b"HTTP/1.0 200 OK", 200, 5, False),
        (b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive", 200, 5, True),
        (b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nTransfer-Encoding: chunked", 200, CHUNKED, False),
        (b"HTTP/1.1 204 None\r\nTransfer-Encoding: chunked", 204, 0, False),
        (b"http/1.1 200 OK", 200, 5, False),
        (b"HTTP/2 200", 200, 5, False),
    ],
)
def test_what_the_status_line_says_of_body_and_connection(line: bytes, status: int, extent: int, keeps: bool) -> None:
    answer = read_head(line + b"\r\nContent-Length: 5\r\n\r\n")
    assert isinstance(answer, ResponseHead)
    assert (answer.head.status, answer.extent, answer.keeps) == (status, extent, keeps)


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (OK + b"no colon\r\nContent-Length: five\r\n\r\n", "Invalid Content-Length: value"),
        (OK + b"Content-Length: 5\r\n 0\r\n\r\n", "Invalid Content-Length: value"),
        (OK + b"Content-Length: +5\r\n\r\n", "Invalid Content-Length: value"),
        (OK + b"X: a\0\r\n\r\n", "NUL byte in header"),
        (OK + b"X: a\rb\r\n\r\n", "Carriage return found in header"),
        (OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", "Invalid Content-Length: value"),
        (OK + b"Content-Length: \xb2\r\n\r\n", "Invalid Content-Length: value"),
        (OK + b"Location: /a\r\nLocation: /b\r\n\r\n", "Multiple Location headers"),
        (OK + b"X: y\r\n" * 5_001 + b"\r\n", "Too many response headers, 5000 is max"),
        (b"HTTP/1.7 200 OK\r\n\r\n", "Unsupported HTTP/1 subversion in response"),
        (b"ICY 200 OK\r\n\r\n", "Received HTTP/0.9 when not allowed"),
    ],
)
def test_a_head_nobody_can_mean_is_refused_with_a_reason(head: bytes, text: str) -> None:
    refused = read_head(head)
    assert isinstance(refused, Refused)
    assert refused.text == text


@pytest.mark.parametrize("end", [b"\r\n\r\n", b"\n\n", b"\n\r\n", b"\r\n\n"], ids=repr)
def test_a_head_ends_at_its_first_blank_line_however_that_is_written(end: bytes) -> None:
    head = b"HTTP/1.1 200 OK" + end
    assert end_of_head(head + b"body\r\n\r\nmore\n\n") == len(head)
    assert [end_of_head(head[:size]) for size in range(len(head))] == [0] * len(head)


def test_lines_are_remembered_within_bounds_and_read_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "_REMEMBERED", 3)
    monkeypatch.setattr(framing, "_field_lines", {})
    heads = [OK + b"X-%d:  y \r\nLong: %s\r\n\r\n" % (number, b"z" * 300) for number in range(10)]
    for head in heads * 2:
        answer = read_head(head)
        assert isinstance(answer, ResponseHead)
        assert answer.head.headers == ((head[17:20].decode().lower(), "y"), ("long", "z" * 300))
        assert len(framing._field_lines) <= 3
