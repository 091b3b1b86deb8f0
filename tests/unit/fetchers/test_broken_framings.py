"""Framings that no two readers need read alike: what can be read is read, and what is behind it is nobody's answer."""

import asyncio

import pytest

from gossamer.fetchers.http import HttpFetcher
from gossamer.records.outcome import Outcome
from gossamer.simweb.attacks.framings import BEHIND, Framing, framings
from gossamer.testing.fetcher import RawServer, Reply, ask

NEXT = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext"


def said(framing: Framing) -> Reply:
    """Say it, and an answer that nobody asked for in a record of its own, or close."""

    async def reply(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(framing.said)
        await writer.drain()
        if framing.closes:
            writer.close()
        else:
            writer.write(BEHIND)

    return reply


def test_there_are_fifty_of_them_and_no_two_alike() -> None:
    names = [framing.name for framing in framings()]
    assert len(set(names)) == len(names) >= 50


@pytest.mark.parametrize("framing", framings(), ids=lambda framing: framing.name)
async def test_it_is_read_as_far_as_it_can_be_and_nothing_behind_it_is_an_answer(
    server: RawServer, fetcher: HttpFetcher, framing: Framing
) -> None:
    server.routes |= {"/": said(framing), "/next": NEXT}
    for _ in range(2):
        answer = await fetcher.fetch(ask(server.url()))
        if framing.payload is None:
            assert answer.outcome is Outcome.PROTOCOL_ERROR
        else:
            assert (answer.outcome, answer.truncated) == (Outcome.OK, framing.truncated), answer.detail
            assert answer.body.read() == framing.payload
        answer = await fetcher.fetch(ask(server.url("/next")))
        assert (answer.outcome, answer.body.read()) == (Outcome.OK, b"next"), answer.detail
