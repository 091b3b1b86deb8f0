"""Acknowledged means synced: when syncs happen, who shares them, and that every store really issues them."""

import asyncio
import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import page, site_running

from gossamer import durability
from gossamer.assemble import Crawl
from gossamer.clock import SystemClock
from gossamer.config.load import load
from gossamer.config.sections import Breaker, FrontierSettings, Politeness, Storage
from gossamer.durability import Gathering, Syncing, make_directory
from gossamer.errors import StoreError
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.frontier.layout import store as frontier_store
from gossamer.jobs.directory import CrawlDirectory
from gossamer.jobs.run import run_crawl
from gossamer.kv import rocks
from gossamer.records.entry import Entry
from gossamer.records.host import HostPolicy
from gossamer.records.outcome import Outcome
from gossamer.records.page import Page
from gossamer.storage.archive.directory import DirectoryArchive
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.testing.archive import answer, keep
from gossamer.url.parse import parse


class Disk:
    """A disk whose syncs end when they are told to."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.finish = threading.Semaphore(0)
        self.threads: list[int] = []

    def sync(self) -> None:
        self.threads.append(threading.get_ident())
        self.begun.release()
        assert self.finish.acquire(timeout=10)


async def test_who_comes_while_a_sync_is_under_way_shares_the_next() -> None:
    disk = Disk()
    syncing = Syncing(disk.sync, durable=True)
    first = asyncio.create_task(syncing.acknowledge())
    assert await asyncio.to_thread(disk.begun.acquire, timeout=5)
    others = [asyncio.create_task(syncing.acknowledge()) for _ in range(10)]
    await asyncio.sleep(0)
    disk.finish.release()
    await first
    assert await asyncio.to_thread(disk.begun.acquire, timeout=5)
    assert not any(other.done() for other in others)  # the first one began before they wrote
    disk.finish.release()
    await asyncio.gather(*others)
    await syncing.aclose()
    assert len(disk.threads) == 2 and threading.get_ident() not in disk.threads


class Steps:
    """Steps that end when they are told to, and who was in each."""

    def __init__(self, linger: bool) -> None:
        self.groups: list[list[int]] = []
        self.go = asyncio.Semaphore(0)
        self.gathering = Gathering(self._step, linger=linger)

    async def _step(self, items: list[int]) -> int:
        self.groups.append(items)
        await self.go.acquire()
        return len(items)

    async def come(self, items: range) -> list["asyncio.Task[int]"]:
        """Let some come one after the other, each in a turn of the loop of its own."""
        tasks = []
        for item in items:
            tasks.append(asyncio.create_task(self.gathering.share(item)))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        return tasks


@pytest.mark.parametrize("linger", [False, True])
async def test_who_comes_while_a_step_is_under_way_is_gathered_for_the_next(linger: bool) -> None:
    steps = Steps(linger)
    tasks = await steps.come(range(4))
    steps.go.release()
    steps.go.release()
    assert await asyncio.gather(*tasks) == [1, 3, 3, 3]
    assert steps.groups == [[0], [1, 2, 3]]


async def test_who_gives_up_waiting_takes_nobody_along() -> None:
    steps = Steps(linger=False)
    tasks = await steps.come(range(4))
    tasks[1].cancel()
    await asyncio.wait(tasks[1:2])
    steps.go.release()
    steps.go.release()
    assert await asyncio.gather(tasks[0], *tasks[2:]) == [1, 3, 3]
    assert tasks[1].cancelled()


async def test_a_step_waits_for_others_as_long_as_they_come_where_there_were_others_lately(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(durability, "LINGER_EACH", 3600.0)
    monkeypatch.setattr(durability, "LINGER", 3600.0)  # until the test says so
    monkeypatch.setattr(durability, "LOOKS", 2)
    steps = Steps(linger=True)
    for _ in range(9):
        steps.go.release()
    await asyncio.gather(*await steps.come(range(1)))
    steps.gathering._sizes = (1, 8)

    def pass_time() -> bool:
        planned = steps.gathering._planned
        assert planned is not None
        planned._run()
        planned.cancel()
        return steps.gathering._planned is None

    tasks = await steps.come(range(1, 2))
    assert pass_time()  # nobody else came
    await asyncio.gather(*tasks)
    tasks = await steps.come(range(2, 4))
    assert not pass_time()
    tasks += await steps.come(range(4, 5))
    assert pass_time()  # it waits twice at most
    assert await asyncio.gather(*tasks) == [3, 3, 3]
    assert steps.groups == [[0], [1], [2, 3, 4]]


async def test_a_step_waits_no_longer_than_a_moment_when_all_are_there_whom_it_expects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durability, "LINGER_EACH", 3600.0)
    monkeypatch.setattr(durability, "LINGER", 3600.0)
    monkeypatch.setattr(durability, "PAUSE", 0.0)
    steps = Steps(linger=True)
    steps.gathering._sizes = (1, 3)
    for _ in range(2):
        steps.go.release()
    tasks = await steps.come(range(2))
    assert steps.groups == []
    assert await asyncio.gather(*tasks, *await steps.come(range(2, 3))) == [3, 3, 3]


async def test_a_step_whose_way_was_freed_waits_for_others_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durability, "LINGER_EACH", 3600.0)
    monkeypatch.setattr(durability, "LINGER", 3600.0)
    monkeypatch.setattr(durability, "PAUSE", 0.0)
    steps = Steps(linger=True)
    tasks = await steps.come(range(1))
    steps.gathering._sizes = (1, 3)
    tasks += await steps.come(range(1, 2))
    steps.gathering.free()
    assert steps.groups == [[0]] and steps.gathering._planned is not None
    tasks += await steps.come(range(2, 4))
    for _ in range(2):
        steps.go.release()
    assert await asyncio.gather(*tasks) == [1, 3, 3, 3]


async def test_a_step_that_has_company_enough_waits_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durability, "LINGER_EACH", 3600.0)
    monkeypatch.setattr(durability, "LINGER", 3600.0)
    monkeypatch.setattr(durability, "ENOUGH", 3)
    steps = Steps(linger=True)
    steps.gathering._sizes = (1, 8)
    for _ in range(2):
        steps.go.release()
    assert await asyncio.gather(*await steps.come(range(3))) == [3, 3, 3]
    assert steps.groups == [[0, 1, 2]] and steps.gathering._planned is None


async def test_where_items_are_batches_a_step_waits_for_as_much_as_is_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durability, "LINGER_EACH", 3600.0)
    monkeypatch.setattr(durability, "LINGER", 3600.0)
    monkeypatch.setattr(durability, "PAUSE", 0.0)
    groups = list[list[range]]()

    async def step(batches: list[range]) -> int:
        groups.append(batches)
        return sum(map(len, batches))

    gathering: Gathering[range, int] = Gathering(step, linger=True, size=len)
    assert await gathering.share(range(8)) == 8
    shares = [gathering.join(range(5))]
    await asyncio.sleep(0)
    assert len(groups) == 1 and gathering._planned is not None  # three are still expected
    shares.append(gathering.join(range(4)))
    assert await asyncio.gather(*shares) == [9, 9]


async def test_a_step_waits_for_nobody_once_two_were_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durability, "LINGER_EACH", 0.0)  # who waits begins in another turn of the loop
    steps = Steps(linger=True)
    tasks = await steps.come(range(3))
    for _ in range(5):
        steps.go.release()
    await asyncio.gather(*tasks)
    waited = []
    for item in range(3, 6):
        task = asyncio.create_task(steps.gathering.share(item))
        await asyncio.sleep(0)
        waited.append(steps.gathering._planned is not None)
        await task
    assert waited == [True, True, False]


async def test_a_caller_who_is_cancelled_takes_no_one_along() -> None:
    disk = Disk()
    syncing = Syncing(disk.sync, durable=True)
    impatient, patient = asyncio.create_task(syncing.acknowledge()), asyncio.create_task(syncing.acknowledge())
    assert await asyncio.to_thread(disk.begun.acquire, timeout=5)
    impatient.cancel()
    disk.finish.release(2)
    await patient
    assert impatient.cancelled()
    await syncing.aclose()


async def test_after_a_sync_that_failed_nothing_is_acknowledged() -> None:
    tried = []

    def sync() -> None:
        tried.append(1)
        if len(tried) == 1:
            raise StoreError("the disk is broken")

    syncing = Syncing(sync, durable=True)
    for _ in range(2):
        with pytest.raises(StoreError, match="broken"):
            await syncing.acknowledge()
    await syncing.aclose()
    assert tried == [1]  # a second one that succeeds would prove nothing


async def test_fast_acknowledges_at_once_and_syncs_soon_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert durability.SOON < 1
    monkeypatch.setattr(durability, "SOON", 0.01)
    synced = threading.Semaphore(0)
    syncing = Syncing(synced.release, durable=False)
    for _ in range(5):
        await syncing.acknowledge()
    assert not synced.acquire(blocking=False)
    await asyncio.to_thread(synced.acquire)
    assert not synced.acquire(blocking=False)
    await syncing.acknowledge()
    await syncing.aclose()
    assert synced.acquire(blocking=False)


async def test_fast_tells_of_a_failed_sync_with_the_next_acknowledgement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durability, "SOON", 0)
    failed = threading.Event()

    def sync() -> None:
        failed.set()
        raise StoreError("the disk is broken")

    syncing = Syncing(sync, durable=False)
    await syncing.acknowledge()
    await asyncio.to_thread(failed.wait)
    await syncing.aclose()
    with pytest.raises(StoreError, match="broken"):
        await syncing.acknowledge()


# --- every store issues them ------------------------------------------------------------------------------------------


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were synced, in order, but for seals, of which each store writes one when it is opened."""
    names: list[str] = []
    for call in ("fsync", "fdatasync"):

        def noting(file: int, real: object = getattr(os, call)) -> None:
            number = file if isinstance(file, int) else file.fileno()
            name = Path(os.readlink(f"/proc/self/fd/{number}")).name
            if "seal." not in name:
                names.append(name)
            real(file)  # type: ignore[operator]

        monkeypatch.setattr(os, call, noting)
    return names


def test_a_new_directory_is_synced_into_each_one_above_it(tmp_path: Path, synced: list[str]) -> None:
    make_directory(tmp_path / "a" / "b")
    make_directory(tmp_path / "a" / "b")
    assert synced == ["a", tmp_path.name]


def open_archive(path: Path, mode: str) -> DirectoryArchive:
    return DirectoryArchive(path, Storage(durability=mode, segment_bytes=1024), {}, SystemClock().now, "local")  # type: ignore[arg-type]


async def test_a_flushed_archive_has_synced_its_files_and_their_names(tmp_path: Path, synced: list[str]) -> None:
    archive = open_archive(tmp_path, "durable")
    places = [await keep(archive, answer(os.urandom(1_000))) for _ in range(2)]  # the second is in a new file
    await archive.flush()
    files = [synced.index(f"{place.file}.open") for place in places]
    assert max(files) < synced.index(tmp_path.name)  # the first file is being closed meanwhile: its index may come after
    await archive.aclose()


async def test_a_flush_after_which_nothing_was_appended_syncs_nothing(tmp_path: Path, synced: list[str]) -> None:
    archive = open_archive(tmp_path, "durable")
    await keep(archive, answer())
    await archive.flush()
    assert synced
    del synced[:]
    await archive.flush()
    assert synced == []
    await archive.aclose()


async def test_a_fast_archive_syncs_a_file_before_it_gets_its_final_name(tmp_path: Path, synced: list[str]) -> None:
    archive = open_archive(tmp_path, "fast")
    place = await keep(archive, answer())
    await archive.flush()
    assert synced == []
    await archive.aclose()
    assert f"{place.file}.open" in synced and (tmp_path / place.file).exists()


@pytest.mark.parametrize(("durable", "expected"), [(True, ["catalog.db-wal"] * 2), (False, [])])
async def test_the_catalog_syncs_its_log(durable: bool, expected: list[str], tmp_path: Path, synced: list[str]) -> None:
    catalog = SqliteCatalog.open_at(tmp_path / "catalog.db", durable)
    for number in range(2):
        url = f"http://a/{number}"
        await catalog.add([Page(url=url, key=url, host="a", outcome=Outcome.OK)])
    assert [name for name in synced if name != tmp_path.name] == expected
    await catalog.aclose()


@pytest.fixture
def log_syncs(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Count with RocksDB's own statistics how often a write-ahead log was synced; a store makes its main options last."""
    made = []
    for module in (rocks, frontier_store):

        def counting(*given: int, real: object = module._options) -> object:
            options = real(*given)  # type: ignore[operator]
            options.enable_statistics()
            made.append(options)
            return options

        monkeypatch.setattr(module, "_options", counting)

    def count() -> int:
        found = re.search(r"rocksdb\.wal\.synced COUNT : (\d+)", made[-1].get_statistics())
        assert found is not None
        return int(found[1])

    return count


@pytest.mark.parametrize(("durable", "expected"), [(True, [1, 2, 3]), (False, [0, 0, 0])])
async def test_the_key_value_store_syncs_its_log(
    durable: bool, expected: list[int], tmp_path: Path, log_syncs: Callable[[], int]
) -> None:
    kv = rocks.RocksKeyValue.open_at(tmp_path, durable)
    counts = []
    for change in (kv.put(b"a", b"1"), kv.put_all([(b"b", b"2")]), kv.delete(b"a")):
        await change
        counts.append(log_syncs())
    await kv.aclose()
    assert counts == expected


@pytest.mark.parametrize("durable", [True, False])
async def test_the_frontier_syncs_what_it_acknowledges_and_no_lease(
    durable: bool, tmp_path: Path, log_syncs: Callable[[], int]
) -> None:
    now = SystemClock().now()
    frontier = EmbeddedFrontier.open_at(tmp_path, FrontierSettings(), Politeness(), Breaker(), 300, now, durable)
    start = log_syncs()
    await frontier.discover([Entry("http://a/", "http://a/", "a")], now)
    await frontier.set_policy("a", HostPolicy(paused=True))
    await frontier.block("b", now + 9, "")
    await frontier.remove("http://a/")
    acknowledged = log_syncs() - start
    await frontier.lease("worker", 1, now + 10)
    assert acknowledged == (4 if durable else 0) == log_syncs() - start
    await frontier.aclose()


# What robots.txt said is kept when its delay and its sitemaps are.
ROBOTS = ["warc.gz.open", "0000000001.jsonl", "frontier", "state"]
# Of those between, none has to be first.
PAGE = ["warc.gz.open", "0000000001.jsonl", "00000001.edges", "catalog.db-wal", "state", "frontier"]


@pytest.mark.parametrize(("mode", "expected"), [("durable", ROBOTS + PAGE), ("fast", [])])
def test_a_crawl_syncs_in_the_order_of_durability(
    mode: str, expected: list[str], tmp_path: Path, synced: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durability, "SOON", 60)
    for kind, method, name in ((rocks.RocksKeyValue, "_sync", "state"), (frontier_store.Store, "sync", "frontier")):
        real = getattr(kind, method)
        monkeypatch.setattr(kind, method, lambda self, real=real, name=name: (real(self), synced.append(name)))
    flags = {"politeness.delay": 0, "fetch.allow_private": ("127.0.0.0/8",), "storage.durability": mode}
    settings = load((), flags, {})
    so_far: list[str] = []

    def watch(crawl: Crawl) -> None:
        synced.clear()
        crawl.events.subscribe(lambda _: so_far.__setitem__(slice(None), synced))

    with site_running({"/": page()}) as site:
        directory = CrawlDirectory.create(tmp_path / "crawl", settings, [parse(site.url())], 1.0)
        assert run_crawl(directory, settings, watch).pages == 1
    files = [name.partition(".")[2] if name.endswith(".open") else name for name in so_far]
    found = [name for name in files if name not in ("warc", "crawl", "graph", "chronicle")]
    assert found[:5] + sorted(found[5:9]) + found[9:] == expected
