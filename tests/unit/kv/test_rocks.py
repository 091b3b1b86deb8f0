"""RocksDB underneath: kill -9, a second process, a full disk."""

import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.errors import CrawlInUse, StoreError
from gossamer.kv.rocks import RocksKeyValue
from gossamer.testing.kv import scanned

WRITER = """
import asyncio, sys
from pathlib import Path
from gossamer.kv.rocks import RocksKeyValue

async def main():
    store = RocksKeyValue.open_at(Path(sys.argv[1]))
    number = 0
    while True:
        await store.put(b"put%06d" % number, b"x")
        await store.put_all([(b"all%06d-%d" % (number, each), b"x") for each in range(2)])
        print(number, flush=True)
        number += 1

asyncio.run(main())
"""


async def test_what_was_put_outlives_a_kill(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "kv")], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(500):
            writer.stdout.readline()
        writer.kill()
        said = [int(line) for line in writer.stdout.read().split("\n")[:-1]]
    last = said[-1] if said else 499
    store = RocksKeyValue.open_at(tmp_path / "kv")
    puts = [key for key, _ in await scanned(store, b"put")]
    batches = [key for key, _ in await scanned(store, b"all")]
    assert puts[: last + 1] == [b"put%06d" % number for number in range(last + 1)]
    assert batches[: 2 * (last + 1)] == [b"all%06d-%d" % (number, each) for number in range(last + 1) for each in range(2)]
    assert len(batches) % 2 == 0, "half a batch was kept"
    await store.aclose()


async def test_what_is_put_at_several_places_waits_for_the_disk_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RocksKeyValue.open_at(tmp_path / "kv")
    writes = []
    put_all = store.put_all
    monkeypatch.setattr(store, "put_all", lambda pairs: writes.append(len(pairs)) or put_all(pairs))
    await store.put_places({f"lesson/{number}": [(b"a", b"1"), (b"b", b"2")] for number in range(100)})
    assert writes == [200]
    await store.aclose()


async def test_a_store_in_use_is_refused(tmp_path: Path) -> None:
    store = RocksKeyValue.open_at(tmp_path / "kv")
    with pytest.raises(CrawlInUse, match="in use by another process"):
        RocksKeyValue.open_at(tmp_path / "kv")
    await store.aclose()
    await store.aclose()
    await RocksKeyValue.open_at(tmp_path / "kv").aclose()


async def test_a_store_that_is_opened_again_is_as_quick_as_before(tmp_path: Path) -> None:
    capacities, readers = [], []
    for _ in range(2):
        store = RocksKeyValue.open_at(tmp_path / "kv")
        await store.put_all([(b"%06d" % number, b"x") for number in range(50_000)])
        store._rocks.flush()
        capacities.append(store._rocks.property_int_value("rocksdb.block-cache-capacity"))
        readers.append(store._rocks.property_int_value("rocksdb.estimate-table-readers-mem"))
        await store.aclose()
    assert capacities == [16 * 1024 * 1024] * 2, "the block cache is another one"
    assert min(readers) > 50_000, "there is no Bloom filter"


async def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = RocksKeyValue.open_at(tmp_path / "kv")
    await store.aclose()
    with pytest.raises(StoreError, match="closed"):
        await store.get(b"key")


def test_a_file_in_its_place_is_told(tmp_path: Path) -> None:
    (tmp_path / "kv").write_text("no directory")
    with pytest.raises(StoreError, match="cannot open the store"):
        RocksKeyValue.open_at(tmp_path / "kv")


FULL = """
import asyncio, resource, sys
from pathlib import Path
from gossamer.errors import DiskFull
from gossamer.kv.rocks import RocksKeyValue

async def main():
    store = RocksKeyValue.open_at(Path(sys.argv[1]))
    await store.put(b"before", b"x")
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    try:
        await store.put(b"large", b"x" * 200_000)
    except DiskFull as error:
        print(error)
    print(await store.get(b"before"), await store.get(b"large"))

asyncio.run(main())
"""


def test_a_full_disk_is_told_as_such(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path / "kv")], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"no space is left for {tmp_path / 'kv'}; free some and resume", "b'x' None"], (
        done.stderr
    )


async def test_a_damaged_block_is_no_end_of_a_walk(tmp_path: Path) -> None:
    store = RocksKeyValue.open_at(tmp_path / "kv")
    await store.put_all([(b"%05d" % number, b"x" * 200) for number in range(1000)])
    await store.aclose()
    (table,) = (tmp_path / "kv").glob("*.sst")
    content = bytearray(table.read_bytes())
    for at in range(len(content) // 10, len(content) // 2, len(content) // 10):
        content[at] ^= 0x40
        table.write_bytes(content)
        store = RocksKeyValue.open_at(tmp_path / "kv")
        with pytest.raises(StoreError, match=r"cannot read the store in .*restore it from a checkpoint"):
            await scanned(store, b"0")
        await store.aclose()
        content[at] ^= 0x40


async def test_a_store_that_lost_its_list_of_files_is_no_new_one(tmp_path: Path) -> None:
    store = RocksKeyValue.open_at(tmp_path / "kv")
    await store.put(b"key", b"value")
    await store.aclose()
    (tmp_path / "kv" / "CURRENT").unlink()
    with pytest.raises(StoreError, match="CURRENT is missing; restore it from a checkpoint"):
        RocksKeyValue.open_at(tmp_path / "kv")
    (tmp_path / "kv" / "seal").unlink()
    with pytest.raises(StoreError, match="CURRENT is missing, without which the store is empty"):
        RocksKeyValue.open_at(tmp_path / "kv")
