"""Lines of an index come out in order, whether they were in memory or not, and none is lost when the disk is full."""

import random
from pathlib import Path

import pytest

from gossamer.storage.archive import lines as module
from gossamer.storage.archive.lines import SortedLines


@pytest.fixture
def some(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    monkeypatch.setattr(module, "MOST", 10)
    return [b"%d\n" % number for number in random.Random(1).sample(range(1000), 57)]


def test_lines_come_out_in_order_and_leave_nothing_behind(tmp_path: Path, some: list[bytes]) -> None:
    lines = SortedLines(tmp_path)
    for line in [*some, b""]:  # a 304 has an empty one
        lines.append(line)
    assert len(lines._lines) == 8, "the others are not in memory"
    assert [line for line in lines.in_order() if line] == sorted(some)
    assert list(tmp_path.iterdir()) == []


def test_without_room_for_a_run_its_lines_stay_in_memory(tmp_path: Path, some: list[bytes]) -> None:
    lines = SortedLines(tmp_path / "missing")
    for line in some:
        lines.append(line)
    assert list(lines.in_order()) == sorted(some)


def test_what_was_told_stands_in_the_journal_until_it_is_forgotten(tmp_path: Path, some: list[bytes]) -> None:
    journal = tmp_path / "journal"
    lines = SortedLines(tmp_path, journal)
    for line in some[:20]:
        lines.append(line)
    assert not journal.exists()
    lines.tell()
    lines.append(some[20])
    assert journal.read_bytes().splitlines(keepends=True) == some[:20]
    lines.tell()
    assert journal.read_bytes().splitlines(keepends=True) == some[:21]
    lines.forget()
    assert list(tmp_path.iterdir()) == []
    assert list(lines.in_order()) == sorted(some[:21])


def test_a_journal_that_cannot_be_written_costs_no_line(tmp_path: Path, some: list[bytes]) -> None:
    lines = SortedLines(tmp_path, tmp_path / "missing" / "journal")
    for line in some:
        lines.append(line)
        lines.tell()
    assert list(lines.in_order()) == sorted(some)
