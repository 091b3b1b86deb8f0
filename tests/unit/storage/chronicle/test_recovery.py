"""A chronicle is taken up where its writer was killed: what is torn is cut, what is damaged is refused."""

import shutil
from pathlib import Path

import pytest

from gossamer.errors import StoreError
from gossamer.records.location import Location
from gossamer.storage.chronicle import writer
from gossamer.storage.chronicle.audit import audited
from gossamer.storage.chronicle.jsonl import JsonlChronicle
from gossamer.storage.chronicle.segment import COMPRESSED, PLAIN, segments_in
from gossamer.testing.chronicle import settled, told


async def opened(directory: Path, writing: bool = True) -> JsonlChronicle:
    return await JsonlChronicle.open(Location("jsonl", directory, ""), True, writing, None)


async def killed(directory: Path, tmp_path: Path) -> Path:
    """Write three blocks, of which the last has no mark, and return a copy as it is then."""
    chronicle = await opened(directory)
    for number in range(3):
        await settled(chronicle, f"{number}a", f"{number}b")
    copy = shutil.copytree(directory, tmp_path / "killed")
    await chronicle.aclose()
    return copy


async def test_a_torn_block_is_cut_off_wherever_it_was_torn(tmp_path: Path) -> None:
    copy = await killed(tmp_path / "whole", tmp_path)
    segment = copy / "0000000001.jsonl"
    content = segment.read_bytes()
    for end in range(content.rindex(b'{"block":3'), len(content), 23):
        segment.write_bytes(content[:end])
        chronicle = await opened(copy)
        assert [block.block for block in await chronicle.unsettled()] == [2]
        chronicle.settle(2)
        await settled(chronicle, "again")
        await chronicle.aclose()
        reader = await opened(copy, writing=False)
        assert await told(reader) == ["0a", "0b", "1a", "1b", "again"], end
        assert not [block for block in audited(copy) if block.problem]
        (copy / writer.SEAL).unlink()


async def test_a_block_that_was_changed_in_the_middle_is_no_torn_one(tmp_path: Path) -> None:
    copy = await killed(tmp_path / "whole", tmp_path)
    segment = copy / "0000000001.jsonl"
    segment.write_bytes(segment.read_bytes().replace(b"/1a", b"/1x"))
    with pytest.raises(StoreError, match=r"0000000001\.jsonl is damaged at byte"):
        await opened(copy)


async def test_an_end_of_zeros_as_a_power_loss_leaves_it_is_cut_off(tmp_path: Path) -> None:
    copy = await killed(tmp_path / "whole", tmp_path)
    segment = copy / "0000000001.jsonl"
    content = segment.read_bytes()
    start = content.rindex(b'{"kind"')
    segment.write_bytes(content[:start] + bytes(len(content) - start))
    chronicle = await opened(copy)
    assert [block.block for block in await chronicle.unsettled()] == [2]
    await chronicle.aclose()


async def test_a_chronicle_whose_segments_are_gone_is_refused(tmp_path: Path) -> None:
    chronicle = await opened(tmp_path)
    await settled(chronicle, "1")
    await chronicle.aclose()
    (tmp_path / "0000000001.jsonl").unlink()
    with pytest.raises(StoreError, match="is missing"):
        await opened(tmp_path)


async def test_a_segment_is_compressed_when_it_is_full_and_a_kill_in_between_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "ROLL", 1)
    chronicle = await opened(tmp_path / "c")
    for number in range(4):
        await settled(chronicle, str(number))
    await chronicle.aclose()
    files = sorted(each.name for each in (tmp_path / "c").glob("0*"))
    assert [name.endswith(COMPRESSED) for name in files] == [True] * 4 + [False]
    (tmp_path / "c" / writer.SEAL).unlink()
    (tmp_path / "c" / f"0000000002{PLAIN}").write_bytes(b"half of it is")  # both are there: the compressed one counts
    (tmp_path / "c" / f"0000000004{COMPRESSED}.new").write_bytes(b"a draft")
    (tmp_path / "c" / f"0000000006{PLAIN}").write_bytes(b"")  # a name and nothing in it
    chronicle = await opened(tmp_path / "c")
    await settled(chronicle, "more")
    await chronicle.aclose()
    assert await told(await opened(tmp_path / "c", writing=False)) == ["0", "1", "2", "3", "more"]
    assert not list((tmp_path / "c").glob("*.new")) and segments_in(tmp_path / "c") == [1, 2, 3, 4, 5, 6, 7]
    assert not [block for block in audited(tmp_path / "c") if block.problem]


async def test_opening_writes_nothing_as_long_as_nothing_is_told(tmp_path: Path) -> None:
    chronicle = await opened(tmp_path / "c")
    await settled(chronicle, "1")
    await chronicle.aclose()
    before = {path.name: path.read_bytes() for path in (tmp_path / "c").iterdir()}
    for _ in range(2):
        await (await opened(tmp_path / "c")).aclose()
    assert {path.name: path.read_bytes() for path in (tmp_path / "c").iterdir()} == before
