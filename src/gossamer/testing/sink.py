"""The checker of a sink: what any implementation of `joints.sink.Sink` has to promise.

    for rule in RULES:
        await rule(make_sink, consumer)

`make_sink` makes a sink that tells the consumer; `consumer` says what has arrived there, and can go away and come back.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from gossamer.errors import SinkError
from gossamer.joints.sink import Sink
from gossamer.records.event import Event

ATTEMPTS = 20  # until a consumer that is back must have been told
TEXTS = ("plain", "", "ü 漢 \U0001f577", 'quotes " and \\', "two\nlines\r\n", "\x00\x1f\x7f", "long " * 20_000)


class SinkConsumer(Protocol):
    """Whoever is told, as a checker sees it."""

    async def received(self) -> list[Event]:
        """Return what has arrived so far, in order."""

    async def leave(self) -> None:
        """Be out of reach from now on."""

    async def come_back(self) -> None:
        """Be there again, with what had arrived before."""


Maker = Callable[[], Sink]
Rule = Callable[[Maker, SinkConsumer], Awaitable[None]]


def some_events(count: int, first: int = 1) -> list[Event]:
    """Make events of three hosts in turn."""
    return [
        Event(id=f"n-{number}-1", kind="visit", at=float(number), host=f"host{number % 3}.test", said={"number": number})
        for number in range(first, first + count)
    ]


def in_order(events: Sequence[Event], received: Sequence[Event]) -> bool:
    """Tell whether all events are there, those of each host in their order; what came more than once counts once."""
    once = {event.id: event for event in received}
    hosts = {event.host for event in events}
    return all(
        [event for event in once.values() if event.host == host] == [event for event in events if event.host == host]
        for host in hosts
    )


async def what_was_sent_has_arrived(make_sink: Maker, consumer: SinkConsumer) -> None:
    sink, events = make_sink(), some_events(450)
    for start in (0, 200, 400):
        await sink.send(events[start : start + 200])
        assert in_order(events[: start + 200], await consumer.received()), "send returned, and not everything is there in order"
    await sink.aclose()
    assert len(await consumer.received()) == len(events), "something came more than once"


async def a_text_arrives_as_it_was(make_sink: Maker, consumer: SinkConsumer) -> None:
    sink = make_sink()
    said = {"texts": list(TEXTS), "number": 2**53, "nothing": None, "half": 0.5}
    events = [Event(id="n-1-1", kind="word", at=1.5, said=said), Event(id="n-1-2", kind="gap", at=0.0)]
    await sink.send(events)
    assert sorted(await consumer.received(), key=lambda event: event.id) == events, "an event is not what it was"
    await sink.aclose()


async def what_is_sent_again_is_there_all_the_same(make_sink: Maker, consumer: SinkConsumer) -> None:
    sink, events = make_sink(), some_events(20)
    await sink.send(events)
    await sink.aclose()
    sink = make_sink()
    await sink.send(events[10:])
    await sink.send(some_events(5, first=21))
    await sink.aclose()
    assert in_order(some_events(25), await consumer.received()), "a repeat has cost something"


async def whoever_is_away_is_told_when_back(make_sink: Maker, consumer: SinkConsumer) -> None:
    sink, events = make_sink(), some_events(30)
    await sink.send(events[:10])
    await consumer.leave()
    for _ in range(2):
        assert await _failure(sink, events[10:]), "nobody was there, and send returned"
    await consumer.come_back()
    for _ in range(ATTEMPTS):
        if not await _failure(sink, events[10:]):
            break
    else:
        raise AssertionError("whoever was away is back, and is still not told")
    assert in_order(events, await consumer.received()), "not everything is there in order"
    await sink.aclose()


async def a_sink_may_be_away_from_the_start(make_sink: Maker, consumer: SinkConsumer) -> None:
    await consumer.leave()
    sink = make_sink()
    assert await _failure(sink, some_events(1)), "nobody was there, and send returned"
    await sink.aclose()
    await sink.aclose()
    await consumer.come_back()


async def _failure(sink: Sink, events: Sequence[Event]) -> str:
    """Return what a sink says of events that it could not hand over; an empty text: it could."""
    try:
        await sink.send(events)
    except SinkError as error:
        return str(error)
    return ""


RULES: tuple[Rule, ...] = (
    what_was_sent_has_arrived,
    a_text_arrives_as_it_was,
    what_is_sent_again_is_there_all_the_same,
    whoever_is_away_is_told_when_back,
    a_sink_may_be_away_from_the_start,
)
