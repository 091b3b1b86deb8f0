"""The layout of the catalog: made once, whole or not at all; another one is refused."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gossamer import faults
from gossamer.errors import CrawlError, CrawlTooNew
from gossamer.storage.catalog.schema import VERSION, is_made, make
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.testing.catalog import page


def tables(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]


def say_version(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    path.with_name("catalog.db.seal").unlink()


def test_an_empty_database_has_the_layout_once_it_is_made(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert not is_made(connection, path)
        make(connection, path)
        assert is_made(connection, path) and connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        made = tables(path)
        assert {"pages", "versions", "totals", "names", "texts"} <= set(made)
        make(connection, path)
        assert tables(path) == made


def test_a_layout_that_cannot_be_made_whole_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "catalog.db"
    reached = iter(range(4))

    def fail(point: str) -> None:
        if next(reached, None) is None:
            raise OSError(point)

    monkeypatch.setattr(faults, "reach", fail)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(OSError, match="during-creation"):
            make(connection, path)
        assert not connection.in_transaction and not is_made(connection, path)
    assert tables(path) == []


@pytest.mark.parametrize(
    ("version", "error", "words"), [(1, CrawlError, "crawl into a new directory"), (999, CrawlTooNew, "upgrade gossamer")]
)
async def test_a_catalog_of_another_layout_is_refused_and_left_alone(
    tmp_path: Path, version: int, error: type[Exception], words: str
) -> None:
    path = tmp_path / "catalog.db"
    catalog = SqliteCatalog.open_at(path)
    await catalog.add([page("kept")])
    await catalog.aclose()
    say_version(path, version)
    before = path.read_bytes()
    with pytest.raises(error, match=f"catalog.db has layout {version}, .*; .*{words}$"):
        SqliteCatalog.open_at(path)
    assert path.read_bytes() == before and not path.with_name("catalog.db.seal").exists()


def test_processes_that_open_at_once_make_it_once(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from gossamer.storage.catalog.sqlite import SqliteCatalog;"
        "sys.stdin.readline(); SqliteCatalog.open_at(Path(sys.argv[1]))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "catalog.db")]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [(process.communicate()[1], process.returncode) for process in started] == [("", 0)] * 3


async def test_a_catalog_that_is_just_being_created_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "catalog.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr("gossamer.storage.catalog.sqlite.time.sleep", lambda _: other.execute("COMMIT"))
        await SqliteCatalog.open_at(path).aclose()
