"""Every sink keeps the promises of its joint, with a real consumer at the other end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from consumers import KINDS, Consumer, Pipe, consumer_running

from gossamer.config.sections import Dns, Fetch
from gossamer.dns.cache import CachingResolver
from gossamer.dns.guard import AddressGuard
from gossamer.dns.resolver import DnsResolver
from gossamer.joints.sink import Sink
from gossamer.records.sinkuri import sink_uri
from gossamer.registry import choose, keys
from gossamer.sinks import kafka, stdout
from gossamer.testing.sink import RULES, Rule, a_sink_may_be_away_from_the_start, whoever_is_away_is_told_when_back

LEAVING = (a_sink_may_be_away_from_the_start, whoever_is_away_is_told_when_back)


@pytest.fixture(params=KINDS)
def consumer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Consumer]:
    """Run one consumer after the other."""
    with consumer_running(request.param, tmp_path / "served") as running:
        yield running


def sink_of(consumer: Consumer) -> Sink:
    """Make the sink that tells a consumer."""
    uri = sink_uri(consumer.uri, keys("sink"))
    resolver, guard = CachingResolver(DnsResolver(Dns()), Dns()), AddressGuard(["127.0.0.0/8"]).refusal
    output = {"output": consumer.writing} if isinstance(consumer, Pipe) else {}
    made: Sink = choose("sink", uri.scheme)(uri, "", Fetch(), resolver, guard, **output)
    return made


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_a_sink_keeps_its_promise(consumer: Consumer, rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    if rule in LEAVING:
        for module in (kafka, stdout):
            monkeypatch.setattr(module, "PATIENCE", 2.5)  # of those that leave by falling asleep
    await rule(lambda: sink_of(consumer), consumer)


def test_every_sink_looks_like_its_joint() -> None:
    assert all(issubclass(choose("sink", key), Sink) for key in keys("sink"))
