"""Pulses that are kept: torn lines, a file that rolls, one who follows and does not read."""

import asyncio
from itertools import pairwise
from pathlib import Path

from msgspec.structs import replace

from gossamer.jobs.pulse import BEHIND, DAY, NAME, PulseFile, Pulses, kept_pulses, last_kept
from gossamer.jobs.wire import PULSE, TROUBLE
from gossamer.records.pulse import Pulse
from gossamer.records.standing import FrontierStatistics

NOTHING = FrontierStatistics(waiting=0, leased=0, done=0, dead=0, removed=0, hosts=0)
FIRST = Pulse(at=1_000.0, state="running", frontier=NOTHING)


def test_a_pulse_is_kept_every_ten_seconds_and_the_last_one_always(tmp_path: Path) -> None:
    file = PulseFile(tmp_path)
    for second in range(25):
        file.keep(replace(FIRST, at=FIRST.at + second))
    file.keep(replace(FIRST, at=FIRST.at + 25, end="finished"), is_last=True)
    file.close()
    assert [pulse.at - FIRST.at for pulse in kept_pulses(tmp_path)] == [0, 10, 20, 25]
    last = last_kept(tmp_path)
    assert last is not None and last.end == "finished"


def test_a_line_that_was_torn_costs_itself_alone(tmp_path: Path) -> None:
    file = PulseFile(tmp_path)
    file.keep(FIRST)
    file.close()
    with (tmp_path / NAME).open("ab") as torn:
        torn.write(b'{"at": 1005.0, "sta')
    assert last_kept(tmp_path) == FIRST
    after = PulseFile(tmp_path)
    after.keep(replace(FIRST, at=2_000.0))
    after.close()
    assert [pulse.at for pulse in kept_pulses(tmp_path)] == [1_000.0, 2_000.0]


def test_the_file_is_thinned_to_a_pulse_a_minute_and_never_longer_than_its_limit(tmp_path: Path) -> None:
    most = 60_000
    file = PulseFile(tmp_path, most)
    for ten in range(300):
        file.keep(replace(FIRST, at=FIRST.at + 10 * ten))
        assert (tmp_path / NAME).stat().st_size <= most + 2_000
    kept = [pulse.at for pulse in kept_pulses(tmp_path)]
    assert kept == sorted(kept) and kept[-1] == FIRST.at + 2_990
    later = FIRST.at + 2 * DAY
    size = 0
    while (tmp_path / NAME).stat().st_size > size:  # until it was thinned once more
        size = (tmp_path / NAME).stat().st_size
        later += 10
        file.keep(replace(FIRST, at=later))
    file.close()
    old = [pulse.at for pulse in kept_pulses(tmp_path, until=FIRST.at + DAY)]
    assert all(then - before >= 60 for before, then in pairwise(old))


async def test_one_who_follows_and_does_not_read_misses_the_oldest_and_holds_up_nobody() -> None:
    pulses = Pulses(FIRST)
    following = pulses.follow((TROUBLE,))
    waiting = asyncio.ensure_future(anext(following))
    await asyncio.sleep(0)
    for number in range(3 * BEHIND):
        pulses.happened(TROUBLE, {"number": number})
    assert (await waiting)[0] == TROUBLE
    seen = [(await anext(following))[1]["number"] for _ in range(BEHIND - 1)]
    assert seen[-1] == 3 * BEHIND - 1
    await following.aclose()  # type: ignore[attr-defined]


async def test_who_follows_pulses_gets_the_last_one_at_once_and_no_other_kind() -> None:
    pulses = Pulses(FIRST)
    following = pulses.follow((PULSE,))
    assert (await anext(following))[1]["at"] == FIRST.at
    pulses.happened(TROUBLE, {"what": "nothing"})
    pulses.tell(replace(FIRST, at=1_001.0))
    assert await anext(following) == (PULSE, (await anext(pulses.follow((PULSE,))))[1])
