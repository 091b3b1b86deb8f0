"""Entries on disk."""

from pathlib import Path

import pytest

from gossamer.errors import StoreError
from gossamer.frontier.layout.keys import number_key
from gossamer.frontier.layout.sheets import FULL, TRIED, Sheets
from gossamer.frontier.layout.store import Store
from gossamer.records.entry import Entry, LinkKind, Priority, Verdict
from gossamer.records.reason import because
from gossamer.records.rules import Rule

FOUND = [
    Entry(f"http://a/{number}", f"http://a/?ä{number}", "a", number, LinkKind.AREA, "http://b/", 0.5, Priority.LOW, 1, 2)
    for number in range(2 * FULL + 3)
]


@pytest.fixture
def store(tmp_path: Path):
    opened = Store(tmp_path / "store", 1 << 20)
    yield opened
    opened.close()


def write(store: Store, found: list[Entry], first: int = 7) -> list[int]:
    sheets, batch = Sheets(store), store.batch()
    references = [sheets.add(batch, first + place, 100 + place, entry, 1.5) for place, entry in enumerate(found)]
    sheets.finish(batch)
    store.write(batch)
    return references


def test_entries_come_back_in_any_order_with_their_slots_and_dates(store: Store) -> None:
    references = write(store, FOUND)
    read = Sheets(store).read([reference | TRIED for reference in reversed(references)])
    assert [written.entry for written in read] == FOUND[::-1]
    assert [written.slot for written in read] == [100 + place for place in reversed(range(len(FOUND)))]
    assert {written.discovered_at for written in read} == {1.5}


def test_a_refused_entry_keeps_its_verdict_and_a_long_one_its_end(store: Store) -> None:
    verdict = Verdict(False, because(Rule.SCOPE_WITHIN, site="elsewhere", within="host"))
    found = [Entry("http://a/" + "x" * 200_000, "k", "a", refused=verdict), FOUND[0]]
    assert [written.entry for written in Sheets(store).read(write(store, found))] == found


def test_a_missing_or_damaged_sheet_is_a_store_error(store: Store) -> None:
    with pytest.raises(StoreError, match="damaged: there is no sheet for entry 9"):
        Sheets(store).read([9 << 8])
    (reference,) = write(store, FOUND[:1])
    (sheet,) = store.sheet([number_key(7)])
    assert sheet is not None
    batch = store.batch()
    batch.put(number_key(7), sheet[:-9] + b"\xc1" * 9, store.sheets)
    store.write(batch)
    with pytest.raises(StoreError, match="damaged"):
        Sheets(store).read([reference])
