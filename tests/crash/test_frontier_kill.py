"""Acknowledged means durable: a frontier killed with SIGKILL at any moment has everything it said it had."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.records.outcome import State

NOW = 1_700_000_000.0
CHILD = """
import asyncio, json, sys
from pathlib import Path
from gossamer.config.sections import Breaker, FrontierSettings, Politeness
from gossamer.frontier.layout import slots
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.records.lease import Answer, Fate, Settlement
from gossamer.records.entry import Entry
from gossamer.records.outcome import Outcome
from gossamer.url.fingerprint import fingerprint

slots.MANY = 20  # files are written and merged all the time

def say(**words):
    print(json.dumps(words), flush=True)

async def main():
    now = float(sys.argv[2])
    given = FrontierSettings(cache=1 << 20), Politeness(delay=0, connections=4), Breaker(), 300.0, now
    frontier = EmbeddedFrontier.open_at(Path(sys.argv[1]), *given, opic=sys.argv[4] == "True")
    number = (await frontier.statistics()).done * 10 + 1000 * int(sys.argv[3])
    while True:
        number += 1
        keys = [f"http://{number % 7}.example/{number}/{each}" for each in range(3)]
        await frontier.discover([Entry(key, key, f"{number % 7}.example") for key in keys], now)
        say(found=keys)
        leases = (await frontier.lease("child", 2, now)).leases
        say(leased=[lease.entry.key for lease in leases])
        links = [f"http://{number % 5}.other/{number}/{each}" for each in range(2)]
        found = tuple(Entry(link, link, f"{number % 5}.other") for link in links)
        paid = tuple(map(fingerprint, [*links, *keys, f"http://{number % 5}.other/{number - 5}/0"]))
        ends = [
            Settlement(lease=lease, fate=Fate.DONE, outcome=Outcome.OK, answer=Answer(at=now), discovered=found, links=paid)
            for lease in leases[:1]
        ]
        await frontier.settle(ends, now)
        say(done=[lease.entry.key for lease in leases[:1]], found=links if ends else [])

asyncio.run(main())
"""


def run_and_kill(folder: Path, turn: int, lines: int, opic: bool) -> list[dict[str, list[str]]]:
    """Let the child work until it said so many things, kill it, and return all it said."""
    words = [sys.executable, "-c", CHILD, str(folder), str(NOW + turn), str(turn), str(opic)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        said = [child.stdout.readline() for _ in range(lines)]
        os.kill(child.pid, signal.SIGKILL)
        said += child.stdout.read().splitlines(keepends=True)
    return [json.loads(line) for line in said if line.endswith("\n")]


@pytest.mark.parametrize(("seed", "opic"), [(1, False), (2, True)])
async def test_what_was_acknowledged_before_a_kill_is_there_after_it(tmp_path: Path, seed: int, opic: bool) -> None:
    random = Random(seed)
    found: set[str] = set()
    done: set[str] = set()
    for turn in range(1, 4):
        for said in run_and_kill(tmp_path / "frontier", turn, random.randint(5, 400), opic):
            found.update(said.get("found", ()))
            done.update(said.get("done", ()))
        given = FrontierSettings(cache=1 << 20), Politeness(), Breaker(), 300.0, NOW + turn
        frontier = EmbeddedFrontier.open_at(tmp_path / "frontier", *given, opic=opic)
        states = {known.entry.key: known.state async for known in frontier.known()}
        numbers = await frontier.statistics()
        credit = sum([known.credit or 0 async for known in frontier.known()]) + (numbers.lambda_credit or 0)
        await frontier.aclose()
        assert credit == (numbers.credit or 0) and bool(credit) is opic
        assert found and done and found <= states.keys()
        assert all(states[key] is State.DONE for key in done)
        assert set(states.values()) == {State.WAITING, State.DONE} and numbers.leased == 0
        assert numbers.done + numbers.waiting == len(states) and numbers.done - len(done) in (0, 1)
        done = {key for key, state in states.items() if state is State.DONE}
