"""The write-ahead log of the catalog: brought into its file beside a crawl that writes, and nothing is lost by it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gossamer.storage.catalog.backfill import AFTER, Backfill
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.testing.catalog import page


def over(backfill: Backfill) -> None:
    """Wait for what is under way."""
    assert backfill._under_way is not None
    backfill._under_way.result(60)


async def test_the_file_grows_while_the_catalog_is_open_and_not_before_it_is_worth_it(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    catalog = SqliteCatalog.open_at(path, durable=False)
    await catalog.add([page(str(number)) for number in range(AFTER - 1)])
    assert catalog._backfill._under_way is None
    before = path.stat().st_size
    await catalog.add([page("last")])
    over(catalog._backfill)
    assert path.stat().st_size > before + 100 * AFTER
    await catalog.aclose()


async def test_nothing_is_lost_when_both_write_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.storage.catalog.backfill.AFTER", 1)
    path = tmp_path / "catalog.db"
    catalog = SqliteCatalog.open_at(path, durable=False)
    keys = [f"{step}-{number}" for step in range(30) for number in range(20)]
    for start in range(0, len(keys), 20):
        await catalog.add([page(key) for key in keys[start : start + 20]])
    assert sorted([found.key async for found in catalog.pages()]) == sorted(keys)
    await catalog.aclose()
    assert not path.with_name("catalog.db-wal").exists(), "somebody has it open still"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT count(*) FROM pages").fetchone() == (len(keys),)


def test_what_cannot_be_done_is_nobodys_trouble(tmp_path: Path) -> None:
    backfill = Backfill(tmp_path / "nowhere" / "catalog.db")
    backfill.note(AFTER)
    over(backfill)
    backfill.note(AFTER)
    over(backfill)
    backfill.close()
