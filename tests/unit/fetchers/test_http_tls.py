"""TLS is verified: by the certificates we trust, for the name we asked; an exception is for one request only."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime

import pytest
import trustme

from gossamer.fetchers.http import HttpFetcher
from gossamer.records.outcome import Outcome
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


@pytest.mark.parametrize(
    "said", [b"", b"\x15\x03\x03\x00\x02\x02\x28", b"\x16\x03\x03"], ids=["nothing", "an alert", "half a record"]
)
async def test_a_server_that_ends_the_handshake_is_tls_failed_with_a_reason(fetcher: HttpFetcher, said: bytes) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(said)
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        answer = await fetcher.fetch(ask(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"))
    assert (answer.outcome, answer.sent) == (Outcome.TLS_FAILED, False)
    assert answer.detail.startswith("no secure connection (") and len(answer.detail) > 30


async def test_a_handshake_that_never_ends_is_a_connection_that_was_not_made_in_time(make: Callable[..., HttpFetcher]) -> None:
    async def keep_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(keep_silent, "127.0.0.1", 0) as server:
        fetcher = make(connect_timeout=0.2)
        answer = await fetcher.fetch(ask(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"))
    assert answer.outcome is Outcome.TIMED_OUT
    assert answer.detail.startswith("no connection in time")


async def test_a_file_of_certificates_that_is_none_is_named(
    secure: RawServer, make: Callable[..., HttpFetcher], trusted: str
) -> None:
    for name in (f"{trusted}.missing", __file__):
        answer = await make(ca_file=name).fetch(ask(secure.url("/", "site.example")))
        assert answer.outcome is Outcome.TLS_FAILED
        assert f"fetch.ca_file {name}" in answer.detail


async def test_a_name_with_an_underscore_or_a_long_label_can_be_asked_for(
    secure: RawServer, make: Callable[..., HttpFetcher]
) -> None:
    names = ("under_score.example", f"{'a' * 64}.example", "a..example")
    fetcher = make({name: ("127.0.0.1",) for name in names}, insecure=True)
    for name in names:
        assert (await fetcher.fetch(ask(secure.url("/", name)))).outcome is Outcome.OK


def noting(server: RawServer) -> list[bool]:
    """Let every answer end its connection; return where it is noted whether a session was resumed."""
    resumed: list[bool] = []

    async def reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        resumed.append(writer.get_extra_info("ssl_object").session_reused)
        writer.write(HELLO.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))

    server.routes["/"] = reply
    return resumed


async def test_a_server_that_is_met_again_and_again_is_known_by_its_session(
    secure: RawServer, make: Callable[..., HttpFetcher]
) -> None:
    resumed, fetcher = noting(secure), make()
    for _ in range(5):
        assert (await fetcher.fetch(ask(secure.url("/", "site.example")))).outcome is Outcome.OK
    assert resumed == [False, False, True, True, True]
    for _ in range(3):
        assert (await fetcher.fetch(ask(secure.url("/", "site.example"), insecure=True))).outcome is Outcome.OK
    assert resumed[5:] == [False, False, True]
    for _ in range(3):  # the certificate is for another name, whatever is known of the server
        assert (await fetcher.fetch(ask(secure.url("/", "other.example")))).outcome is Outcome.TLS_FAILED


async def test_a_session_that_the_server_does_not_know_is_given_up(
    authority: trustme.CA, make: Callable[..., HttpFetcher]
) -> None:
    fetcher, port, seen = make(), 0, []
    for _ in range(4):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)  # with keys of its own, which open no ticket of the one before
        authority.issue_cert("site.example").configure_cert(context)
        async with RawServer(port=port, tls=context) as server:
            port, resumed = server.port, noting(server)
            for _ in range(3):
                assert (await fetcher.fetch(ask(server.url("/", "site.example")))).outcome is Outcome.OK
            seen.append(resumed)
    assert seen == [[False, False, True], *[[False] * 3] * 3]
