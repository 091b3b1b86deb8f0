"""The server over real sockets: exact bytes, connections that last, and nothing that a client sends can stop it."""

import asyncio
import itertools
from collections.abc import Callable
from hashlib import sha1
from typing import Any

import pytest

from gossamer.simweb import manifest
from gossamer.simweb.ledger import RequestLedger
from gossamer.simweb.requests import RequestHead
from gossamer.simweb.server import SimwebServer
from gossamer.simweb.settings import SimwebSettings
from gossamer.simweb.sites import AILMENTS, Resource

OpenClient = Callable[[int], Any]


def find(server: SimwebServer, wanted: Callable[[Resource], bool]) -> Resource:
    return next(thing for host in server.web.hosts for thing in host.table.values() if wanted(thing))


async def test_the_whole_web_is_served_as_the_manifest_says_and_as_it_was_made(client: OpenClient) -> None:
    server = SimwebServer(SimwebSettings(max_bytes=20_000), RequestLedger(keep=True))
    await server.start()
    listed = manifest.manifest(server.web)
    entries = [entry for entry in listed if f".sim:{server.port}/" in entry.url and entry.host != "clinic.sim"]

    async def visit(some: list[manifest.ManifestEntry]) -> None:
        async with client(server.port) as one:
            for entry in some:
                path = entry.url.partition(f":{server.port}")[2]
                reply = await one.get(entry.host, path)
                if "set-cookie" in reply.headers:
                    assert (reply.status, reply.headers["location"]) == (302, path)
                    continue
                if entry.requests_max == 2:
                    assert (reply.status, reply.headers["retry-after"]) == (503, "1")
                    reply = await one.get(entry.host, path)
                assert not entry.fetch or reply.status == entry.status, entry
                assert reply.wire == server.web.answer(entry.url).wire
                if reply.headers.get("connection") == "close":
                    await one.__aenter__()

    hosts = [
        list(some) for _, some in itertools.groupby(sorted(entries, key=lambda entry: entry.host), lambda entry: entry.host)
    ]
    slow = {host.name for host in server.web.hosts if host.slow}
    lanes = [[entry] for some in hosts for entry in some if entry.host in slow]
    await asyncio.gather(*(visit(some) for some in [*lanes, *(some for some in hosts if some[0].host not in slow)]))
    assert len(server.ledger.requests) == len(entries) + 1
    await server.stop()


async def test_one_connection_answers_many_requests_in_order_also_when_they_come_at_once(
    server: SimwebServer, client: OpenClient
) -> None:
    slow = next(host for host in server.web.hosts if host.slow)
    quick = next(host for host in server.web.hosts if host.role == "open")
    paths = [(slow.name, "/"), (quick.name, "/"), (quick.name, "/robots.txt"), (quick.name, "/")]
    async with client(server.port) as one:
        for host, path in paths:
            one.send(host, path)
        replies = [await one.receive() for _ in paths]
    assert [reply.wire for reply in replies] == [
        server.web.answer(f"http://{host}:{server.port}{path}").wire for host, path in paths
    ]
    assert [(request.host, request.path) for request in server.ledger.requests] == paths


async def test_a_request_that_comes_in_pieces_is_one_request(server: SimwebServer, client: OpenClient) -> None:
    async with client(server.port) as one:
        for piece in (b"GET / HT", b"TP/1.1\r\nHo", b"st: h0000.sim\r\n\r", b"\n"):
            one.writer.write(piece)
            await one.writer.drain()
        assert (await one.receive()).wire == server.web.answer(f"http://h0000.sim:{server.port}/").wire
    assert len(server.ledger.requests) == 1


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET / HTTP/1.1\nHost: h0000.sim\n\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: h0000.sim\r\nContent-Length: 4\r\n\r\nbody",
        b"GET /" + b"a" * 70_000,
        b"\r\n\r\n",
    ],
)
async def test_malformed_requests_get_400_and_the_server_lives_on(
    server: SimwebServer, client: OpenClient, garbage: bytes
) -> None:
    async with client(server.port) as one:
        one.writer.write(garbage)
        reply = await one.receive()
        assert reply.status == 400 and reply.headers["connection"] == "close"
        assert await one.reader.read() == b""
    async with client(server.port) as one:
        assert (await one.get("h0000.sim", "/")).status == 200
    assert [request.status for request in server.ledger.requests] == [400, 200]


async def test_only_get_and_head_are_answered_and_head_has_no_body(server: SimwebServer, client: OpenClient) -> None:
    async with client(server.port) as one:
        head = await one.get("h0000.sim", "/", method="HEAD")
        assert head.wire == server.web.answer(f"http://h0000.sim:{server.port}/").head
        assert (await one.get("h0000.sim", "/", method="DELETE")).status == 405


async def test_what_does_not_exist_is_404(server: SimwebServer, client: OpenClient) -> None:
    async with client(server.port) as one:
        assert (await one.get("h0000.sim", "/nothing")).status == 404
        assert (await one.get("nobody.sim", "/")).status == 404


async def test_a_client_that_takes_no_coding_is_sent_none(server: SimwebServer, client: OpenClient) -> None:
    page = find(server, lambda thing: thing.coding == "gzip" and thing.framing == "length")
    async with client(server.port) as one:
        plain = await one.get(page.host.name, page.path, codings="identity")
        coded = await one.get(page.host.name, page.path)
    assert "content-encoding" not in plain.headers and plain.wire.endswith(server.web.content(page))
    assert coded.headers["content-encoding"] == "gzip"


async def test_a_page_that_recovers_is_unavailable_exactly_once(server: SimwebServer, client: OpenClient) -> None:
    page = find(server, lambda thing: thing.failures > 0)
    async with client(server.port) as one:
        assert [(await one.get(page.host.name, page.path)).status for _ in range(3)] == [503, 200, 200]


async def test_a_host_that_is_never_well_fails_in_every_way_but_never_three_times_in_a_row() -> None:
    server = SimwebServer(SimwebSettings())
    await server.start()
    await server.stop()
    host = next(host for host in server.web.hosts if host.name == "clinic.sim")
    ill = [page for page in host.pages if page.failures]
    assert {page.ailment for page in ill} == set(AILMENTS) and len(host.pages) > 100
    told: list[bool] = []  # of each answer, whether it was a failure
    for page in ill + ill:
        answer, _ = server.answer(RequestHead("GET", host.name, page.path, False, ""))
        told.append(answer.wire != server.web.answer_for(page).wire)
    assert max(len(list(run)) for failed, run in itertools.groupby(told) if failed) == 2
    assert sum(told) == len(ill), "whoever was spared the first time failed the second"
    again = [server.answer(RequestHead("GET", host.name, page.path, False, ""))[0] for page in host.pages]
    assert [answer.wire for answer in again] == [server.web.answer_for(page).wire for page in host.pages]


async def test_a_slow_host_takes_its_time(server: SimwebServer, client: OpenClient) -> None:
    slow = next(host for host in server.web.hosts if host.slow)
    async with client(server.port) as one:
        await one.get(slow.name, "/")
    (request,) = server.ledger.requests
    assert request.end - request.start >= 0.19


async def test_a_client_that_leaves_before_its_answer_is_in_the_ledger(server: SimwebServer, client: OpenClient) -> None:
    slow = next(host for host in server.web.hosts if host.slow)
    async with client(server.port) as one:
        one.send(slow.name, "/")
        await one.writer.drain()
        while not any(connection._pending for connection in server.connections):
            await asyncio.sleep(0)
    while server.connections:
        await asyncio.sleep(0)
    assert [(request.host, request.status) for request in server.ledger.requests] == [(slow.name, 0)]


async def test_a_client_that_does_not_read_is_not_sent_without_end(client: OpenClient) -> None:
    server = SimwebServer(
        SimwebSettings(hosts=1, pages=4, plain=True, min_bytes=100_000, max_bytes=100_000), RequestLedger(keep=True)
    )
    await server.start()
    async with client(server.port) as one:
        for _ in range(400):
            one.send("h0000.sim", "/")
        while not any(connection._stopped for connection in server.connections):
            await asyncio.sleep(0)
        assert len(server.ledger.requests) < 400
        replies = [await one.receive() for _ in range(400)]
    assert {reply.status for reply in replies} == {200}
    await server.stop()


async def test_the_cache_of_answers_is_bounded(client: OpenClient) -> None:
    server = SimwebServer(SimwebSettings(hosts=1, pages=30, plain=True, max_bytes=5_000, cache_bytes=30_000))
    await server.start()
    async with client(server.port) as one:
        for page in server.web.hosts[0].pages * 2:
            assert (await one.get("h0000.sim", page.path)).wire == server.web.answer(page.url).wire
    assert sum(len(answer.wire) for answer in server._cache.values()) <= 30_000
    await server.stop()


async def test_several_addresses_share_one_port(client: OpenClient) -> None:
    server = SimwebServer(SimwebSettings(hosts=3, pages=3, addresses=3))
    await server.start()
    for host in [host for host in server.web.hosts if not host.is_apart]:
        reader, writer = await asyncio.open_connection(host.address, server.port)
        writer.write(f"GET / HTTP/1.1\r\nHost: {host.name}\r\nConnection: close\r\n\r\n".encode())
        assert (await reader.read()).startswith(b"HTTP/1.1 200 OK")
        writer.close()
    await server.stop()


async def test_a_warm_server_has_rendered_its_pages_before_it_listens(client: OpenClient) -> None:
    server = SimwebServer(SimwebSettings(hosts=2, pages=20, plain=True, max_bytes=5_000, warm=True))
    await server.start()
    assert {page.number for host in server.web.hosts for page in host.pages} <= set(server._cache)
    await server.stop()


async def test_the_ledger_has_the_digests_of_what_was_sent(server: SimwebServer, client: OpenClient) -> None:
    chunked, plain = (find(server, lambda thing, how=how: thing.framing == how) for how in ("chunked", "length"))
    sent = []
    async with client(server.port) as one:
        for thing in (chunked, plain):
            sent.append((await one.get(thing.host.name, thing.path)).wire.partition(b"\r\n\r\n"))
        one.send(plain.host.name, plain.path, "HEAD")
        sent.append((await one.receive(has_body=False)).wire.partition(b"\r\n\r\n"))
    told = [(line.head, line.body) for line in server.ledger.requests]
    assert told == [(sha1(head + end).hexdigest(), sha1(body).hexdigest()) for head, end, body in sent]
    payloads = [line.payload for line in server.ledger.requests]
    assert payloads == [sha1(dechunked(sent[0][2])).hexdigest(), "", ""]


def dechunked(body: bytes) -> bytes:
    """Return what well-made chunks carry."""
    content = b""
    while body != b"0\r\n\r\n":
        size, _, rest = body.partition(b"\r\n")
        content += rest[: int(size, 16)]
        body = rest[int(size, 16) + 2 :]
    return content
