"""Every chronicle keeps the promises of its joint."""

from pathlib import Path

import pytest
from plain_stores import PlainChronicle

from gossamer.joints.chronicle import Chronicle
from gossamer.records.location import Location
from gossamer.storage.chronicle import writer
from gossamer.storage.chronicle.jsonl import JsonlChronicle
from gossamer.storage.chronicle.none import NoChronicle
from gossamer.testing.chronicle import RULES, Rule, settled, told


async def opened(path: Path) -> JsonlChronicle:
    return await JsonlChronicle.open(Location("jsonl", path, "jsonl:chronicle"), True, True, None)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("roll", [writer.ROLL, 1], ids=["one segment", "a segment a block"])
async def test_a_chronicle_keeps_its_promise(rule: Rule, roll: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "ROLL", roll)
    await rule(opened, tmp_path / "chronicle")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_a_chronicle_of_a_plugin_keeps_its_promise(rule: Rule, tmp_path: Path) -> None:
    await rule(lambda path: PlainChronicle.open(Location("plain", path, "plain:chronicle"), True, True, None), tmp_path / "c")


async def test_every_chronicle_looks_like_its_joint(tmp_path: Path) -> None:
    chronicle = await opened(tmp_path / "chronicle")
    assert isinstance(chronicle, Chronicle)
    assert isinstance(NoChronicle(), Chronicle)
    await chronicle.aclose()


async def test_no_chronicle_tells_nothing(tmp_path: Path) -> None:
    chronicle = await NoChronicle.open(Location("none", tmp_path / "chronicle", "none:chronicle"), True, True, None)
    await settled(chronicle, "1")
    assert await told(chronicle) == [] and list(tmp_path.iterdir()) == []
    await chronicle.aclose()
