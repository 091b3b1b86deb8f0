"""Files of a frontier that were damaged: it is what it was, or it is refused; it is never empty and never forgets."""

import logging
import shutil
from pathlib import Path
from random import Random

import pytest
from killing import leave_as_killed

from gossamer.config.sections import Breaker, FrontierSettings
from gossamer.errors import StoreError
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.frontier.layout import slots
from gossamer.frontier.layout.sheets import written_in
from gossamer.records.entry import Discovered
from gossamer.testing.frontier_bench import EAGER, LEASE, NOW, entry, key
from gossamer.url.fingerprint import fingerprint

EVERY = [entry(str(number)) for number in range(60)]


def opened(path: Path) -> EmbeddedFrontier:
    return EmbeddedFrontier.open_at(path, FrontierSettings(cache=1 << 20, recent_keys=0), EAGER, Breaker(), LEASE, NOW)


@pytest.fixture
async def whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A frontier that was closed, its slots in files."""
    monkeypatch.setattr(slots, "WORTH_IT", 1)
    frontier = opened(tmp_path / "whole")
    await frontier.discover(EVERY, NOW)
    await frontier.aclose()
    return tmp_path / "whole"


async def knows_all(path: Path) -> bool:
    frontier = opened(path)
    found = [await frontier.lookup(each.key) for each in EVERY]
    counts = await frontier.discover(EVERY, NOW)
    await frontier.aclose()
    return all(found) and counts == Discovered(known=len(EVERY))


def copies(whole: Path, name: str, count: int, random: Random) -> list[tuple[Path, bytes]]:
    """Return the file of that name with damaged contents: half of them cut, half with a bit flipped."""
    (file,) = whole.glob(name)
    content, damaged = file.read_bytes(), []
    for number in range(count):
        at = random.randrange(len(content))
        flipped = bytearray(content)
        flipped[at] ^= 1 << random.randrange(8)
        damaged.append((file.relative_to(whole), content[:at] if number % 2 else bytes(flipped)))
    return damaged


async def test_a_damaged_manifest_is_no_fresh_start(whole: Path, tmp_path: Path) -> None:
    for name, content in copies(whole, "store/MANIFEST-*", 40, Random(1)):
        shutil.copytree(whole, tmp_path / "copy")
        (tmp_path / "copy" / name).write_bytes(content)
        with pytest.raises(StoreError, match=f"{name.name} is damaged.*restore it from a checkpoint"):
            opened(tmp_path / "copy")
        assert list((tmp_path / "copy" / "store").glob("*.sst")), "what the manifest does not name is deleted"
        shutil.rmtree(tmp_path / "copy")


async def test_a_manifest_cut_after_a_kill_is_no_fresh_start_either(whole: Path, tmp_path: Path) -> None:
    frontier = opened(whole)
    await leave_as_killed(frontier, tmp_path / "killed")
    (manifest,) = (tmp_path / "killed").glob("store/MANIFEST-*")
    for end in range(0, manifest.stat().st_size, 7):
        shutil.copytree(tmp_path / "killed", tmp_path / "copy")
        (tmp_path / "copy" / "store" / manifest.name).write_bytes(manifest.read_bytes()[:end])
        with pytest.raises(StoreError, match=f"{manifest.name} is damaged.*restore it from a checkpoint"):
            opened(tmp_path / "copy")
        shutil.rmtree(tmp_path / "copy")
    assert await knows_all(tmp_path / "killed")


@pytest.mark.parametrize("killed", [False, True], ids=["closed", "killed"])
async def test_a_store_that_is_gone_is_no_fresh_start(whole: Path, killed: bool, tmp_path: Path) -> None:
    if killed:
        frontier = opened(whole)
        await leave_as_killed(frontier, tmp_path / "killed")
        whole = tmp_path / "killed"
    for lost in ("CURRENT", "MANIFEST-*", "*.sst"):
        shutil.copytree(whole, tmp_path / "copy")
        for file in (tmp_path / "copy" / "store").glob(lost):
            file.unlink()
        with pytest.raises(StoreError, match="restore it from a checkpoint"):
            opened(tmp_path / "copy")
        shutil.rmtree(tmp_path / "copy")
    shutil.rmtree(whole / "store")
    with pytest.raises(StoreError, match=r"store is empty, but .*\.run is not; restore it from a checkpoint"):
        opened(whole)


@pytest.mark.parametrize("name", ["slots/*.run", "seen.bloom"])
async def test_what_can_be_made_again_is_and_one_line_says_so(
    name: str, whole: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert await knows_all(shutil.copytree(whole, tmp_path / "sound")) and not caplog.records
    for file, content in copies(whole, name, 20, Random(2)):
        shutil.copytree(whole, tmp_path / "copy")
        (tmp_path / "copy" / file).write_bytes(content)
        with caplog.at_level(logging.WARNING):
            assert await knows_all(tmp_path / "copy"), "a known URL is new"
        (line,) = caplog.messages
        assert str(file) in line and "is made again from the sheets" in line
        caplog.clear()
        shutil.rmtree(tmp_path / "copy")


async def test_a_slot_that_leads_to_another_url_is_an_error_in_our_words(whole: Path) -> None:
    frontier = opened(whole)
    elsewhere = frontier._seen.slots.find(fingerprint(key("2")))
    assert elsewhere is not None
    frontier._seen.slots.gathered.add(fingerprint(key("1")), elsewhere)
    with pytest.raises(StoreError, match=r"the frontier is damaged.*restore a checkpoint"):
        await frontier.lookup(key("1"))
    with pytest.raises(StoreError, match=r"the frontier is damaged.*restore a checkpoint"):
        await frontier.discover([entry("1")], NOW)
    await frontier.aclose()


async def test_a_sheet_that_is_cut_is_an_error_in_our_words(whole: Path) -> None:
    frontier = opened(whole)
    ((first, sheet), *_) = frontier._store.sheets_from(b"")
    assert written_in(sheet, int.from_bytes(first, "big") << 8).entry == EVERY[0]
    for end in range(len(sheet)):
        with pytest.raises(StoreError, match=r"the frontier's store is damaged.*restore a checkpoint"):
            written_in(sheet[:end], int.from_bytes(first, "big") + 7 << 8 | 7 << 3)
    await frontier.aclose()
