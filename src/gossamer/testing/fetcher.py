"""The rules of every fetcher, and a server that says exactly the bytes it is told to.

A rule takes a bench: a way to open a fetcher, and URLs whose answers are known.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Protocol

from gossamer.config.sections import Fetch
from gossamer.joints.fetch import Fetcher
from gossamer.records.fetch import Fetched, Request
from gossamer.records.outcome import Outcome


class FetcherBench(Protocol):
    """Opens fetchers of one kind."""

    page: str  # answers with status 200 and `content`
    content: bytes  # at least 2,000 bytes
    missing: str  # answers with status 404
    redirect: str  # answers with a redirect
    unreachable: str  # gives no answer at all

    async def open(self, settings: Fetch) -> Fetcher:
        """Open a fresh fetcher; the rule closes it."""
        ...


def ask(url: str, **fields: int | bool) -> Request:
    """Return a request for a URL."""
    return Request(url=url, user_agent="gossamer-test/1", **fields)  # type: ignore[arg-type]


async def _fetched(bench: FetcherBench, url: str, settings: Fetch | None = None, **fields: int | bool) -> Fetched:
    fetcher = await bench.open(settings or Fetch())
    try:
        return await fetcher.fetch(ask(url, **fields))
    finally:
        await fetcher.aclose()


async def an_answer_is_whole_and_can_be_read_again(bench: FetcherBench) -> None:
    """Check head, headers and body of the plain case."""
    answer = await _fetched(bench, bench.page)
    assert answer.outcome is Outcome.OK, answer.detail
    assert (answer.url, answer.status, answer.truncated) == (bench.page, 200, "")
    assert answer.response_head.startswith(b"HTTP/1.1 200 ")
    assert answer.response_head.endswith(b"\r\n\r\n")
    assert answer.request_head.endswith(b"\r\n\r\n")
    assert all(name == name.lower() for name, _ in answer.headers)
    assert answer.body.read() == bench.content == answer.body.read()
    answer.body.close()


async def its_times_are_in_order(bench: FetcherBench) -> None:
    """Check that a request starts before it is answered and is answered before it ends."""
    for url in (bench.page, bench.missing, bench.unreachable):
        answer = await _fetched(bench, url)
        assert 0 < answer.started <= answer.answered <= answer.ended, answer
        answer.body.close()


async def an_error_page_is_an_answer(bench: FetcherBench) -> None:
    """Check that a status is no outcome."""
    answer = await _fetched(bench, bench.missing)
    assert (answer.outcome, answer.status) == (Outcome.OK, 404)
    answer.body.close()


async def a_redirect_is_returned_and_not_followed(bench: FetcherBench) -> None:
    """Check that the caller decides about every hop."""
    answer = await _fetched(bench, bench.redirect)
    assert answer.outcome is Outcome.OK
    assert 300 <= answer.status < 400
    assert answer.header("location")
    answer.body.close()


async def no_answer_is_an_outcome_with_a_reason(bench: FetcherBench) -> None:
    """Check that nothing is raised for what the web does."""
    answer = await _fetched(bench, bench.unreachable)
    assert answer.outcome is not Outcome.OK
    assert answer.detail
    assert (answer.status, answer.response_head, answer.body.size) == (0, b"", 0)


async def a_body_is_cut_at_the_limit_and_marked(bench: FetcherBench) -> None:
    """Check both limits: the configuration's and the request's own."""
    for answer in (
        await _fetched(bench, bench.page, Fetch(max_body=1024)),
        await _fetched(bench, bench.page, max_body=1024),
    ):
        assert (answer.outcome, answer.truncated) == (Outcome.OK, "length")
        assert answer.body.read() == bench.content[:1024]
        answer.body.close()


async def many_are_fetched_at_once_and_one_may_be_cancelled(bench: FetcherBench) -> None:
    """Check that the others are not harmed, and that the fetcher goes on."""
    fetcher = await bench.open(Fetch())
    try:
        under_way = [asyncio.create_task(fetcher.fetch(ask(bench.page))) for _ in range(8)]
        await asyncio.sleep(0)
        under_way[3].cancel()
        answers = await asyncio.gather(*under_way, return_exceptions=True)
        answers.append(await fetcher.fetch(ask(bench.page)))
        assert isinstance(answers.pop(3), asyncio.CancelledError)
        for answer in answers:
            assert isinstance(answer, Fetched), answer
            assert answer.body.read() == bench.content
            answer.body.close()
    finally:
        await fetcher.aclose()


async def it_may_be_closed_twice(bench: FetcherBench) -> None:
    """Check that closing again does nothing."""
    fetcher = await bench.open(Fetch())
    await fetcher.aclose()
    await fetcher.aclose()


RULES: tuple[Callable[[FetcherBench], Awaitable[None]], ...] = (
    an_answer_is_whole_and_can_be_read_again,
    its_times_are_in_order,
    an_error_page_is_an_answer,
    a_redirect_is_returned_and_not_followed,
    no_answer_is_an_outcome_with_a_reason,
    a_body_is_cut_at_the_limit_and_marked,
    many_are_fetched_at_once_and_one_may_be_cancelled,
    it_may_be_closed_twice,
)

Reply = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class RawServer:
    """Answers each path with exactly the bytes, or by exactly the acts, it was given; remembers every head it received.

    `routes` maps a path to bytes, after which the connection stays open, or to a function that does what it likes with the
    connection. A path that is not there closes the connection without a word.
    """

    def __init__(self, address: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        self._address = address
        self._tls = tls
        self._tasks: set[asyncio.Task[None]] = set()
        self.routes: dict[str, bytes | Reply] = {}
        self.requests: list[bytes] = []
        self.connections = 0
        self.port = port  # 0: a free one

    async def __aenter__(self) -> "RawServer":
        self._server = await asyncio.start_server(self._accept, self._address, self.port, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def url(self, path: str = "/", host: str = "") -> str:
        """Return the URL of a path, by the server's address or by a name."""
        scheme = "https" if self._tls else "http"
        address = f"[{self._address}]" if ":" in self._address else self._address
        return f"{scheme}://{host or address}:{self.port}{path}"

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.requests.append(head)
                reply = self.routes.get(head.split()[1].decode())
                if reply is None:
                    return
                if isinstance(reply, bytes):
                    writer.write(reply)
                    await writer.drain()
                else:
                    await reply(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            return
        finally:
            writer.close()
