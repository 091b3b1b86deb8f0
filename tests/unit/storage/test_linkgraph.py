"""The log of edges: torn tails, damage, files that roll, writes that fail, and reading beside the writer."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer import faults
from gossamer.edges import pack
from gossamer.errors import DiskFull, StoreError
from gossamer.storage import linkgraph
from gossamer.storage.linkgraph import EdgeLog


@pytest.fixture(autouse=True)
def disarmed() -> Iterator[None]:
    """No fault is left behind."""
    yield
    faults.arm(None)


def edges(*targets: int) -> bytes:
    return pack(targets, [1] * len(targets))


def pages_at(directory: Path) -> dict[int, list[int]]:
    graph = EdgeLog.read_at(directory)
    ends = graph.counts.cumsum().tolist()
    return {
        page: graph.targets[end - count : end].tolist()
        for page, count, end in zip(graph.pages.tolist(), graph.counts.tolist(), ends, strict=True)
    }


async def written(directory: Path, *blocks: dict[int, bytes]) -> None:
    log = EdgeLog.open_at(directory)
    for block in blocks:
        await log.put(list(block.items()))
    await log.aclose()


def as_killed(directory: Path) -> None:
    """Take the seal of a clean end away."""
    (directory / linkgraph.SEAL).unlink()


def only_file(directory: Path) -> Path:
    (path,) = directory.glob("*.edges")
    return path


async def test_every_torn_tail_is_cut_and_nothing_before_it_changes(tmp_path: Path) -> None:
    await written(tmp_path, {1: edges(2, 3)})
    whole = len(only_file(tmp_path).read_bytes())
    await written(tmp_path, {2: edges(4), 1: edges(5)})
    content = only_file(tmp_path).read_bytes()
    for end in range(whole, len(content)):
        only_file(tmp_path).write_bytes(content[:end])
        as_killed(tmp_path)
        assert pages_at(tmp_path) == {1: [2, 3]}, "a torn block was read"
        await written(tmp_path, {9: edges(9)})
        assert pages_at(tmp_path) == {1: [2, 3], 9: [9]}, "what was put behind a torn block is lost"


async def test_a_block_of_zeros_that_a_power_loss_left_is_no_block(tmp_path: Path) -> None:
    await written(tmp_path, {1: edges(2)})
    with only_file(tmp_path).open("ab") as file:
        file.write(bytes(500))
    as_killed(tmp_path)
    await written(tmp_path, {3: edges(4)})
    assert pages_at(tmp_path) == {1: [2], 3: [4]}


async def test_after_a_clean_end_nothing_is_torn(tmp_path: Path) -> None:
    await written(tmp_path, {1: edges(1)}, {2: edges(2)})
    content = only_file(tmp_path).read_bytes()
    for end in range(len(content)):
        only_file(tmp_path).write_bytes(content[:end])
        with pytest.raises(StoreError, match=r"00000001\.edges is damaged.*restore it from a checkpoint"):
            EdgeLog.open_at(tmp_path)
    for at in range(len(content)):
        only_file(tmp_path).write_bytes(content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :])
        with pytest.raises(StoreError, match=r"00000001\.edges is damaged.*restore it from a checkpoint"):
            EdgeLog.open_at(tmp_path)
        with pytest.raises(StoreError, match="damaged"):
            EdgeLog.read_at(tmp_path)


async def test_a_damaged_block_before_a_whole_one_was_not_torn_off(tmp_path: Path) -> None:
    await written(tmp_path, {1: edges(1)}, {2: edges(2)})
    content = only_file(tmp_path).read_bytes()
    for at in range(len(content) // 2):
        as_killed(tmp_path) if at == 0 else None
        only_file(tmp_path).write_bytes(content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :])
        with pytest.raises(StoreError, match="damaged at byte 0"):
            EdgeLog.open_at(tmp_path)


async def test_damage_before_the_last_file_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkgraph, "ROLL", 1)
    await written(tmp_path, {1: edges(1)}, {2: edges(2)}, {3: edges(3)})
    first = min(tmp_path.glob("*.edges"))
    content = bytearray(first.read_bytes())
    content[-1] ^= 1
    first.write_bytes(content)
    with pytest.raises(StoreError, match=f"{first.name} is damaged at byte 0"):
        EdgeLog.read_at(tmp_path)


async def test_it_is_read_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkgraph, "ROLL", 60)
    log = EdgeLog.open_at(tmp_path)
    for number in range(6):
        await log.put([(number, edges(number))])
        assert pages_at(tmp_path) == {each: [each] for each in range(number + 1)}
    assert len(list(tmp_path.glob("*.edges"))) > 1
    assert len(log._open_files) == 1, "files that no longer grow stay open"
    await log.aclose()


async def test_compacting_drops_what_was_replaced_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkgraph, "ROLL", 100)
    blocks = [{page: edges(*range(page, page + times)) for page in range(20)} for times in (9, 0, 5, 7)]
    await written(tmp_path, *blocks, {99: b""})
    before, size = pages_at(tmp_path), sum(path.stat().st_size for path in tmp_path.iterdir())
    EdgeLog.compact_at(tmp_path)
    assert pages_at(tmp_path) == before
    assert only_file(tmp_path).stat().st_size < size / 2
    await written(tmp_path, {5: edges(7)})
    assert pages_at(tmp_path) == before | {5: [7]}


def test_there_is_nothing_to_compact_where_there_is_nothing(tmp_path: Path) -> None:
    EdgeLog.compact_at(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("how", "error"), [("ENOSPC", DiskFull), ("EIO", StoreError), ("torn", StoreError)])
async def test_a_write_that_fails_is_taken_back(how: str, error: type[Exception], tmp_path: Path) -> None:
    faults.arm(json.dumps({"calls": {"graph.write": {"at": 2, "how": how}}}))
    log = EdgeLog.open_at(tmp_path)
    await log.put([(1, edges(1))])
    before = only_file(tmp_path).read_bytes()
    with pytest.raises(error):
        await log.put([(2, edges(*range(100)))])
    assert only_file(tmp_path).read_bytes() == before
    await log.put([(3, edges(3))])
    await log.aclose()
    assert pages_at(tmp_path) == {1: [1], 3: [3]}


async def test_a_short_write_is_completed(tmp_path: Path) -> None:
    faults.arm(json.dumps({"calls": {"graph.write": {"at": 1, "how": "short"}}}))
    await written(tmp_path, {1: edges(1, 2, 3)})
    assert pages_at(tmp_path) == {1: [1, 2, 3]}


async def test_after_a_failed_sync_nothing_is_acknowledged(tmp_path: Path) -> None:
    faults.arm(json.dumps({"calls": {"graph.sync": {"at": 1, "how": "EIO"}}}))
    log = EdgeLog.open_at(tmp_path)
    for _ in range(2):
        with pytest.raises(StoreError, match="cannot be synced"):
            await log.put([(1, edges(1))])
    await log.aclose()


async def test_pages_of_one_site_take_less_than_their_fingerprints(tmp_path: Path) -> None:
    targets = [0x9E3779B97F4A7C15 * number % (1 << 64) for number in range(100)]
    await written(tmp_path, {page: edges(*targets) for page in range(50)})
    assert only_file(tmp_path).stat().st_size < 50 * 100 * 9 / 10
