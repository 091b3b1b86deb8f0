"""Every robots.txt cache keeps the promises of its joint, over every store."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.kv.memory import MemoryKeyValue
from gossamer.kv.rocks import RocksKeyValue
from gossamer.protocols import KeyValue, Robots
from gossamer.robots.cache import RobotsCache
from gossamer.testing.robots import DENYING, DURABLE, PAGE, RULES, SETTINGS, Rule, answer, ask, verdict

STORES: dict[str, Callable[[Path], KeyValue]] = {
    "memory": lambda path: MemoryKeyValue(),
    "rocks": lambda path: RocksKeyValue.open(path / "kv"),
}


@pytest.mark.parametrize("rule", [*RULES, *DURABLE], ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("store", STORES)
async def test_a_robots_cache_keeps_its_promise(store: str, rule: Rule, tmp_path: Path) -> None:
    kv = STORES[store](tmp_path)
    assert isinstance(RobotsCache(SETTINGS, kv), Robots)
    await rule(lambda settings: RobotsCache(settings, kv))
    await kv.aclose()


async def test_rules_are_read_back_from_a_store_that_was_closed(tmp_path: Path) -> None:
    kv = RocksKeyValue.open(tmp_path / "kv")
    await ask(RobotsCache(SETTINGS, kv), answer(DENYING))
    await kv.aclose()
    kv = RocksKeyValue.open(tmp_path / "kv")
    assert await verdict(RobotsCache(SETTINGS, kv), PAGE) == "denied"
    await kv.aclose()
