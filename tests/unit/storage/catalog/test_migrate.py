"""Migrations: from nothing, from an older layout, never twice, never half."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from gossamer.errors import CrawlTooNew
from gossamer.records.page import Place
from gossamer.storage.catalog.migrate import migrate, shipped
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.testing.catalog import keys, page

FIRST = (1, "CREATE TABLE a (x);\n-- a comment; with a semicolon\nINSERT INTO a VALUES (';');")
TRIGGER = "CREATE TRIGGER t AFTER INSERT ON a\nBEGIN\n  INSERT INTO b VALUES (new.x);\nEND;"
SECOND = (2, f"CREATE TABLE b (y);\n{TRIGGER}\nINSERT INTO a VALUES (2);")
OLD_TEXTS = ["host", "reason", "mime", "title", "language", "charset", "via", "canonical", "duplicate_of", "truncated"]
OLD_NUMBERS = ["response_seconds", "depth", "links", "links_cut", "noindex", "noarchive"]
BROKEN = (3, "CREATE TABLE c (z);\nINSERT INTO nowhere VALUES (1);")


def connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path / "x.db", isolation_level=None)


def version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def tables(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]


def test_all_are_applied_to_an_empty_database(tmp_path: Path) -> None:
    connection = connect(tmp_path)
    migrate(connection, [FIRST, SECOND])
    assert (version(connection), tables(connection)) == (2, ["a", "b"])
    assert connection.execute("SELECT x FROM a").fetchall() == [(";",), (2,)]
    assert connection.execute("SELECT y FROM b").fetchall() == [(2,)]


def test_only_the_missing_are_applied_to_an_older_one(tmp_path: Path) -> None:
    connection = connect(tmp_path)
    migrate(connection, [FIRST])
    assert version(connection) == 1
    migrate(connection, [FIRST, SECOND])
    migrate(connection, [FIRST, SECOND])
    assert (version(connection), tables(connection)) == (2, ["a", "b"])
    assert connection.execute("SELECT count(*) FROM a").fetchone() == (2,)


def test_a_newer_layout_is_refused(tmp_path: Path) -> None:
    connection = connect(tmp_path)
    migrate(connection, [FIRST, SECOND])
    with pytest.raises(CrawlTooNew, match="layout 2, this gossamer knows up to 1"):
        migrate(connection, [FIRST])
    assert not connection.in_transaction
    assert version(connection) == 2


def test_one_that_fails_leaves_the_old_layout(tmp_path: Path) -> None:
    connection = connect(tmp_path)
    migrate(connection, [FIRST])
    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, [FIRST, SECOND, BROKEN])
    assert (version(connection), tables(connection)) == (1, ["a"])
    assert not connection.in_transaction


def test_ours_are_numbered_without_a_gap() -> None:
    numbers = [number for number, _ in shipped()]
    assert numbers == list(range(1, len(numbers) + 1)) and numbers


async def test_a_catalog_of_the_first_layout_is_searched_after_opening(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    old = sqlite3.connect(path, isolation_level=None)
    migrate(old, shipped()[:1])
    columns = [
        name
        for _, name, *_ in old.execute("PRAGMA table_info(pages)")
        if name not in ("file", "record_offset", "record_length")
    ]
    for key, noindex in (("shown", 0), ("hidden", 1)):
        values = {"key": key, "url": f"http://a.test/{key}", "title": "old words", "outcome": "ok", "noindex": noindex}
        old.execute(
            f"INSERT INTO pages ({', '.join(columns[1:])}) VALUES ({', '.join('?' * len(columns[1:]))})",
            [values.get(name, 0) for name in columns[1:]],
        )
    old.close()
    catalog = SqliteCatalog.open_at(path)
    assert await keys(catalog, words="old words") == ["shown"]
    await catalog.add([page("shown", title="new")])
    assert await keys(catalog, words="old") == [] and await keys(catalog, words="new") == ["shown"]


async def test_a_catalog_of_a_newer_gossamer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    await SqliteCatalog.open_at(path).aclose()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version = 999")
    newer.close()
    (tmp_path / "catalog.db.seal").unlink()
    with pytest.raises(CrawlTooNew, match="layout 999"):
        SqliteCatalog.open_at(path)


def test_processes_that_open_at_once_migrate_once(tmp_path: Path) -> None:
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


async def test_pages_of_an_older_layout_have_their_one_capture_as_a_version(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, shipped()[:3])
        for key, file in (("kept", "f.warc.gz"), ("failed", None)):
            old = {**dict.fromkeys(OLD_TEXTS, ""), "key": key, "url": key, "outcome": "ok", "digest": "sha1:A"}
            numbers = {**dict.fromkeys(OLD_NUMBERS, 0), "fetched_at": 5.5, "length": 7, "status": 200}
            row = {**old, **numbers, "file": file, "record_offset": 10, "record_length": 20}
            connection.execute(f"INSERT INTO pages ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
    catalog = SqliteCatalog.open_at(path)
    (version,) = await catalog.versions("kept")
    assert (version.captured_at, version.place, version.length) == (5.5, Place("f.warc.gz", 10, 20), 7)
    page = await catalog.get("kept")
    assert page is not None
    assert (page.captured_at, page.outlinks, page.freshness) == (5.5, None, None)
    assert await catalog.versions("failed") == []
    await catalog.aclose()
