"""What only the embedded frontier promises: exact seen tests, bounded memory, and a store that is never half-written."""

import resource
from collections.abc import Callable
from pathlib import Path

import pytest
from killing import leave_as_killed

from gossamer.config.sections import Breaker, FrontierSettings
from gossamer.errors import StoreError
from gossamer.frontier.bloom import PureBloom
from gossamer.frontier.embedded import ledger, seen
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.frontier.layout import line, slots
from gossamer.frontier.layout.keys import HOSTS, LEASES, TICKET, VERSION_KEY
from gossamer.frontier.layout.store import VERSION, Store
from gossamer.records.entry import Discovered, Priority
from gossamer.records.host import HostPolicy
from gossamer.records.lease import Answer, Fate, Leases
from gossamer.records.outcome import State
from gossamer.storage.shelving import DirectoryShelving
from gossamer.testing.frontier_bench import EAGER, LEASE, NOW, end, entry, key, leased, status

MANY = [entry(str(number)) for number in range(500)]


def opened(path: Path, now: float = NOW, **settings: int) -> EmbeddedFrontier:
    return EmbeddedFrontier.open_at(path, FrontierSettings(cache=1 << 20, **settings), EAGER, Breaker(), LEASE, now)


@pytest.mark.parametrize("recent_keys", [0, 1, 100_000])
async def test_two_keys_with_the_same_fingerprint_are_both_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recent_keys: int
) -> None:
    monkeypatch.setattr(seen, "fingerprint", lambda key: 2**64 - 2 if key.endswith(("1", "2", "3")) else 0)
    frontier = opened(tmp_path, recent_keys=recent_keys)
    paths = [str(number) for number in range(10)]
    found = [entry(path) for path in paths]
    assert await frontier.discover(found + found, NOW) == Discovered(new=10, known=10)
    assert frontier._seen._bloom.count == 10 + 1  # else the saved filter would not be believed
    await frontier.settle([end(lease) for lease in await leased(frontier, NOW)], NOW)
    await frontier.aclose()
    frontier = opened(tmp_path, recent_keys=recent_keys)
    assert await frontier.discover(found, NOW) == Discovered(known=10)
    looked_up = [await frontier.lookup(key(path)) for path in paths]
    assert [known.entry.key for known in looked_up if known] == [key(path) for path in paths]
    assert (await frontier.statistics()).done == 1 and await frontier.lookup(key("99")) is None
    await frontier.aclose()


async def test_a_bloom_filter_that_says_yes_to_everything_loses_no_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Yes(PureBloom):
        """Claims to hold everything."""

        def __contains__(self, number: int) -> bool:
            return True

    monkeypatch.setattr(seen, "new_bloom", lambda _: Yes(100))
    frontier = opened(tmp_path, recent_keys=0)
    assert await frontier.discover(MANY + MANY, NOW) == Discovered(new=500, known=500)
    assert frontier._seen._bloom.count == 500 + 1  # else the saved filter would not be believed
    await frontier.aclose()


async def test_a_filter_that_was_lost_is_built_anew_with_all_slots_and_all_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "WORTH_IT", 1)
    hosts = [f"h{number}.example" for number in range(50)]
    frontier = opened(tmp_path)
    await frontier.discover([entry("1", host=host) for host in hosts] + MANY, NOW)
    await frontier.drop(hosts[0])  # without work, it rests
    await frontier.aclose()
    for again in (False, True):  # from the files of slots, and from the sheets
        (tmp_path / "seen.bloom").unlink()
        if again:
            for run in (tmp_path / "slots").glob("*.run"):
                run.unlink()
        frontier = opened(tmp_path)
        filled = frontier._seen
        assert all(filled.find(key("1", host=host))[1] is not None for host in hosts) and all(map(filled.may_know, hosts))
        assert filled.filter.count == 500 + 50 + 51 + again and not filled.may_know("other.example")
        assert await frontier.discover(MANY, NOW) == Discovered(known=500)
        assert await frontier.discover([entry(f"2{again}", host=hosts[0])], NOW) == Discovered(new=1)
        await frontier.aclose()


async def test_recent_keys_and_the_filter_spare_reads(tmp_path: Path) -> None:
    frontier = opened(tmp_path)
    await frontier.discover(MANY, NOW)
    await frontier.discover(MANY, NOW)
    numbers = await frontier.statistics()
    assert (numbers.recent_hits, numbers.bloom_misses) == (500, 500) and numbers.store_reads < 10
    await frontier.aclose()
    frontier = opened(tmp_path, recent_keys=100)
    await frontier.discover(MANY, NOW)
    assert (await frontier.statistics()).store_reads == 500
    assert len(frontier._seen._recent) + len(frontier._seen._older) <= 100
    await frontier.aclose()


def _delete(path: Path) -> None:
    path.unlink()


def _tear(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


@pytest.mark.parametrize("harm", [_delete, _tear])
async def test_a_missing_or_torn_filter_is_built_anew(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    frontier = opened(tmp_path, recent_keys=0)
    await frontier.discover(MANY, NOW)
    await frontier.aclose()
    harm(tmp_path / "seen.bloom")
    frontier = opened(tmp_path, recent_keys=0)
    assert await frontier.discover(MANY, NOW) == Discovered(known=500)
    await frontier.aclose()


async def test_a_filter_older_than_the_store_is_built_anew(tmp_path: Path) -> None:
    frontier = opened(tmp_path, recent_keys=0)
    await frontier.discover(MANY[:100], NOW)
    await frontier.aclose()
    old = (tmp_path / "seen.bloom").read_bytes()
    frontier = opened(tmp_path, recent_keys=0)
    await frontier.discover(MANY, NOW)
    await frontier.aclose()
    (tmp_path / "seen.bloom").write_bytes(old)
    frontier = opened(tmp_path, recent_keys=0)
    assert await frontier.discover(MANY, NOW) == Discovered(known=500)
    await frontier.aclose()


async def test_a_saved_filter_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = opened(tmp_path)
    await frontier.discover(MANY, NOW)
    await frontier.aclose()
    scanned: list[bytes] = []
    scan = Store.scan
    monkeypatch.setattr(Store, "scan", lambda self, prefix: scanned.append(prefix) or scan(self, prefix))
    frontier = opened(tmp_path)
    assert not scanned.count(b"U") and frontier._seen._bloom.count == 501
    await frontier.aclose()


async def test_memory_is_bounded_by_hosts_with_work(tmp_path: Path) -> None:
    frontier = opened(tmp_path)
    await frontier.discover([entry("1", f"{number}.example") for number in range(50)], NOW)
    assert (await frontier.statistics()).hosts == len(frontier._schedule.hosts) == 50
    await frontier.settle([end(lease) for lease in await leased(frontier, NOW)], NOW)
    assert not frontier._schedule.hosts and len([host async for host in frontier.hosts()]) == 50
    await frontier.discover([entry(str(number)) for number in range(5000)], NOW)
    (host,) = frontier._schedule.hosts.values()
    assert len(host.line) <= 2 * line.FEW * TICKET and host.waiting == 5000
    assert not frontier._ledger.changed and not frontier._seen._fresh
    await frontier.aclose()


async def test_a_failed_write_is_the_last_and_nothing_of_it_is_kept(tmp_path: Path) -> None:
    frontier = opened(tmp_path)
    await frontier.discover(MANY[:10], NOW)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, limits[1]))
    try:
        with pytest.raises(StoreError, match=r"no space is left for the frontier .*; nothing that was done is lost; make room"):
            await frontier.discover(MANY, NOW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    for change in (frontier.discover(MANY, NOW), frontier.lease("worker", 1, NOW), frontier.remove(key("1"))):
        with pytest.raises(StoreError, match="no space is left"):
            await change
    await frontier.aclose()
    frontier = opened(tmp_path)
    assert (await frontier.statistics()).waiting == len([known async for known in frontier.known(State.WAITING)]) == 10
    await frontier.aclose()


async def test_an_entry_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    frontier = opened(tmp_path)
    with pytest.raises(UnicodeEncodeError):
        await frontier.discover([entry("1"), entry("\ud800")], NOW)
    await frontier.aclose()
    frontier = opened(tmp_path)
    assert (await frontier.statistics()).waiting == 0 and await frontier.lookup(key("1")) is None
    await frontier.aclose()


@pytest.mark.parametrize(
    ("delete", "put", "complaint"),
    [(b"", (VERSION_KEY, bytes([VERSION + 1])), "newer gossamer"), (VERSION_KEY, (b"M", b"counters"), "older gossamer")],
)
async def test_a_frontier_of_another_version_is_refused(
    tmp_path: Path, delete: bytes, put: tuple[bytes, bytes], complaint: str
) -> None:
    frontier = opened(tmp_path)
    await frontier.aclose()
    store = Store(tmp_path / "store", 1 << 20)
    batch = store.batch()
    batch.delete(delete)
    batch.put(*put)
    store.write(batch)
    store.close()
    for _ in range(2):
        with pytest.raises(StoreError, match=complaint):
            opened(tmp_path)


async def test_a_frontier_in_use_is_refused(tmp_path: Path) -> None:
    frontier = opened(tmp_path)
    with pytest.raises(StoreError, match="in use"):
        opened(tmp_path)
    await frontier.aclose()
    await frontier.aclose()


async def test_a_checkpoint_needs_a_new_directory(tmp_path: Path) -> None:
    frontier = opened(tmp_path / "frontier")
    (tmp_path / "copy").mkdir()
    with pytest.raises(StoreError, match="cannot copy"):
        await frontier.checkpoint(DirectoryShelving(tmp_path / "copy"))
    await frontier.aclose()


async def test_opening_reads_hosts_not_urls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = opened(tmp_path)
    await frontier.discover(MANY, NOW)
    await frontier.aclose()
    read: list[bytes] = []
    get, sheet = Store.get, Store.sheet
    monkeypatch.setattr(Store, "get", lambda self, key: read.append(key) or get(self, key))
    monkeypatch.setattr(Store, "sheet", lambda self, keys: read.extend(keys) or sheet(self, keys))
    frontier = opened(tmp_path)
    assert read == [VERSION_KEY] and (await frontier.statistics()).waiting == 500
    assert len(await leased(frontier, NOW)) == 1 and len(read) == 2
    await frontier.aclose()


async def test_a_lease_of_many_hosts_writes_one_row_and_their_end_takes_it_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frontier = opened(tmp_path)
    await frontier.discover([entry("1", f"{number}.example") for number in range(50)], NOW)
    sizes: list[int] = []
    write = Store.write
    monkeypatch.setattr(Store, "write", lambda self, batch: sizes.append(batch.len()) or write(self, batch))
    leases = await leased(frontier, NOW)
    assert len(leases) == 50 and sizes == [1] and len(list(frontier._store.scan(LEASES))) == 1
    await frontier.settle([end(lease) for lease in leases[:49]], NOW)
    assert len(list(frontier._store.scan(LEASES))) == 1
    await frontier.settle([end(leases[49])], NOW)
    assert not list(frontier._store.scan(LEASES))
    await frontier.aclose()


@pytest.mark.parametrize("cleanly", [True, False])
async def test_a_url_that_was_tried_again_is_not_counted_as_returned(tmp_path: Path, cleanly: bool) -> None:
    frontier = opened(tmp_path / "0")
    await frontier.discover([entry("1")], NOW)
    for other in "bc":  # the second lease of it shows a ticket that was tried before, and its row is kept by the other lease
        await frontier.discover([entry("1", f"{other}.example")], NOW)
        leases = await leased(frontier, NOW)
        assert [lease.entry.host for lease in leases] == ["a.example", f"{other}.example"]
        await frontier.settle([end(leases[0], Fate.RETRY)], NOW)
    if cleanly:
        await frontier.aclose()
        frontier = opened(tmp_path / "0")
    else:
        await leave_as_killed(frontier, tmp_path / "1")
        frontier = opened(tmp_path / "1")
    known = {known.entry.host: (known.attempts, known.returns) async for known in frontier.known()}
    assert known == {"a.example": (2, 0), "b.example": (0, 1), "c.example": (0, 1)}
    await frontier.aclose()


async def test_a_host_without_work_is_found_again(tmp_path: Path) -> None:
    frontier = opened(tmp_path)
    for path in ("1", "2"):
        await frontier.discover([entry(path)], NOW)
        (lease,) = await leased(frontier, NOW + 100)
        await frontier.settle([end(lease, answer=Answer(at=NOW, robots_delay=7.0))], NOW + 100)
        assert not frontier._schedule.hosts
        await frontier.aclose()
        frontier = opened(tmp_path)
        assert (await status(frontier)).clock.recent_count == int(path)
    await frontier.aclose()


async def test_a_crawl_keeps_the_order_it_was_begun_with_if_that_is_by_credit(tmp_path: Path) -> None:
    given = (FrontierSettings(cache=1 << 20), EAGER, Breaker(), LEASE, NOW)
    for first in (True, False):
        path = tmp_path / str(first)
        await EmbeddedFrontier.open_at(path, *given, opic=not first).aclose()
        frontier = EmbeddedFrontier.open_at(path, *given, opic=first)  # as long as it is empty, it may change
        await frontier.discover([entry()], NOW)
        await frontier.aclose()
        with pytest.raises(StoreError, match="begun with"):
            EmbeddedFrontier.open_at(path, *given, opic=not first)
        frontier = EmbeddedFrontier.open_at(path, *given, opic=first)
        assert ((await frontier.statistics()).credit is not None) is first
        await frontier.aclose()


async def test_a_lease_that_nobody_noted_comes_back_all_the_same(tmp_path: Path) -> None:
    frontier = opened(tmp_path)
    await frontier.discover(MANY[:3], NOW)
    await leased(frontier, NOW)
    await frontier.block("a.example", NOW + 1, None)  # writes the host with its lease
    for key_of_lease, _ in list(frontier._store.scan(LEASES)):
        frontier._ledger.batch.delete(key_of_lease)
    frontier._ledger.commit()
    await frontier.aclose()
    frontier = opened(tmp_path, NOW + 5)
    assert (await frontier.statistics()).waiting == 3
    for number in range(3):
        (lease,) = await leased(frontier, NOW + 5 + number)
        await frontier.settle([end(lease)], NOW + 5 + number)
    await frontier.aclose()


async def test_a_host_that_lost_its_last_url_gets_turns_again_when_another_is_found(tmp_path: Path) -> None:
    frontier = opened(tmp_path)
    await frontier.discover([entry("1")], NOW)
    assert await frontier.remove(key("1"))
    assert (await frontier.statistics()).hosts == 0
    await frontier.discover([entry("2")], NOW + 1)
    assert [lease.entry for lease in await leased(frontier, NOW + 10)] == [entry("2")]
    await frontier.aclose()


async def test_hosts_that_rest_are_known_before_and_after_they_are_put_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "RESTING", 4)
    names = [f"h{number}" for number in range(11)]
    frontier = opened(tmp_path)
    for name in names:
        await frontier.pace(name, 3.0)
    stored = [row for row in frontier._store.scan(HOSTS)]
    assert len(frontier._ledger.resting) <= 4 and len(stored) + len(frontier._ledger.resting) == 11
    assert sorted([(status.host, status.clock.robots_delay) async for status in frontier.hosts()]) == sorted(
        (name, 3.0) for name in names
    )
    assert not [name for name in names if await frontier.host(name) is None]
    await frontier.aclose()
    frontier = opened(tmp_path)
    assert sorted([(status.host, status.clock.robots_delay) async for status in frontier.hosts()]) == sorted(
        (name, 3.0) for name in names
    )
    await frontier.aclose()


async def test_a_url_that_waits_in_the_class_its_hosts_policy_says_is_found_there(tmp_path: Path) -> None:
    frontier = opened(tmp_path)
    await frontier.set_policy("a.example", HostPolicy(priority=Priority.HIGH))
    await frontier.discover(MANY[:2], NOW)
    await frontier.aclose()
    frontier = opened(tmp_path)
    known = await frontier.lookup(key("0"))
    assert known is not None and known.priority is Priority.HIGH and known.entry.priority is not Priority.HIGH
    assert await frontier.remove(key("0"))
    assert [lease.entry for lease in await leased(frontier, NOW + 10)] == MANY[1:2] and not (
        await frontier.statistics()
    ).waiting
    await frontier.aclose()


async def test_of_leases_given_together_those_that_did_not_end_come_back(tmp_path: Path) -> None:
    frontier = opened(tmp_path)
    hosts = ("a.example", "b.example", "c.example")
    await frontier.discover([entry("1", host=host) for host in hosts], NOW)
    first, second, third = await leased(frontier, NOW)
    await frontier.settle([end(first), end(third)], NOW + 1)
    assert (await frontier.lease("w", 9, NOW + 2)).next_time == NOW + LEASE
    (again,) = await leased(frontier, NOW + LEASE)
    assert (again.entry.key, again.returns) == (second.entry.key, 1)
    await frontier.settle([end(again)], NOW + LEASE)
    assert (await frontier.lease("w", 9, NOW + LEASE)).next_time is None
    await frontier.aclose()


async def test_a_bare_turn_that_did_not_end_is_over_when_its_time_is(tmp_path: Path) -> None:
    frontier = opened(tmp_path)
    assert await frontier.reserve("w", "a.example", NOW) is not None
    await frontier.discover([entry("1", host="a.example")], NOW)
    assert await frontier.lease("w", 9, NOW + 1) == Leases((), NOW + LEASE)
    assert len(await leased(frontier, NOW + LEASE + 9)) == 1
    await frontier.aclose()
