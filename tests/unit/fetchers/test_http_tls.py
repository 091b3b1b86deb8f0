"""TLS is verified: by the certificates we trust, for the name we asked; an exception is for one request only."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime

import pytest
import trustme

from gossamer.fetchers.http import HttpFetcher
from gossamer.records import Outcome
from gossamer.testing.fetcher import RawServer, ask

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


@pytest.fixture
async def secure(authority: trustme.CA) -> AsyncIterator[RawServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("site.example").configure_cert(context)
    async with RawServer(tls=context) as server:
        server.routes["/"] = HELLO
        yield server


async def test_a_certificate_we_trust_is_accepted_and_its_connection_kept(
    secure: RawServer, make: Callable[..., HttpFetcher], trusted: str
) -> None:
    fetcher = make(ca_file=trusted)
    for _ in range(3):
        answer = await fetcher.fetch(ask(secure.url("/", "site.example")))
        assert (answer.outcome, answer.body.read()) == (Outcome.OK, b"hello")
    assert secure.connections == 1
    assert [answer.request_head] * 3 == secure.requests


async def test_a_certificate_nobody_vouches_for_is_refused(secure: RawServer, make: Callable[..., HttpFetcher]) -> None:
    answer = await make(ca_file="").fetch(ask(secure.url("/", "site.example")))
    assert answer.outcome is Outcome.TLS_FAILED
    assert "certificate" in answer.detail
    assert secure.requests == []


async def test_a_certificate_for_another_name_is_refused(
    secure: RawServer, make: Callable[..., HttpFetcher], trusted: str
) -> None:
    answer = await make(ca_file=trusted).fetch(ask(secure.url("/", "other.example")))
    assert answer.outcome is Outcome.TLS_FAILED
    assert secure.requests == []


async def test_an_expired_certificate_is_refused(authority: trustme.CA, make: Callable[..., HttpFetcher], trusted: str) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("site.example", not_after=datetime(2001, 1, 1, tzinfo=UTC)).configure_cert(context)
    async with RawServer(tls=context) as server:
        answer = await make(ca_file=trusted).fetch(ask(server.url("/", "site.example")))
    assert answer.outcome is Outcome.TLS_FAILED


@pytest.mark.parametrize(("host", "vouched"), [("site.example", False), ("other.example", True)])
async def test_an_exception_is_for_one_request_and_its_connection_is_not_lent_to_others(
    secure: RawServer, make: Callable[..., HttpFetcher], trusted: str, host: str, vouched: bool
) -> None:
    fetcher = make(ca_file=trusted if vouched else "")
    url = secure.url("/", host)
    assert (await fetcher.fetch(ask(url, insecure=True))).outcome is Outcome.OK
    assert (await fetcher.fetch(ask(url))).outcome is Outcome.TLS_FAILED
    assert (await fetcher.fetch(ask(url, insecure=True))).outcome is Outcome.OK
    assert len(secure.requests) == 2


async def test_all_certificates_are_accepted_when_the_configuration_says_so(
    secure: RawServer, make: Callable[..., HttpFetcher]
) -> None:
    assert (await make(insecure=True, ca_file="").fetch(ask(secure.url("/", "other.example")))).outcome is Outcome.OK


async def test_a_server_that_speaks_no_tls_is_tls_failed(fetcher: HttpFetcher) -> None:
    async def answer_in_clear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer_in_clear, "127.0.0.1", 0) as server:
        answer = await fetcher.fetch(ask(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"))
    assert answer.outcome is Outcome.TLS_FAILED
    assert answer.detail.startswith("no secure connection")
