"""kill -9 of a crawl that tells all its sinks: what was settled is told, what was never settled is not, and little is repeated.

The witnesses are the synthetic web's manifest and the catalog, not the chronicle: a URL of a finite crawl is finished once, so
that a visit which was told though it was never settled would show as a second end of its URL.
"""

import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from consumers import consumer_running, decode
from crawling import CLEAN, GOSSAMER, Simweb, outcomes_of, run_gossamer, simweb_running, wrong_outcomes

from gossamer.records.event import Event

KILLS = int(os.environ.get("GOSSAMER_SOAK_SINK_KILLS", "5"))
BATCH = 20
SERVED = ("webhook", "redis", "nats", "kafka")
# Where it dies in turn; the empty one is anywhere.
POINTS = (
    "after-chronicle",
    "before-cursor",
    "before-mark",
    "",
    "after-cursor",
    "before-chronicle",
    "after-mark",
    "after-commit",
)
FINAL = {"done", "dead"}


@dataclass(frozen=True)
class Told:
    """A crawl that was killed again and again, and what its consumers have received."""

    directory: Path
    web: Simweb
    kills: int
    received: dict[str, list[Event]]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """Kill a crawl at points and at random, and resume it each time."""
    place = tmp_path_factory.mktemp("sinks")
    chance = random.Random(17)
    with ExitStack() as stack:
        web = stack.enter_context(simweb_running(place, hosts=20, pages=24 * KILLS + 60, seed=17))
        consumers = {kind: stack.enter_context(consumer_running(kind, place / kind)) for kind in SERVED}
        sinks = [word for uri in ("stdout:", *(one.uri for one in consumers.values())) for word in ("--events", uri)]
        options = ["--delay", "0.02", "--quiet", "--set", f"events.batch={BATCH}", "--set", "events.linger=0.02"]
        directory, outputs, deaths = place / "crawl", [place / "out0"], 0
        words: list[object] = ["crawl", "--dir", directory, *options, "--set", "crawl.returns=1000", *web.crawl_options, *sinks]
        while deaths < KILLS:
            died = _died(words, POINTS[deaths % len(POINTS)], chance, outputs[-1], web)
            assert died, "it ended before it could be killed: give it more pages"
            deaths, words = deaths + 1, ["resume", directory, "--quiet"]
            outputs.append(place / f"out{deaths}")
        with outputs[-1].open("wb") as output:
            last = subprocess.run([*GOSSAMER, *map(str, words)], stdout=output, stderr=subprocess.PIPE, env=CLEAN, timeout=100)
        assert last.returncode == 0, last.stderr
        received = {kind: consumer.events() for kind, consumer in consumers.items()}
        received["stdout"] = [decode(line) for path in outputs for line in path.read_bytes().split(b"\n")[:-1]]
        yield Told(directory, web, deaths, received)


def _died(words: list[object], point: str, chance: random.Random, output: Path, web: Simweb) -> bool:
    """Run a command until it dies at a point, or is killed after some requests more; tell whether it died."""
    faults = {"GOSSAMER_FAULTS": f'{{"crash": {{"{point}": {chance.randint(2, 6)}}}}}'} if point else {}
    with output.open("wb") as file:
        crawler = subprocess.Popen([*GOSSAMER, *map(str, words)], stdout=file, stderr=subprocess.DEVNULL, env=CLEAN | faults)
        if not point:
            until = web.requests() + chance.randint(1, 30)
            while web.requests() < until and crawler.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    crawler.wait(0.01)
            crawler.kill()
        return crawler.wait(60) == -signal.SIGKILL


SINKS = (*SERVED, "stdout")


@pytest.mark.parametrize("sink", SINKS)
def test_every_settled_visit_is_told_and_none_that_was_never_settled(sink: str, told: Told) -> None:
    once = {event.id: event for event in told.received[sink] if event.kind == "visit"}
    ends = [_visit(event) for event in once.values() if event.said.get("fate", "done") in FINAL]
    assert [key for key, count in Counter(key for key, _ in ends).items() if count > 1] == []
    rows = [msgspec.json.decode(line) for line in run_gossamer("pages", told.directory, "--json", "-n", 0).stdout.splitlines()]
    assert len(rows) > KILLS * 12
    assert {(row["key"], row["token"]) for row in rows} == set(ends)


def _visit(event: Event) -> tuple[str, int]:
    """Return which lease of which URL a visit had."""
    return event.said.get("key") or event.said["url"], event.said["token"]


@pytest.mark.parametrize("sink", SINKS)
def test_all_are_told_the_same_and_little_more_than_once(sink: str, told: Told) -> None:
    ids = Counter(event.id for event in told.received[sink])
    assert ids.keys() == {event.id for event in told.received["webhook"]}
    assert sum(ids.values()) - len(ids) <= told.kills * BATCH


def test_events_of_a_host_are_told_in_their_order(told: Told) -> None:
    for events in told.received.values():
        last: dict[str, str] = {}
        for event in {event.id: event for event in events if event.host}.values():
            assert last.get(event.host, "") < event.id
            last[event.host] = event.id


def test_the_crawl_itself_has_lost_nothing(told: Told) -> None:
    assert wrong_outcomes(told.web, outcomes_of(told.directory, told.web)) == []
