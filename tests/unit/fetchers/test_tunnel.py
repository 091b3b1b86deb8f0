"""Through a proxy as without: the address is judged here, an answer belongs to its request, and limits hold."""

from base64 import b64encode
from collections.abc import Callable

import pytest
from proxying import proxy_running
from serving import closed_port

from gossamer.fetchers.http import HttpFetcher
from gossamer.records.access import Proxy, Secret
from gossamer.records.fetch import Request
from gossamer.records.outcome import Outcome
from gossamer.testing.fetcher import RawServer

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
SCHEMES = ("http", "socks5")
Make = Callable[..., HttpFetcher]


def through(url: str, proxy: Proxy) -> Request:
    return Request(url=url, user_agent="gossamer-test/1", proxy=proxy)


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_the_proxy_is_given_the_address_and_its_connection_is_kept(server: RawServer, make: Make, scheme: str) -> None:
    server.routes["/"] = HELLO
    fetcher = make()
    async with proxy_running() as proxy:
        for _ in range(3):
            answer = await fetcher.fetch(through(server.url("/", "site.example"), Proxy(scheme, "127.0.0.1", proxy.port)))
            assert (answer.outcome, answer.body.read(), answer.address) == (Outcome.OK, b"hello", "127.0.0.1"), answer.detail
    assert proxy.sent_to == [f"127.0.0.1:{server.port}"]
    assert [answer.request_head] * 3 == server.requests


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_private_address_is_refused_before_the_proxy_hears_of_it(server: RawServer, make: Make, scheme: str) -> None:
    async with proxy_running() as proxy:
        fetcher = make(allow_private=())  # the proxy's own address is the operator's word
        for host in ("site.example", "127.0.0.1", "localhost"):
            names = {"localhost": ("127.0.0.1",)}
            fetcher = make(names, allow_private=())
            for resolves in (False, True)[: 1 if host == "site.example" else 2]:
                way = Proxy(scheme, "127.0.0.1", proxy.port, resolves)
                answer = await fetcher.fetch(through(server.url("/", host), way))
                assert (answer.outcome, answer.sent) == (Outcome.ADDRESS_REFUSED, False), (host, resolves)
    assert (proxy.connections, server.connections) == (0, 0)


async def test_a_name_that_changes_its_mind_is_refused_at_the_connect(server: RawServer, make: Make) -> None:
    verdicts = ["", "127.0.0.1 changed its mind"]
    async with proxy_running() as proxy:
        fetcher = make(guard=lambda address: verdicts.pop(0))
        answer = await fetcher.fetch(through(server.url("/", "site.example"), Proxy("http", "127.0.0.1", proxy.port)))
    assert (answer.outcome, answer.detail) == (Outcome.ADDRESS_REFUSED, "127.0.0.1 changed its mind")
    assert proxy.sent_to == []


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_proxy_that_resolves_is_given_the_name(server: RawServer, make: Make, scheme: str) -> None:
    server.routes["/"] = HELLO
    async with proxy_running() as proxy:
        fetcher = make({"site.example": ()}, allow_private=())
        answer = await fetcher.fetch(through(server.url("/", "site.example"), Proxy(scheme, "127.0.0.1", proxy.port, True)))
    assert (answer.outcome, answer.address) == (Outcome.OK, ""), answer.detail
    url = server.url("/", "site.example")
    is_asked = scheme == "http" and url.startswith("http:")
    assert proxy.sent_to == [url if is_asked else f"site.example:{server.port}"]


async def test_an_http_proxy_that_resolves_is_asked_for_plain_pages_and_its_password_is_marked(make: Make) -> None:
    fetcher = make({"site.example": ()}, allow_private=())
    async with RawServer() as server, proxy_running() as proxy:
        server.routes["/a?b"] = HELLO
        url = server.url("/a?b", "site.example")
        for _ in range(2):
            way = Proxy("http", "127.0.0.1", proxy.port, True, "ann", Secret("sesame"))
            answer = await fetcher.fetch(through(url, way))
            assert (answer.outcome, answer.body.read(), answer.url) == (Outcome.OK, b"hello", url), answer.detail
    assert proxy.connections == 1
    assert proxy.sent_to == [url, url]
    assert b64encode(b"ann:sesame") in proxy.heads[0]
    assert answer.request_head.startswith(f"GET {url} HTTP/1.1\r\nHost: site.example:{server.port}\r\n".encode())
    assert b"Proxy-Authorization: [secret]\r\n" in answer.request_head


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_proxy_that_asks_for_a_password_gets_it_and_no_server_does(server: RawServer, make: Make, scheme: str) -> None:
    server.routes["/"] = HELLO
    async with proxy_running() as proxy:
        way = Proxy(scheme, "127.0.0.1", proxy.port, False, "ann", Secret("sesame"))
        answer = await make().fetch(through(server.url("/", "site.example"), way))
        assert answer.outcome is Outcome.OK
    pair = b64encode(b"ann:sesame")
    assert proxy.logins == [b"ann:sesame"] if scheme == "socks5" else pair in proxy.heads[0]
    assert b"sesame" not in repr(way).encode() + b"".join(server.requests) + answer.request_head
    assert pair not in b"".join(server.requests)


@pytest.mark.parametrize(
    ("scheme", "says", "told"),
    [
        ("http", b"HTTP/1.1 403 No\r\n\r\n", "it answered 403 instead of connecting"),
        ("http", b"HTTP/1.1 407 Who\r\n\r\n", "it answered 407 instead of connecting"),
        ("http", b"SSH-2.0-x\r\n\r\n", "its answer is not HTTP"),
        ("http", b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n", "something was said before anybody was asked"),
        ("http", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 5000, "its answer is too long"),
        ("http", b"", "it closed the connection"),
        ("socks5", b"", "it closed the connection"),
        ("socks5", b"\x05\xff", "wants another login than this one"),
        ("socks5", b"HTTP/1.1 400 Bad Request\r\n\r\n", "it is no SOCKS5 proxy"),
        ("socks5", b"\x05\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00", "its rules forbid it"),
        ("socks5", b"\x05\x00\x05\x77\x00\x01\x00\x00\x00\x00\x00\x00", "its answer makes no sense"),
    ],
)
async def test_a_proxy_that_does_not_connect_is_told_in_one_sentence(make: Make, scheme: str, says: bytes, told: str) -> None:
    async with RawServer() as server, proxy_running(says) as proxy:
        answer = await make().fetch(through(server.url("/", "site.example"), Proxy(scheme, "127.0.0.1", proxy.port)))
        assert (answer.outcome, answer.sent) == (Outcome.CONNECT_FAILED, False)
        assert f"the proxy 127.0.0.1:{proxy.port}: " in answer.detail and told in answer.detail
        assert server.connections == 0


async def test_words_behind_a_proxys_answer_are_part_of_no_page(make: Make) -> None:
    granted = b"\x05\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"
    async with proxy_running(granted + HELLO) as proxy:
        answer = await make().fetch(through("http://site.example/", Proxy("socks5", "127.0.0.1", proxy.port)))
        assert (answer.outcome, answer.sent) == (Outcome.PROTOCOL_ERROR, False), answer.detail
        assert "before it was asked" in answer.detail


async def test_a_proxy_that_says_nothing_is_left_in_time(make: Make) -> None:
    async with proxy_running(b"HTTP/1.1 200 half") as proxy:
        url = "http://site.example/"
        answer = await make(connect_timeout=0.2).fetch(through(url, Proxy("http", "127.0.0.1", proxy.port)))
        assert (answer.outcome, answer.sent) == (Outcome.TIMED_OUT, False)


async def test_a_proxy_that_is_not_there_is_told(make: Make) -> None:
    with closed_port() as port:
        answer = await make().fetch(through("http://site.example/", Proxy("socks5", "127.0.0.1", port)))
        assert answer.outcome is Outcome.CONNECT_FAILED
        assert f"the proxy 127.0.0.1:{port}: " in answer.detail
    gone = await make().fetch(through("http://site.example/", Proxy("http", "nowhere.example", 1)))
    assert (gone.outcome, gone.detail) == (Outcome.CONNECT_FAILED, "the proxy nowhere.example:1 has no address")


async def test_another_address_of_the_proxy_is_tried(server: RawServer, make: Make) -> None:
    server.routes["/"] = HELLO
    async with proxy_running() as proxy:
        fetcher = make({"proxy.example": ("127.0.0.77", "127.0.0.1")})
        answer = await fetcher.fetch(through(server.url("/", "site.example"), Proxy("http", "proxy.example", proxy.port)))
        assert answer.outcome is Outcome.OK


async def test_the_limits_of_an_answer_hold_through_a_proxy(server: RawServer, make: Make) -> None:
    server.routes["/"] = b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + b"x" * 9000
    async with proxy_running() as proxy:
        way = Proxy("socks5", "127.0.0.1", proxy.port)
        answer = await make(max_body=1024, max_file=1024).fetch(through(server.url("/", "site.example"), way))
    assert (answer.outcome, answer.truncated, answer.body.size) == (Outcome.OK, "length", 1024)
