"""RocksDB in our words."""

from pathlib import Path

import pytest

from gossamer.errors import DiskFull, StoreError
from gossamer.frontier.layout.store import Store

CACHE = 1 << 20


@pytest.fixture
def store(tmp_path: Path):
    opened = Store(tmp_path / "store", CACHE)
    batch = opened.batch()
    for key in (b"A\xfe", b"A\xff", b"A\xff\xff", b"A\xff\xff\x01", b"B", b"C1", b"C2"):
        batch.put(key, b"value of " + key)
    opened.write(batch)
    yield opened
    opened.close()


def test_a_scan_keeps_to_its_prefix(store: Store) -> None:
    assert [key for key, _ in store.scan(b"A\xff")] == [b"A\xff", b"A\xff\xff", b"A\xff\xff\x01"]
    assert [key for key, _ in store.scan(b"A\xff\xff")] == [b"A\xff\xff", b"A\xff\xff\x01"]
    assert list(store.scan(b"C")) == [(b"C1", b"value of C1"), (b"C2", b"value of C2")]
    assert list(store.scan(b"D")) == []


def test_a_scan_passes_over_what_stands_before_its_start(store: Store) -> None:
    batch = store.batch()
    for key in (b"a1", b"a2", b"a3", b"b1"):
        batch.put(key, b"")
    store.write(batch)
    assert [key for key, _ in store.scan(b"a", b"a2")] == [b"a2", b"a3"]


def test_a_short_read_sees_every_write_before_it(store: Store) -> None:
    assert [key for key, _ in store.first(b"B", 2)] == [b"B", b"C1"]
    batch = store.batch()
    batch.delete(b"C1")
    batch.put(b"B2", b"")
    store.write(batch)
    assert [key for key, _ in store.first(b"B", 9)] == [b"B", b"B2", b"C2"]


def test_a_store_in_use_says_so(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="in use"):
        Store(tmp_path / "store", CACHE)


def test_a_place_that_cannot_be_a_store_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    with pytest.raises(StoreError, match=r"cannot open the frontier in .*file"):
        Store(tmp_path / "file", CACHE)


def test_a_closed_store_is_a_store_error(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", CACHE)
    store.close()
    for action in (lambda: store.get(b"A"), lambda: store.first(b"A", 1), lambda: list(store.scan(b"A"))):
        with pytest.raises(StoreError, match="cannot read"):
            action()
    with pytest.raises(StoreError, match="cannot write"):
        store.write(store.batch())


def test_a_full_disk_is_told_apart(store: Store) -> None:
    problem = Exception("IO error: No space left on device: While appending to file: 000004.log: No space left on device")
    assert isinstance(store._failure("write", problem), DiskFull)
    assert not isinstance(store._failure("write", Exception("Corruption: bad block")), DiskFull)
