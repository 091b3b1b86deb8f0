"""What travels: every call arrives as it was sent, whatever the pieces it comes in."""

import asyncio
import socket

import pytest

from gossamer.children import framed
from gossamer.document.body import Body
from gossamer.records.entry import Entry
from gossamer.records.evidence import Probe, Ruling
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Original, Page, Place
from gossamer.records.reason import because
from gossamer.remote import wire

PAGE = Original("http://a/", "http://a/", 1.5, True)
ENTRY = Entry("http://a/x", "http://a/x", "a", depth=2, via="http://a/")
LEASE = Lease(token=7, worker="w", entry=ENTRY, leased_at=1.0, until=2.0)
SETTLEMENT = Settlement(lease=LEASE, fate=Fate.DONE, outcome=Outcome.OK, answer=Answer(at=1.0), discovered=(ENTRY,))
ROW = Page(url="http://a/", key="http://a/", host="a", outcome=Outcome.OK, place=Place("f", 1, 2))
LIKENESS = Likeness(2**64 - 1, 500, (0, 2**32 - 1))
LEARNING = wire.Ended(
    8,
    Fate.DEFERRED,
    Outcome.DEFERRED,
    because("a.rule", text="why"),
    None,
    None,
    (),
    None,
    None,
    "",
    0,
    LIKENESS,
    (PAGE, PAGE, 3),
    ("/a/", Probe(url="http://a/a/p", status=200, simhash=2**64 - 1, title="ü", ruling=Ruling.ALLOW)),
    True,
)
CALLS = [
    wire.LeaseCall(1, "w", 5, 1.0),
    wire.ConsultCall(2, "http://a/", "us", 1.0),
    wire.ClaimCall(3, PAGE, "sha1:A", None),
    wire.ClaimCall(11, PAGE, "", LIKENESS),
    wire.CommitCall(4, (wire.Ended(7, Fate.DONE, Outcome.OK, None, None, None, (ENTRY,), ROW, ("sha1:A", PAGE), "", 10),)),
    wire.CommitCall(5, (LEARNING,)),
    wire.DiscoverCall(6, (ENTRY,), 1.0),
    wire.ReserveCall(7, "w", "a", 1.0),
    wire.SettleCall(8, (SETTLEMENT,), 1.0),
    wire.PaceCall(9, "a", 2.0),
    wire.BlockCall(10, "a", 2.0, because("a.rule", text="why")),
    wire.Unask("http://a/"),
    wire.Unclaim(PAGE, "sha1:A", LIKENESS),
    wire.Tell(b"\x00event"),
    wire.Fail("StoreError", "broken"),
]


def test_every_call_arrives_as_it_was_sent() -> None:
    assert wire.decode_calls(wire.encode(CALLS)) == CALLS


def test_the_answer_of_a_robots_txt_travels_with_its_bytes() -> None:
    fetched = Fetched(url="http://a/robots.txt", outcome=Outcome.OK, status=200, body=Body.of(b"Disallow: /\xff"))
    (call,) = wire.decode_calls(wire.encode([wire.LearnCall(5, "http://a/", fetched, "us", 1.0, 2.0)]))
    assert isinstance(call, wire.LearnCall)
    assert (call.fetched.url, call.fetched.status, call.fetched.body.read()) == (fetched.url, 200, b"Disallow: /\xff")


def test_half_a_surrogate_pair_costs_a_character_and_not_the_connection() -> None:
    sent = [wire.Fail("StoreError", "a\ud800b"), wire.Tell(b"\xff")]
    assert wire.decode_calls(wire.encode(sent)) == [wire.Fail("StoreError", "a?b"), wire.Tell(b"\xff")]
    (reply,) = wire.decode_replies(wire.encode([wire.Reply(3, wire.STOP.value, "StoreError", "a\ud800b")]))
    assert (reply.number, reply.text) == (3, "a?b")


def test_what_does_not_travel_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="object does not travel"):
        wire.encode([object()])


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
async def test_frames_may_come_in_any_pieces(size: int) -> None:
    received: list[object] = []
    line = wire.Line(wire.decode_calls, received.extend, lambda: None)
    stream = framed(wire.encode(CALLS[:2])) + framed(wire.encode([])) + framed(wire.encode(CALLS[2:]))
    for start in range(0, len(stream), size):
        line.data_received(stream[start : start + size])
    assert received == CALLS


async def test_what_is_said_in_one_turn_goes_into_one_frame() -> None:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    line = wire.Line(wire.decode_calls, lambda calls: None, lambda: None)
    await asyncio.get_running_loop().create_unix_connection(lambda: line, sock=ours)
    line.send(CALLS[0])
    line.send(CALLS[1])
    await asyncio.sleep(0)
    frame = await asyncio.get_running_loop().sock_recv(theirs, 65536)
    assert wire.decode_calls(frame[wire.LENGTH :]) == CALLS[:2]
    assert int.from_bytes(frame[: wire.LENGTH], "big") == len(frame) - wire.LENGTH
    line.close()
    theirs.close()
