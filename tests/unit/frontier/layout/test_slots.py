"""Where the entry of a URL stands, by its slot."""

import os
import shutil
from array import array
from pathlib import Path
from random import Random

import pytest
from killing import leave_as_killed

from gossamer.config.sections import Breaker, FrontierSettings
from gossamer.errors import DiskFull, StoreError
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.frontier.layout import slots
from gossamer.frontier.layout.slots import Gathered, PureGathered, Slots, find, merge, pure_find, pure_merge
from gossamer.records.entry import Discovered, Verdict
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.storage.shelving import DirectoryShelving
from gossamer.testing.frontier_bench import EAGER, LEASE, NOW, entry, key

LAST = 1 << 40
EVERY = [entry(str(number)) for number in range(200)]


def opened(path: Path) -> EmbeddedFrontier:
    return EmbeddedFrontier.open_at(path, FrontierSettings(cache=1 << 20, recent_keys=0), EAGER, Breaker(), LEASE, NOW)


def fill(kept: Slots, count: int, seed: int = 1) -> dict[int, int]:
    """Gather that many pairs, some slots twice, and let them be written."""
    random, told = Random(seed), {}
    first = kept.next_sequence
    for sequence in range(first, first + count):
        slot = random.choice((random.getrandbits(64), random.randrange(50), 2**64 - 1 - random.randrange(50)))
        kept.gathered.add(slot, sequence << 8)
        told[slot] = sequence << 8
        kept.written(sequence)
    kept.finish()
    return told


@pytest.mark.parametrize("kind", [Gathered, PureGathered])
def test_the_last_word_about_a_slot_is_true(kind: type[Gathered]) -> None:
    gathered = kind()
    told = {number * 2**57 // 3 % 2**64: number + 1 for number in range(1000)} | dict.fromkeys(range(100), 7)
    for slot, reference in [*((slot, 1) for slot in told), *told.items()]:
        gathered.add(slot, reference)
    assert len(gathered) == len(told) and {slot: gathered.get(slot) for slot in told} == told
    assert gathered.get(2**64 - 1) is None
    assert gathered.pairs() == b"".join(
        slot.to_bytes(8, "big") + reference.to_bytes(8, "big") for slot, reference in sorted(told.items())
    )


@pytest.mark.parametrize("merging", [merge, pure_merge])
def test_what_is_merged_is_in_order_and_says_of_each_slot_what_the_newest_said(tmp_path: Path, merging: object) -> None:
    random, told = Random(5), {}
    for age in (2, 1, 0):
        gathered = PureGathered({random.getrandbits(14) << 40: random.getrandbits(60) + 1 for _ in range(9000)})
        (tmp_path / str(age)).write_bytes(gathered.pairs())
        told |= gathered
    merging([str(tmp_path / str(age)) for age in range(3)], str(tmp_path / "all"))  # type: ignore[operator]
    assert (tmp_path / "all").read_bytes() == PureGathered(told).pairs()


def test_a_slot_is_found_in_a_file_both_ways_and_only_there(tmp_path: Path) -> None:
    told = {number << 50 | number: (number << 50 | number) + 1 for number in range(1, 3000)}  # references look like slots
    (tmp_path / "pairs.part").write_bytes(PureGathered(told).pairs())
    run = slots._finished(tmp_path / "pairs.part", 1, 2999)
    assert not run.problem
    descriptor, fences = os.open(run.path, os.O_RDONLY), run._fences
    for slot in [*told, *(slot + 1 for slot in told), 0, 2**64 - 1]:
        assert run.find(slot) == find(descriptor, fences, slot) == pure_find(descriptor, fences, slot) == told.get(slot)
    assert find(descriptor, array("Q"), 5) is pure_find(descriptor, array("Q"), 5) is None
    os.close(descriptor)
    run.close()


def test_what_is_written_is_found_in_few_files_now_and_after_opening_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "MANY", 10)
    synced: list[int] = []
    kept = Slots(tmp_path / "slots", LAST, lambda: synced.append(1))
    told = fill(kept, 3000)
    assert synced and len(kept._runs) <= 8 and len(list((tmp_path / "slots").iterdir())) == len(kept._runs)
    assert {slot: kept.find(slot) for slot in told} == told and kept.find(1 << 63) is None
    covered = kept.next_sequence
    kept.close()
    kept = Slots(tmp_path / "slots", LAST, lambda: None)
    assert kept.next_sequence == covered > 2000
    assert all(kept.find(slot) == told[slot] for slot in told if told[slot] >> 8 < covered)
    kept.close()


def test_what_a_crash_left_of_merging_or_a_power_loss_took_away_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "MANY", 10)
    kept = Slots(tmp_path, LAST, lambda: None)
    fill(kept, 500)
    whole = kept.next_sequence - 1
    kept.close()
    (widest, *others) = sorted(tmp_path.glob("*.run"), key=lambda path: -path.stat().st_size)
    _, end, *content = widest.stem.split("-")
    for first, last in ((1, 3), (4, int(end, 16)), (whole + 9, whole + 11)):  # what was merged, what does not follow
        shutil.copy(widest, tmp_path / f"{first:016x}-{last:016x}-{'-'.join(content)}.run")
    shutil.copy(widest, tmp_path / "pairs.part")  # what was not finished
    kept = Slots(tmp_path, LAST, lambda: None)
    assert sorted(tmp_path.iterdir()) == sorted([widest, *others]) and kept.next_sequence == whole + 1
    kept.close()
    kept = Slots(tmp_path, whole - 1, lambda: None)  # the store forgot the last entry
    assert kept.next_sequence <= whole and sorted(tmp_path.iterdir()) != sorted([widest, *others])
    kept.close()


def test_a_disk_that_is_full_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(slots, "MANY", 1)
    kept = Slots(tmp_path, LAST, full)
    kept.gathered.add(1, 1 << 8)
    kept.written(1)
    for number in (2, 3):  # it stays so, and nothing is forgotten
        with pytest.raises(DiskFull, match="cannot keep the slots"):
            kept.finish()
        kept.gathered.add(number, number << 8)
        with pytest.raises(DiskFull, match="cannot keep the slots"):
            kept.written(number)
        assert [kept.find(slot) for slot in range(1, number + 1)] == [slot << 8 for slot in range(1, number + 1)]
    with pytest.raises(DiskFull, match="cannot keep the slots"):
        kept.close()
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot keep the slots"):
        Slots(tmp_path / "file", LAST, full)


@pytest.mark.parametrize("many", [1, 30, 1000])
@pytest.mark.parametrize("harm", ["nothing", "kill", "loss of a file", "loss of all"])
async def test_every_key_is_known_whatever_became_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int, harm: str
) -> None:
    monkeypatch.setattr(slots, "MANY", many)
    frontier = opened(tmp_path / "0")
    refused = [entry(f"r{number}", refused=Verdict(False, because(Rule.SCOPE_WITHIN))) for number in range(9)]
    for start in range(0, 200, 20):
        await frontier.discover(EVERY[start : start + 20], NOW)
    await frontier.discover(refused, NOW)
    await frontier.discover([entry("r1")], NOW)
    if harm == "kill":
        await leave_as_killed(frontier, tmp_path / "1")
    else:
        await frontier.aclose()
        shutil.copytree(tmp_path / "0", tmp_path / "1")
    files = sorted((tmp_path / "1" / "slots").glob("*.run"))
    for path in files if harm == "loss of all" else files[-1:] if harm == "loss of a file" else ():
        path.unlink()
    frontier = opened(tmp_path / "1")
    again = [*EVERY, *(each for each in refused if each.key != key("r1"))]
    assert await frontier.discover(again, NOW) == Discovered(known=208)
    assert await frontier.discover([entry("r2"), entry("r2"), entry("r1")], NOW) == Discovered(new=1, known=2)
    assert sorted([known.entry.key async for known in frontier.known()]) == sorted(each.key for each in [*EVERY, *refused])
    await frontier.aclose()


async def test_a_clean_end_leaves_little_to_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for worth_it, left in ((100, 0), (1000, 200)):
        monkeypatch.setattr(slots, "WORTH_IT", worth_it)
        path = tmp_path / str(worth_it)
        frontier = opened(path)
        await frontier.discover(EVERY, NOW)
        await frontier.aclose()
        frontier = opened(path)
        assert len(frontier._seen.slots.gathered) == left
        assert await frontier.discover(EVERY, NOW) == Discovered(known=200)
        await frontier.aclose()


async def test_a_frontier_that_failed_keeps_nothing_that_was_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "WORTH_IT", 1)
    frontier = opened(tmp_path)
    with pytest.raises(UnicodeEncodeError):
        await frontier.discover([*EVERY, entry("\ud800")], NOW)
    await frontier.aclose()
    frontier = opened(tmp_path)
    assert await frontier.discover(EVERY, NOW) == Discovered(new=200)
    assert (await frontier.lookup(key("7"))) is not None
    await frontier.aclose()


async def test_a_checkpoint_has_the_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "MANY", 50)
    frontier = opened(tmp_path / "0")
    await frontier.discover(EVERY, NOW)
    await frontier.checkpoint(DirectoryShelving(tmp_path / "1"))
    await frontier.aclose()
    assert list((tmp_path / "1" / "slots").glob("*.run"))
    frontier = opened(tmp_path / "1")
    assert await frontier.discover(EVERY, NOW) == Discovered(known=200)
    await frontier.aclose()
