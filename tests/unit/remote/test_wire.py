"""What travels: every call arrives as it was sent, whatever the pieces it comes in."""

import asyncio
import socket
import subprocess
import sys
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from msgspec.structs import fields, replace

from gossamer.children import framed
from gossamer.document.body import Body
from gossamer.errors import CannotGoOn
from gossamer.records.entry import Entry
from gossamer.records.evidence import Probe, Ruling
from gossamer.records.fetch import Fetched
from gossamer.records.lease import Answer, Fate, Lease, Settlement
from gossamer.records.likeness import Likeness
from gossamer.records.outcome import Outcome
from gossamer.records.page import Original, Page, Place
from gossamer.records.reason import because
from gossamer.records.visit import Visit
from gossamer.remote import wire

PAGE = Original("http://a/", "http://a/", 1.5, True)
ENTRY = Entry("http://a/x", "http://a/x", "a", depth=2, via="http://a/")
LEASE = Lease(token=7, worker="w", entry=ENTRY, leased_at=1.0, until=2.0)
SETTLEMENT = Settlement(lease=LEASE, fate=Fate.DONE, outcome=Outcome.OK, answer=Answer(at=1.0), discovered=(ENTRY,))
ROW = Page(url="http://a/", key="http://a/", host="a", outcome=Outcome.OK, place=Place("f", 1, 2))
LIKENESS = Likeness(2**64 - 1, 500, (0, 2**32 - 1))
VISIT = Visit(settlement=SETTLEMENT, page=ROW, claim=("sha1:A", PAGE), received=10)
LEARNING = Visit(
    settlement=Settlement(
        lease=replace(LEASE, token=8), fate=Fate.DEFERRED, outcome=Outcome.DEFERRED, reason=because("a.rule", text="why")
    ),
    likeness=LIKENESS,
    twin=(PAGE, PAGE, 3),
    probe=("/a/", Probe(url="http://a/a/p", status=200, simhash=2**64 - 1, title="ü", ruling=Ruling.ALLOW)),
    suspicious=True,
)
CALLS = [
    wire.LeaseCall(1, "w", 5, 1.0),
    wire.ConsultCall(2, "http://a/", "us", 1.0),
    wire.ClaimCall(3, PAGE, "sha1:A", None),
    wire.ClaimCall(11, PAGE, "", LIKENESS),
    wire.CommitCall(4, (wire.ended(VISIT),)),
    wire.CommitCall(5, (wire.ended(LEARNING),)),
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


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in (Visit, Settlement) for name in kind.__struct_fields__])
def test_whatever_a_visit_has_travels(kind: type, name: str) -> None:
    if name in ("lease", "settlement"):
        return  # the node keeps the one, and the other is taken apart
    value = example(get_type_hints(kind)[name])
    assert value != next(field for field in fields(kind) if field.name == name).default, "that shows nothing"
    sent = replace(VISIT, **{name: value}) if kind is Visit else replace(VISIT, settlement=replace(SETTLEMENT, **{name: value}))
    (call,) = wire.decode_calls(wire.encode([wire.CommitCall(1, (wire.ended(sent),))]))
    assert isinstance(call, wire.CommitCall) and wire.visit_of(call.visits[0], LEASE) == sent


PLAIN = {bool: True, int: 7, float: 2.5, str: "a text", bytes: b"some", Any: "anything"}


def example(kind: Any) -> Any:
    """Return a value of a type, with as much in it as there can be."""
    if kind in PLAIN:
        return PLAIN[kind]
    if get_origin(kind) in (Union, UnionType):
        return example(next(part for part in get_args(kind) if part is not NoneType))
    if get_origin(kind) is tuple:
        return tuple(example(part) for part in get_args(kind) if part is not ...)
    if get_origin(kind) is dict:
        return {example(part): example(other) for part, other in [get_args(kind)]}
    if issubclass(kind, Enum):
        return list(kind)[-1]
    return kind(**{name: example(hint) for name, hint in get_type_hints(kind).items() if name in kind.__struct_fields__})


def test_the_version_is_another_one_as_soon_as_a_record_has_another_field(monkeypatch: pytest.MonkeyPatch) -> None:
    before = wire.version()
    ask = [sys.executable, "-c", "from gossamer.remote.wire import version; print(version())"]
    assert int(subprocess.run(ask, capture_output=True, check=True).stdout) == before, "another process says otherwise"
    longer = msgspec.defstruct("Granted", [("more", int)], bases=(wire.Granted,), kw_only=True, array_like=True, frozen=True)
    monkeypatch.setattr(wire, "Granted", longer)
    wire.version.cache_clear()
    assert wire.version() != before
    monkeypatch.undo()
    wire.version.cache_clear()


def test_a_worker_of_another_version_refuses_in_one_sentence() -> None:
    greeting = wire.WorkerGreeting("w", "/d", b"{}", (), 0.0)
    assert wire.decode_greeting(wire.greet(greeting)) == greeting
    with pytest.raises(CannotGoOn, match=r"version 00000063, this worker [0-9a-f]{8}.*resume it"):
        wire.decode_greeting(wire.encode((99, "whatever a newer one says")))


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
