"""What one of several workers may spend, and what all of them together."""

from pathlib import Path

from gossamer.assemble import make_budget, open_stores
from gossamer.clock import SystemClock
from gossamer.config.sections import Settings
from gossamer.crew import share_of

SETTINGS = Settings.model_validate({"crawl": {"workers": 3, "concurrency": 10, "max_pages": 1_000}})


async def test_every_worker_may_have_as_many_visits_under_way_as_one_process(tmp_path: Path) -> None:
    clock = SystemClock()
    async with open_stores(tmp_path, SETTINGS, [], clock) as stores:
        assert (await make_budget(stores)).room(under_way=4) == 3 * 10 - 4
    assert share_of(SETTINGS).crawl.concurrency == 10


def test_the_node_alone_watches_over_the_budget() -> None:
    crawl = share_of(SETTINGS).crawl
    assert (crawl.max_pages, crawl.max_bytes, crawl.max_seconds, crawl.free_disk) == (None, None, None, 0)


def test_workers_together_keep_hardly_more_connections_than_one_process() -> None:
    kept = SETTINGS.fetch.connections
    assert kept < 3 * share_of(SETTINGS).fetch.connections < 1.2 * kept
