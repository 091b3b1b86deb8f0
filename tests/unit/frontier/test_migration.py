"""A frontier of the layout before this one is brought to this one."""

import shutil
from pathlib import Path
from struct import pack

import pytest

from gossamer.config.sections import Breaker, FrontierSettings
from gossamer.frontier import migration
from gossamer.frontier.embedded import EmbeddedFrontier
from gossamer.frontier.keys import VERSION_KEY, url_key
from gossamer.frontier.rows import decode_url, encode
from gossamer.frontier.sheets import Sheets
from gossamer.frontier.store import Store
from gossamer.records.entry import Discovered, Priority, Verdict
from gossamer.records.host import HostPolicy
from gossamer.records.lease import Fate, Known
from gossamer.records.outcome import State
from gossamer.testing.frontier_bench import EAGER, LEASE, NOW, end, entry, key, leased

ELSEWHERE = Verdict(False, "scope", "elsewhere")


def opened(path: Path) -> EmbeddedFrontier:
    return EmbeddedFrontier.open(path, FrontierSettings(cache=1 << 20), EAGER, Breaker(), LEASE, NOW)


async def a_crawl(path: Path) -> list[Known]:
    """Leave a crawl with URLs in every state; return what is known of it."""
    frontier = opened(path)
    await frontier.set_policy("b.example", HostPolicy(priority=Priority.HIGH))
    await frontier.discover([entry(str(number), f"{number}.example") for number in range(30)], NOW)
    await frontier.discover([entry(str(number), "b.example") for number in range(30)], NOW)
    await frontier.discover([entry("r1", refused=ELSEWHERE), entry("r2", refused=ELSEWHERE)], NOW)
    await frontier.discover([entry("r1")], NOW)
    fates = (Fate.DONE, Fate.DEAD, Fate.RETRY, Fate.AGAIN)
    ended = [end(lease, fates[n % 4], due=NOW + 9) for n, lease in enumerate(await leased(frontier, NOW))]
    await frontier.settle(ended[:20], NOW)
    await frontier.abandon("worker", NOW)
    await frontier.remove(key("r2"))
    known = list(frontier.known())
    await frontier.aclose()
    return known


def age(path: Path) -> None:
    """Turn a store into one of the layout before: a row a URL by its slot, with the text of its key."""
    shutil.rmtree(path / "slots")
    store = Store(path / "store", 1 << 20)
    batch = store.batch()
    for reference, written in list(Sheets(store).walk()):
        (raw,) = store.url([url_key(reference)])
        batch.delete(url_key(reference), store.urls)
        slot = b"U" + written.slot.to_bytes(8, "big")
        if raw is None or (raw and decode_url(raw).state is State.WAITING and not decode_url(raw).token):
            queue = written.entry.priority if raw is None else decode_url(raw).queue
            batch.put(slot, pack(">BQB", 0, reference, queue) + written.entry.key.encode())
        elif raw:
            first, *rest = (getattr(decode_url(raw), name) for name in decode_url(raw).__struct_fields__)
            batch.put(slot, encode((first, written.entry.key, *rest)))
    batch.put(VERSION_KEY, b"\x03")
    store.write(batch)
    store.close()


@pytest.mark.parametrize("interrupted", [False, True])
async def test_an_older_frontier_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interrupted: bool
) -> None:
    known = await a_crawl(tmp_path)
    age(tmp_path)
    monkeypatch.setattr(migration, "_AT_ONCE", 7)
    if interrupted:
        write, left = Store.write, iter(range(4))
        with monkeypatch.context() as patches:
            patches.setattr(Store, "write", lambda self, batch: (next(left), write(self, batch)))
            with pytest.raises(StopIteration):
                opened(tmp_path)
    frontier = opened(tmp_path)
    assert list(frontier.known()) == known
    assert {each.state for each in known} == {State.WAITING, State.DONE, State.DEAD, State.REMOVED}
    again = [each.entry for each in known]
    assert await frontier.discover(again, NOW) == Discovered(known=len(again))
    assert not list(frontier._store.scan(b"U"))
    while leases := await leased(frontier, NOW + 100):
        await frontier.settle([end(lease) for lease in leases], NOW + 100)
    assert frontier.statistics().waiting == 0
    await frontier.aclose()
    await opened(tmp_path).aclose()


async def test_a_frontier_from_before_refusals_were_counted_counts_them_when_it_is_opened(tmp_path: Path) -> None:
    await a_crawl(tmp_path)
    frontier = opened(tmp_path)
    await frontier.discover([entry("r3", refused=ELSEWHERE)], NOW)
    counted = frontier.statistics().failed, frontier.statistics().not_for_us
    frontier._meta.not_for_us = -1
    await frontier.discover([entry("r4")], NOW)  # writes it down
    await frontier.aclose()
    frontier = opened(tmp_path)
    assert (frontier.statistics().failed, frontier.statistics().not_for_us) == counted == (5, 1)
    await frontier.aclose()
