"""A line of the chronicle that was changed, removed, swapped or cut is found, with its place."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.records.location import Location
from gossamer.storage.chronicle import writer
from gossamer.storage.chronicle.audit import audited
from gossamer.storage.chronicle.jsonl import JsonlChronicle
from gossamer.storage.chronicle.segment import compress
from gossamer.testing.chronicle import NOW, visits

Lines = list[bytes]


async def written(directory: Path) -> Path:
    """Write five blocks of three lines and return the segment; a block is four lines of it, the last mark one more."""
    chronicle = await JsonlChronicle.open(Location("jsonl", directory, ""), True, True, None)
    for number in range(5):
        chronicle.settle(await chronicle.add(visits(*[f"{number}{letter}" for letter in "abc"]), NOW + number, {}))
    await chronicle.aclose()
    return directory / "0000000001.jsonl"


def problems(directory: Path) -> list[tuple[str, str]]:
    return [(block.place.rpartition(":")[2], block.problem) for block in audited(directory) if block.problem]


def swap(lines: Lines) -> None:
    lines[5], lines[6] = lines[6], lines[5]


def swap_blocks(lines: Lines) -> None:
    lines[4:8], lines[8:12] = lines[8:12], lines[4:8]


def change(lines: Lines) -> None:
    lines[5] = lines[5].replace(b"ok", b"no")


def change_the_head(lines: Lines) -> None:
    lines[4] = lines[4].replace(b'"told":', b'"told":1')


def remove(lines: Lines) -> None:
    del lines[5]


def remove_a_block(lines: Lines) -> None:
    del lines[4:8]


def cut(lines: Lines) -> None:
    lines[5] = lines[5][:40] + b"\n"


def cut_the_head(lines: Lines) -> None:
    lines[4] = lines[4][:40] + b"\n"


def change_the_salt(lines: Lines) -> None:
    lines[4] = lines[4].replace(b'"salt":"', b'"salt":"00')[: len(lines[4]) - 3] + b'"}\n'


def spoil_the_hash(lines: Lines) -> None:
    lines[4] = lines[4].replace(b'"hash":"', b'"hash":"x')


@pytest.mark.parametrize(
    ("damage", "row", "says"),
    [
        (change, "5", "block 2"),
        (change_the_head, "5", "block 2"),
        (change_the_salt, "5", "block 2"),
        (spoil_the_hash, "5", "block 2"),
        (swap, "5", "block 2"),
        (cut, "5", "block 2"),
        (cut_the_head, "5", "no head of a block"),
        (remove, "5", "block 2"),
        (remove_a_block, "5", "block 3 follows block 1"),
        (swap_blocks, "5", "block 3 follows block 1"),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
@pytest.mark.parametrize("is_compressed", [False, True], ids=["plain", "compressed"])
async def test_a_fault_is_found_with_its_place(
    damage: Callable[[Lines], None], row: str, says: str, is_compressed: bool, tmp_path: Path
) -> None:
    segment = await written(tmp_path)
    assert problems(tmp_path) == []
    lines = segment.read_bytes().splitlines(keepends=True)
    damage(lines)
    segment.write_bytes(b"".join(lines))
    (tmp_path / writer.SEAL).unlink()
    if is_compressed:
        compress(tmp_path, 1)
    found = problems(tmp_path)
    assert found and found[0][0] == row and says in found[0][1], found


async def test_a_whole_end_that_is_missing_is_told_by_the_seal(tmp_path: Path) -> None:
    segment = await written(tmp_path)
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join(lines[:8]))
    assert "bytes, not" in problems(tmp_path)[0][1]


async def test_a_segment_that_is_missing_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "ROLL", 1)
    await written(tmp_path)
    (tmp_path / writer.SEAL).unlink()
    (tmp_path / "0000000003.jsonl.zst").unlink()
    assert [problem for _, problem in problems(tmp_path)] == ["block 4 follows block 2"]


async def test_a_compressed_segment_that_cannot_be_read_is_a_fault_and_the_others_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "ROLL", 1)
    await written(tmp_path)
    (tmp_path / "0000000003.jsonl.zst").write_bytes(b"no segment")
    (tmp_path / writer.SEAL).unlink()
    blocks = list(audited(tmp_path))
    assert next(block.problem for block in blocks if block.problem).startswith(str(tmp_path / "0000000003.jsonl.zst"))
    assert sum(block.lines for block in blocks) == 12
