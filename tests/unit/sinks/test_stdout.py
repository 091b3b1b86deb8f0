"""Standard output: a reader that falls asleep finds every line whole when it wakes up; one that is gone is not waited for."""

import asyncio
import fcntl
import os

import pytest

from gossamer.config.sections import Dns, Fetch
from gossamer.dns.cache import CachingResolver
from gossamer.dns.resolver import DnsResolver
from gossamer.errors import ConsumerGone, SinkError
from gossamer.records.sinkuri import sink_uri
from gossamer.sinks import stdout
from gossamer.sinks.lines import json_lines
from gossamer.sinks.stdout import StdoutSink
from gossamer.testing.sink import some_events


def sink_to(output: int) -> StdoutSink:
    """Make a sink that writes there."""
    resolver = CachingResolver(DnsResolver(Dns()), Dns())
    return StdoutSink(sink_uri("stdout:", ["stdout"]), "", Fetch(), resolver, lambda address: "", output)


async def test_a_line_that_was_begun_is_ended_before_it_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdout, "PATIENCE", 0.1)
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 16384)
    sink, events = sink_to(writing), some_events(300)
    with pytest.raises(SinkError, match="has taken nothing"):
        await sink.send(events)
    begun = os.read(reading, 1024 * 1024)
    assert not begun.endswith(b"\n")
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1024 * 1024)
    await sink.send(events)
    os.close(writing)
    rest = b""
    while piece := os.read(reading, 65536):
        rest += piece
    os.close(reading)
    lines = json_lines(events).splitlines()
    whole = (begun + rest).splitlines()
    assert whole[-300:] == lines
    assert whole[:-300] == lines[: len(whole) - 300]
    assert len(whole) > 300


async def test_a_reader_that_is_gone_is_gone_for_good() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(ConsumerGone):
        await asyncio.wait_for(sink_to(writing).send(some_events(1)), 10)
    os.close(writing)
