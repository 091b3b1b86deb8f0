"""The embedded frontier looked through: hosts on disk, in short pages; a sample across sheets of any size."""

from pathlib import Path

import pytest

from gossamer.config.sections import Breaker, FrontierSettings
from gossamer.frontier.embedded import ledger, survey
from gossamer.frontier.embedded.facade import EmbeddedFrontier
from gossamer.records.entry import Verdict
from gossamer.records.host import HostOrder, HostPolicy, HostState
from gossamer.records.reason import because
from gossamer.records.rules import Rule
from gossamer.testing.frontier_bench import EAGER, LEASE, NOW, end, entry, leased
from gossamer.testing.frontier_listing import listed

REFUSED = Verdict(False, because(Rule.SCOPE_WITHIN, site="elsewhere", within="host"))


def opened(path: Path) -> EmbeddedFrontier:
    return EmbeddedFrontier.open_at(path, FrontierSettings(), EAGER, Breaker(), LEASE, NOW)


@pytest.mark.parametrize("most", [3, 7, 1000])
async def test_hosts_that_rest_on_disk_are_listed_whole_however_few_are_looked_at_for_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(ledger, "RESTING", 0)
    monkeypatch.setattr(survey, "MOST_ROWS", most)
    monkeypatch.setattr(survey, "_ROWS", 3)
    monkeypatch.setattr(survey, "_AT_ONCE", 5)
    frontier = opened(tmp_path / "frontier")
    names = [f"h{number:02}.example" for number in range(60)]
    await frontier.discover([entry("1", name) for name in names], NOW)
    await frontier.settle([end(lease) for lease in await leased(frontier, NOW) if lease.entry.host[1:3] != "33"], NOW)
    paused = names[10:40:10]
    for name in paused:
        await frontier.set_policy(name, HostPolicy(paused=True))
    assert set(frontier._schedule.hosts) == {"h33.example"} and not frontier._ledger.resting
    for limit in (1, 4, 100):
        assert await listed(frontier, HostOrder.NAME, limit) == names
        assert await listed(frontier, HostOrder.WAITING, limit) == names  # the only one with work has it leased
        assert await listed(frontier, HostOrder.NAME, limit, HostState.PAUSED) == paused
        assert await listed(frontier, HostOrder.WAITING, limit, prefix="h4") == names[40:50]
        assert await listed(frontier, HostOrder.NEXT, limit, HostState.OPEN) == []
    await frontier.aclose()


async def test_a_url_that_was_refused_and_is_queued_by_now_is_drawn_once(tmp_path: Path) -> None:
    frontier = opened(tmp_path / "frontier")
    for size in (1, 7, 8, 9, 30):  # sheets hold eight
        await frontier.discover([entry(f"{size}-{number}", refused=REFUSED) for number in range(size)], NOW)
    await frontier.discover([entry(f"30-{number}") for number in range(30)], NOW)
    drawn = [known.entry.key for known in await frontier.sample(1000, seed=3)]
    assert len(drawn) == len(set(drawn)) == 55
    assert set(drawn) == {known.entry.key async for known in frontier.known()}
    await frontier.aclose()
