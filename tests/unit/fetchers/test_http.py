"""What goes out is what we say went out; what comes back is what came back."""

import asyncio
import os
from collections.abc import Callable

import pytest
import uvloop

from gossamer.clock import SystemClock
from gossamer.config.sections import Fetch
from gossamer.errors import DiskFull, UrlError, UsageError
from gossamer.fetchers.http import FetcherStatistics, HttpFetcher
from gossamer.records.fetch import Request
from gossamer.records.outcome import Outcome
from gossamer.testing.clock import VirtualClock
from gossamer.testing.fetcher import RawServer, ask
from gossamer.testing.resolver import StaticResolver

HELLO = b"HTTP/1.1 200 OK\r\nServer: raw\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED_HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKED_BODY = b"5;note=1\r\nhello\r\n00A\r\n0123456789\r\n1\r\n!\r\n0\r\nX-Trailer: late\r\nX-More: later\r\n\r\n"


async def test_the_request_head_is_exactly_what_the_server_received(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes["/a?b=%20c|{}"] = HELLO
    request = Request(
        url=server.url("/a?b=%20c|{}", "site.example"),
        user_agent="gossamer/1 (+https://bot.example/ä)",
        headers=(("If-None-Match", '"x"'), ("X-Empty", "")),
    )
    answer = await fetcher.fetch(request)
    assert [answer.request_head] == server.requests
    assert answer.request_head.decode().split("\r\n") == [
        "GET /a?b=%20c|{} HTTP/1.1",
        f"Host: site.example:{server.port}",
        "User-Agent: gossamer/1 (+https://bot.example/ä)",
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Encoding: gzip, deflate, br, zstd",
        'If-None-Match: "x"',
        "",
        "",
    ]


async def test_a_header_of_the_caller_takes_the_place_of_ours(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes["/"] = HELLO
    answer = await fetcher.fetch(Request(url=server.url(), user_agent="g", headers=(("accept-encoding", "identity"),)))
    assert [answer.request_head] == server.requests
    assert answer.request_head.lower().count(b"accept-encoding") == 1
    assert b"accept-encoding: identity\r\n" in answer.request_head


@pytest.mark.parametrize("headers", [(("X", "a\r\nEvil: 1"),), (("X\r\nEvil", "1"),), (("X", "a\nb"),), (("", "a"),)])
async def test_a_header_that_would_forge_another_is_refused(
    server: RawServer, fetcher: HttpFetcher, headers: tuple[tuple[str, str], ...]
) -> None:
    with pytest.raises(UsageError, match="holds a character"):
        await fetcher.fetch(Request(url=server.url(), user_agent="g", headers=headers))
    with pytest.raises(UsageError, match="User-Agent"):
        await fetcher.fetch(Request(url=server.url(), user_agent="g\r\nEvil: 1"))
    assert server.requests == []


@pytest.mark.parametrize(
    "url", ["http://site.example/a b", "http://site.example/\r\nEvil: 1", "ftp://site.example/", "http:///"]
)
async def test_a_url_that_is_not_in_its_wire_form_is_refused(fetcher: HttpFetcher, url: str) -> None:
    with pytest.raises(UrlError, match="is no http or https URL"):
        await fetcher.fetch(ask(url))


async def test_credentials_and_fragments_in_a_url_are_never_sent(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes["/a"] = HELLO
    url = server.url("/a#part").replace("://", "://user:secret@")
    answer = await fetcher.fetch(ask(url))
    assert answer.url == url
    assert server.requests[0].startswith(b"GET /a HTTP/1.1\r\nHost: 127.0.0.1:")
    assert b"uthorization" not in server.requests[0]
    assert b"secret" not in server.requests[0]


async def test_cookies_are_not_kept(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes["/"] = HELLO.replace(b"Server: raw", b"Set-Cookie: a=b; Path=/")
    await fetcher.fetch(ask(server.url()))
    await fetcher.fetch(ask(server.url()))
    assert len(server.requests) == 2
    assert b"ookie" not in server.requests[1]


async def test_proxies_of_the_environment_are_not_used(
    server: RawServer, make: Callable[..., HttpFetcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.routes["/"] = HELLO
    answer = await make().fetch(ask(server.url("/", "site.example")))
    assert answer.outcome is Outcome.OK


async def test_head_and_body_come_back_byte_for_byte(server: RawServer, fetcher: HttpFetcher) -> None:
    head = (
        b"HTTP/1.1 200 Fine  \r\nX-Odd:   two  spaces \r\nx-lower:y\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-\xff: \xe9\r\n"
    )
    head += b"Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\n"
    server.routes["/"] = head + b"not gzip\0"
    answer = await fetcher.fetch(ask(server.url()))
    assert answer.response_head == head
    assert answer.body.read() == b"not gzip\0"
    assert answer.headers[:4] == (("x-odd", "two  spaces"), ("x-lower", "y"), ("set-cookie", "a=1"), ("set-cookie", "b=2"))
    assert (answer.status, answer.truncated, answer.chunked, answer.address) == (200, "", False, "127.0.0.1")


async def test_header_text_is_utf8_where_it_can_be(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes["/"] = "HTTP/1.1 302 F\r\nLocation: /straße\r\nContent-Length: 0\r\n\r\n".encode()
    answer = await fetcher.fetch(ask(server.url()))
    assert answer.header("location") == "/straße"


async def test_a_chunked_body_keeps_its_chunks_and_trailers(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes["/"] = CHUNKED_HEAD + CHUNKED_BODY
    answer = await fetcher.fetch(ask(server.url()))
    assert answer.response_head == CHUNKED_HEAD
    assert answer.body.read() == CHUNKED_BODY
    assert answer.chunked
    assert answer.truncated == ""


async def test_a_connection_is_used_again_after_a_chunked_answer(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes |= {"/chunked": CHUNKED_HEAD + CHUNKED_BODY, "/plain": HELLO}
    for path in ("/chunked", "/plain", "/chunked", "/plain"):
        answer = await fetcher.fetch(ask(server.url(path)))
        assert answer.body.read() == (CHUNKED_BODY if path == "/chunked" else b"hello")
    assert server.connections == 1
    received = 2 * (len(CHUNKED_HEAD) + len(CHUNKED_BODY)) + 2 * len(HELLO)
    assert fetcher.statistics() == FetcherStatistics(requests=4, connections=1, received=received)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
async def test_chunks_that_arrive_in_crumbs_are_put_together(server: RawServer, fetcher: HttpFetcher, size: int) -> None:
    async def crumbs(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raw = CHUNKED_HEAD + CHUNKED_BODY
        for position in range(0, len(raw), size):
            writer.write(raw[position : position + size])
            await writer.drain()
            await asyncio.sleep(0)

    server.routes |= {"/": crumbs, "/next": HELLO}
    answer = await fetcher.fetch(ask(server.url()))
    assert (answer.response_head, answer.body.read()) == (CHUNKED_HEAD, CHUNKED_BODY)
    await fetcher.fetch(ask(server.url("/next")))
    assert server.connections == 1


async def test_interim_answers_are_kept_apart(server: RawServer, fetcher: HttpFetcher) -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
    server.routes["/"] = interim + HELLO
    answer = await fetcher.fetch(ask(server.url()))
    assert answer.response_head + answer.body.read() == HELLO
    assert answer.header("link") == ""


async def test_a_redirect_is_returned_and_not_followed(server: RawServer, fetcher: HttpFetcher) -> None:
    server.routes["/"] = b"HTTP/1.1 301 Moved\r\nLocation: /next\r\nContent-Length: 4\r\n\r\nmove"
    answer = await fetcher.fetch(ask(server.url()))
    assert (answer.status, answer.header("location"), answer.body.read()) == (301, "/next", b"move")
    assert len(server.requests) == 1


@pytest.mark.parametrize("kept", [1, 2])
async def test_a_server_sees_a_request_once_even_when_it_drops_kept_connections(
    server: RawServer, fetcher: HttpFetcher, kept: int
) -> None:
    async def drop(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server.routes |= {"/": HELLO, "/drop": drop}
    await asyncio.gather(*(fetcher.fetch(ask(server.url())) for _ in range(kept)))
    answer = await fetcher.fetch(ask(server.url("/drop")))
    assert [head.split()[1] for head in server.requests] == [b"/"] * kept + [b"/drop"]
    assert server.connections == kept
    assert (answer.outcome, answer.sent, answer.unanswered) == (Outcome.CONNECT_FAILED, True, True)
    assert "kept connection" in answer.detail
    assert (await fetcher.fetch(ask(server.url()))).outcome is Outcome.OK


async def test_a_cancelled_fetch_lets_go_of_its_connection(server: RawServer, fetcher: HttpFetcher) -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello")
        asked.set()
        await reader.read()
        gone.set()

    server.routes |= {"/wait": wait, "/": HELLO}
    fetching = asyncio.create_task(fetcher.fetch(ask(server.url("/wait"))))
    await asked.wait()
    fetching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fetching
    await asyncio.wait_for(gone.wait(), 5)
    assert (await fetcher.fetch(ask(server.url()))).body.read() == b"hello"


async def test_a_hundred_cancelled_fetches_leave_no_descriptor_behind(server: RawServer, fetcher: HttpFetcher) -> None:
    async def never(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    server.routes |= {"/never": never, "/": HELLO}
    await fetcher.fetch(ask(server.url()))
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        fetching = [asyncio.create_task(fetcher.fetch(ask(server.url("/never")))) for _ in range(20)]
        while len(server.requests) % 20 != 1:
            await asyncio.sleep(0)
        for task in fetching:
            task.cancel()
        await asyncio.gather(*fetching, return_exceptions=True)
    await fetcher.fetch(ask(server.url()))
    while len(os.listdir("/proc/self/fd")) > before:
        await asyncio.sleep(0)
    assert fetcher.statistics().connections <= 102


async def test_a_fetch_under_way_ends_when_the_fetcher_is_closed(server: RawServer, fetcher: HttpFetcher) -> None:
    async def never(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    server.routes["/"] = never
    fetching = asyncio.create_task(fetcher.fetch(ask(server.url())))
    while not server.requests:
        await asyncio.sleep(0)
    await fetcher.aclose()
    with pytest.raises(asyncio.CancelledError):
        await fetching


async def test_a_body_outlives_the_fetcher_and_the_next_fetch(server: RawServer, make: Callable[..., HttpFetcher]) -> None:
    fetcher = make(spool=1024)
    big = b"x" * 5000
    server.routes |= {"/big": b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + big, "/": HELLO}
    first = await fetcher.fetch(ask(server.url("/big")))
    second = await fetcher.fetch(ask(server.url()))
    await fetcher.aclose()
    assert first.body.in_memory == 0
    assert first.body.read() == big
    assert second.body.read() == b"hello"
    first.body.close()


async def test_times_are_on_the_given_clock_and_waiting_counts_from_the_request(server: RawServer, trusted: str) -> None:
    async def think(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.05)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")
        await asyncio.sleep(0.05)
        writer.write(b"llo")

    class Late:
        def now(self) -> float:
            return asyncio.get_running_loop().time() + 1e9

    server.routes["/"] = think
    fetcher = HttpFetcher(Fetch(ca_file=trusted), StaticResolver({}), lambda address: "", Late())
    before = Late().now()
    answer = await fetcher.fetch(ask(server.url()))
    await fetcher.aclose()
    assert before <= answer.started <= before + 0.05
    assert 0.045 <= answer.answered - answer.started < 0.095
    assert 0.045 <= answer.ended - answer.answered < 0.2


async def test_a_clock_that_stands_still_gives_one_time(server: RawServer, trusted: str) -> None:
    server.routes["/"] = HELLO
    fetcher = HttpFetcher(Fetch(ca_file=trusted), StaticResolver({}), lambda address: "", VirtualClock(7.0))
    answer = await fetcher.fetch(ask(server.url()))
    await fetcher.aclose()
    assert answer.outcome is Outcome.OK
    assert (answer.started, answer.answered, answer.ended) == (7.0, 7.0, 7.0)


async def test_a_disk_without_space_for_the_body_is_our_error(
    server: RawServer, make: Callable[..., HttpFetcher], monkeypatch: pytest.MonkeyPatch
) -> None:
    server.routes["/"] = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"x" * 5000
    fetcher = make(spool=1024)
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: open("/dev/full", "w+b", buffering=0))  # noqa: SIM115
    with pytest.raises(DiskFull, match="no space"):
        await fetcher.fetch(ask(server.url()))
    monkeypatch.undo()
    answer = await fetcher.fetch(ask(server.url()))
    assert answer.body.size == 5000
    answer.body.close()


async def a_day(serving: Callable[..., RawServer], trusted: str, loop_says: list[str]) -> None:
    """Fetch, keep alive, run into a timeout, be cancelled, and go on."""

    async def never(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with serving() as server:
        server.routes |= {"/": HELLO, "/chunked": CHUNKED_HEAD + CHUNKED_BODY, "/never": never}
        fetcher = HttpFetcher(Fetch(total_timeout=1.5, ca_file=trusted), StaticResolver({}), lambda address: "", SystemClock())
        for path in ("/", "/chunked", "/"):
            loop_says.append((await fetcher.fetch(ask(server.url(path)))).outcome)
        loop_says.append((await fetcher.fetch(ask(server.url("/never")))).outcome)
        fetching = asyncio.create_task(fetcher.fetch(ask(server.url("/never"))))
        while len(server.requests) < 5:
            await asyncio.sleep(0)
        fetching.cancel()
        await asyncio.gather(fetching, return_exceptions=True)
        both = await asyncio.gather(*(fetcher.fetch(ask(server.url("/chunked"))) for _ in range(50)))
        loop_says.extend({answer.outcome for answer in both})
        await fetcher.aclose()


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_it_works_on_either_loop(run: Callable[..., None], serving: Callable[..., RawServer], trusted: str) -> None:
    said: list[str] = []
    run(a_day(serving, trusted, said))
    assert said == ["ok", "ok", "ok", "timed_out", "ok"]
