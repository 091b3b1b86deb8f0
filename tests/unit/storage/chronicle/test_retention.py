"""What every reader has had, and is old enough, is removed; who comes later is told how much is missing."""

from pathlib import Path

import pytest

from gossamer.errors import UsageError
from gossamer.records.location import Location
from gossamer.storage.chronicle import jsonl, writer
from gossamer.storage.chronicle.audit import audited
from gossamer.storage.chronicle.jsonl import JsonlChronicle
from gossamer.storage.chronicle.segment import segments_in
from gossamer.testing.chronicle import NOW, settled, told, visits

KEEP = 100.0


@pytest.fixture(autouse=True)
def a_segment_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "ROLL", 1)


async def opened(directory: Path, keep: float | None = KEEP) -> JsonlChronicle:
    return await JsonlChronicle.open(Location("jsonl", directory, ""), True, True, keep)


async def old(directory: Path) -> JsonlChronicle:
    """Write five blocks and return the chronicle, all of whose segments are compressed but the last."""
    chronicle = await opened(directory)
    for number in range(5):
        chronicle.settle(await chronicle.add(visits(str(number)), NOW + number, {}))
    await chronicle.aclose()
    return await opened(directory)


async def later(chronicle: JsonlChronicle, name: str) -> None:
    chronicle.settle(await chronicle.add(visits(name), NOW + 10 * KEEP, {}))
    await chronicle.aclose()


async def test_what_is_old_goes_where_nobody_reads(tmp_path: Path) -> None:
    await later(await old(tmp_path), "later")
    assert min(segments_in(tmp_path)) >= 5
    assert not [block for block in audited(tmp_path) if block.problem], "the rest of the chain does not hold"


async def test_nothing_goes_where_nothing_is_said(tmp_path: Path) -> None:
    await (await old(tmp_path)).aclose()
    await later(await opened(tmp_path, keep=None), "later")
    assert segments_in(tmp_path)[0] == 1


async def test_what_a_reader_has_not_had_stays(tmp_path: Path) -> None:
    chronicle = await old(tmp_path)
    second = (await chronicle.after("", 2))[-1].id
    await chronicle.keep_from("slow", second)
    await chronicle.keep_from("quick", await chronicle.head())
    await later(chronicle, "later")
    assert segments_in(tmp_path)[0] == 2
    chronicle = await opened(tmp_path)
    assert await told(chronicle, second) == ["2", "3", "4", "later"]
    await chronicle.aclose()


async def test_who_is_behind_gets_a_gap_that_says_how_much(tmp_path: Path) -> None:
    chronicle = await old(tmp_path)
    first = (await chronicle.after("", 1))[0].id
    await later(chronicle, "later")
    chronicle = await opened(tmp_path)
    for position in ("", first):
        gap, *rest = await chronicle.after(position, 10)
        missing = segments_in(tmp_path)[0] - 1 - (1 if position else 0)
        assert (gap.kind, gap.said) == ("gap", {"after": position, "blocks": missing})
        assert rest[-1].said["url"].endswith("/later")
        assert await chronicle.after(gap.id, 10) == rest, "the place behind the gap leads to it again"
    await chronicle.aclose()


async def test_a_text_that_is_no_id_is_refused_with_a_sentence(tmp_path: Path) -> None:
    chronicle = await old(tmp_path)
    with pytest.raises(UsageError, match="'nonsense' is no id of an event"):
        await chronicle.after("nonsense", 1)
    await chronicle.aclose()


async def test_a_mark_is_written_by_itself_when_nothing_follows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MARK_AFTER", 0.0)
    chronicle = await opened(tmp_path)
    await settled(chronicle, "1")
    while not await told(chronicle):
        pass
    assert await told(chronicle) == ["1"]
    await chronicle.aclose()
