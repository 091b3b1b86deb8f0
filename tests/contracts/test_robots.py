"""Every robots.txt cache keeps the promises of its joint, over every store."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from wiring import Halves, wired

from gossamer.config.sections import RobotsTxt
from gossamer.joints.keyvalue import KeyValue
from gossamer.joints.robots import Robots
from gossamer.kv.memory import MemoryKeyValue
from gossamer.kv.rocks import RocksKeyValue
from gossamer.remote.client import RemoteRobots
from gossamer.robots.cache import RobotsCache
from gossamer.testing.robots import DENYING, DURABLE, PAGE, RULES, SETTINGS, Rule, answer, ask, verdict

STORES: dict[str, Callable[[Path], KeyValue]] = {
    "memory": lambda path: MemoryKeyValue(),
    "rocks": lambda path: RocksKeyValue.open_at(path / "kv"),
}


@pytest.mark.parametrize("rule", [*RULES, *DURABLE], ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("store", STORES)
async def test_a_robots_cache_keeps_its_promise(store: str, rule: Rule, tmp_path: Path) -> None:
    kv = STORES[store](tmp_path)
    assert isinstance(RobotsCache(SETTINGS, kv), Robots)
    await rule(lambda settings: RobotsCache(settings, kv))
    await kv.aclose()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_a_robots_cache_behind_a_socket_keeps_its_promise(rule: Rule) -> None:
    kv = MemoryKeyValue()
    async with wired() as wire:

        def open_robots(settings: RobotsTxt) -> Robots:
            cache = RobotsCache(settings, kv)
            wire.serve(robots=cache)
            return cast(Robots, Halves(RemoteRobots(wire.connection), cache))

        await rule(open_robots)


async def test_rules_are_read_back_from_a_store_that_was_closed(tmp_path: Path) -> None:
    kv = RocksKeyValue.open_at(tmp_path / "kv")
    await ask(RobotsCache(SETTINGS, kv), answer(DENYING))
    await kv.aclose()
    kv = RocksKeyValue.open_at(tmp_path / "kv")
    assert await verdict(RobotsCache(SETTINGS, kv), PAGE) == "denied"
    await kv.aclose()
