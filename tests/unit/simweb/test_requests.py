"""Request heads: what is taken, and what is refused."""

import pytest

from gossamer.simweb.requests import Malformed, RequestHead, read_head


def test_a_request_is_read_without_port_and_case_of_its_host() -> None:
    head = b"GET /a?b=c HTTP/1.1\r\nhost: H0001.SIM:8080\r\nConnection: Close\r\nAccept-Encoding: gzip\r\nAccept: */*"
    assert read_head(head) == RequestHead("GET", "h0001.sim", "/a?b=c", True, "gzip")


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1",
        b"GET /\r\nHost: a",
        b"GET / HTTP/1.0\r\nHost: a",
        b"GET / HTTP/2\r\nHost: a",
        b"GET  / HTTP/1.1\r\nHost: a",
        b"GET http://a/ HTTP/1.1\r\nHost: a",
        b"GET /\x00 HTTP/1.1\r\nHost: a",
        b"G=T / HTTP/1.1\r\nHost: a",
        b"GET / HTTP/1.1\r\nHost a",
        b"GET / HTTP/1.1\r\nHost : a",
        b"GET / HTTP/1.1\r\nHost: a\r\nAccept : b",
        b"GET / HTTP/1.1\r\nHost: a\r\n folded: b",
        b"GET / HTTP/1.1\r\n Host: a",
        b"GET / HTTP/1.1\r\nHost: a\nX: b",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3",
        b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked",
        b"",
    ],
)
def test_what_is_no_request_of_a_page_is_refused(head: bytes) -> None:
    with pytest.raises(Malformed):
        read_head(head)
