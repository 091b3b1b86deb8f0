"""`verify` must be able to fail: each kind of damage is found and named."""

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from crawling import run_gossamer
from serving import page, site_running


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl without a fault, and a ledger of it."""
    place = tmp_path_factory.mktemp("sound")
    routes = {"/": page("/a", "/b", "/copy"), "/a": page(title="a"), "/b": page(title="b"), "/copy": page(title="a")}
    with site_running(routes) as site:
        words = ["--dir", place / "crawl", "--delay", "0.1", "--allow-private", "127.0.0.0/8", "--quiet"]
        assert run_gossamer("crawl", site.url(), *words).returncode == 0
        lines = [{"start": one.at, "end": one.at, "host": "127.0.0.1", "path": one.path, "status": 200} for one in site.asked]
    (place / "crawl" / "ledger.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return place / "crawl"


def verdict(directory: Path) -> tuple[int, str]:
    """Verify a crawl with its ledger."""
    result = run_gossamer("verify", directory, "--ledger", directory / "ledger.jsonl")
    return result.returncode, result.stdout


def flip_a_byte(crawl: Path) -> None:
    [path] = (crawl / "warc").glob("*.warc.gz")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def lose_the_archive(crawl: Path) -> None:
    for path in (crawl / "warc").glob("*.warc.gz"):
        path.unlink()


def lose_a_row(crawl: Path) -> None:
    with sqlite3.connect(crawl / "catalog.db") as catalog:
        catalog.execute("delete from pages where url like '%/b'")


def change_an_outcome(crawl: Path) -> None:
    with sqlite3.connect(crawl / "catalog.db") as catalog:
        catalog.execute("update pages set outcome = 'gone' where url like '%/b'")


def hurry(crawl: Path) -> None:
    lines = [json.loads(line) for line in (crawl / "ledger.jsonl").read_text().splitlines()]
    hurried = [{**line, "start": line["start"] / 3, "end": line["end"] / 3} for line in lines]
    (crawl / "ledger.jsonl").write_text("".join(json.dumps(line) + "\n" for line in hurried))


def overlap(crawl: Path) -> None:
    lines = [json.loads(line) for line in (crawl / "ledger.jsonl").read_text().splitlines()]
    (crawl / "ledger.jsonl").write_text("".join(json.dumps({**line, "end": line["end"] + 0.2}) + "\n" for line in lines))


def test_a_sound_crawl_passes(sound: Path) -> None:
    code, words = verdict(sound)
    assert code == 0, words
    assert re.search(r"^9 passed, 0 failed$", words, re.MULTILINE)


@pytest.mark.parametrize(
    ("damage", "promise"),
    [
        (flip_a_byte, "P9"),
        (lose_the_archive, "P7"),
        (lose_a_row, "P1"),
        (change_an_outcome, "P1"),
        (hurry, "P11"),
        (overlap, "P12"),
    ],
)
def test_damage_is_found_and_named(sound: Path, tmp_path: Path, damage: Callable[[Path], None], promise: str) -> None:
    shutil.copytree(sound, tmp_path / "crawl")
    damage(tmp_path / "crawl")
    code, words = verdict(tmp_path / "crawl")
    assert code == 1
    assert any(line.startswith(f"FAILED  {promise}") for line in words.splitlines()), words
