"""The name server, asked by somebody else's client."""

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
from dnslib import QTYPE, RCODE, DNSRecord

from gossamer.simweb.dns import NameServer


@pytest.fixture
async def names() -> AsyncIterator[tuple[NameServer, int]]:
    server = NameServer({"h0000.sim": "127.0.0.1", "h0001.sim": "127.0.0.2"}, ttl=42)
    yield server, await server.start()
    server.stop()


async def ask(port: int, message: bytes) -> DNSRecord:
    loop = asyncio.get_running_loop()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.setblocking(False)
        await loop.sock_connect(one, ("127.0.0.1", port))
        await loop.sock_sendall(one, message)
        return DNSRecord.parse(await asyncio.wait_for(loop.sock_recv(one, 4096), 5))


async def test_a_host_has_its_address_and_time_to_live_in_any_case(names: tuple[NameServer, int]) -> None:
    for name in ("h0001.sim", "H0001.Sim"):
        question = DNSRecord.question(name)
        answer = await ask(names[1], question.pack())
        assert answer.header.id == question.header.id and answer.header.rcode == RCODE.NOERROR
        (record,) = answer.rr
        assert (str(record.rname).rstrip("."), str(record.rdata), record.ttl) == (name, "127.0.0.2", 42)


async def test_a_name_that_is_not_there_does_not_exist(names: tuple[NameServer, int]) -> None:
    for name in ("h0002.sim", "sim", "www.h0001.sim"):
        answer = await ask(names[1], DNSRecord.question(name).pack())
        assert answer.header.rcode == RCODE.NXDOMAIN and answer.rr == []


async def test_a_host_has_no_record_of_another_type(names: tuple[NameServer, int]) -> None:
    answer = await ask(names[1], DNSRecord.question("h0000.sim", "AAAA").pack())
    assert answer.header.rcode == RCODE.NOERROR and answer.rr == []
    assert QTYPE[answer.q.qtype] == "AAAA"


async def test_what_is_no_question_gets_no_answer_and_does_no_harm(names: tuple[NameServer, int]) -> None:
    server, port = names
    question = DNSRecord.question("h0000.sim").pack()
    pieces = [question[:length] for length in range(len(question))]
    answered = bytes([question[0], question[1], 0x80]) + question[3:]
    endless = question[:12] + b"\xc0\x0c\x00\x01\x00\x01"
    too_long = question[:12] + b"\x40" + b"a" * 64 + b"\x00\x00\x01\x00\x01"
    for message in (*pieces, answered, endless, too_long, b"\xff" * 40):
        assert server.answer(message) is None
    assert str((await ask(port, question)).rr[0].rdata) == "127.0.0.1"
