"""Files and lines of ours whose text is no UTF-8 are told as what they are: msgspec leaves those to Python's own error."""

from pathlib import Path

import pytest

from gossamer.children import LENGTH
from gossamer.errors import GossamerError, StoreError, UsageError
from gossamer.frontier.layout.rows import UrlRow, decode_url, encode
from gossamer.frontier.reference import dump
from gossamer.jobs import ledger, wire
from gossamer.jobs.directory import CrawlDirectory, NotACrawl
from gossamer.records.outcome import State
from gossamer.records.reason import because
from gossamer.robots import cache

WRITTEN = b'{"format": 1, "gossamer": "\xff", "created": 1.0, "operation": "\xff", "host": "\xff"}\n'


def test_a_row_is_a_damaged_store() -> None:
    with pytest.raises(StoreError, match="damaged"):
        decode_url(encode(UrlRow(256, State.DONE, reason=because("x?x"))).replace(b"?", b"\xff"))


def test_a_checkpoint_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "frontier.msgpack").write_bytes(encode({"urls": [], "hosts": {}, "later": ["x?x"]}).replace(b"?", b"\xff"))
    with pytest.raises(StoreError, match="no checkpoint can be read"):
        dump.read(tmp_path)


def test_what_is_known_of_a_robots_txt_is_asked_for_again() -> None:
    assert cache._read(encode(cache.KnownRobots("closed", "x?x", 5.0)).replace(b"?", b"\xff")) == cache.KnownRobots()


def test_a_crawl_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "crawl.json").write_bytes(WRITTEN)
    with pytest.raises(NotACrawl, match="cannot read"):
        CrawlDirectory.open(tmp_path)


def test_a_line_is_no_ledger_line(tmp_path: Path) -> None:
    (tmp_path / "ledger").write_bytes(WRITTEN)
    with pytest.raises(GossamerError, match="line 1 is no ledger line"):
        ledger._read(tmp_path / "ledger")


def test_a_question_is_not_understood() -> None:
    with pytest.raises(UsageError, match="not understood"):
        wire.question_of(wire.sent(wire.Question(1, "x?x"))[LENGTH:].replace(b"?", b"\xff"))
