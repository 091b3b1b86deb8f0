"""Every key-value store keeps the promises of its joint."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from plain_stores import PlainKeyValue

from gossamer.joints.keyvalue import KeyValue
from gossamer.kv.memory import MemoryKeyValue
from gossamer.kv.rocks import RocksKeyValue
from gossamer.records.location import Location
from gossamer.testing.kv import DURABLE, RULES, Rule

BACKENDS: dict[str, Callable[[Path], Awaitable[KeyValue]]] = {
    "memory": lambda path: MemoryKeyValue.open(Location("memory", path / "kv", "memory:kv"), durable=True),
    "rocks": lambda path: RocksKeyValue.open(Location("rocksdb", path / "kv", "rocksdb:kv"), durable=True),
    "plain": lambda path: PlainKeyValue.open(Location("plain", path / "kv", "plain:kv"), durable=True),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_store_keeps_its_promise(backend: str, rule: Rule, tmp_path: Path) -> None:
    await rule(lambda: BACKENDS[backend](tmp_path))


@pytest.mark.parametrize("rule", DURABLE, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("backend", ["rocks", "plain"])
async def test_a_store_that_outlives_its_closing_keeps_its_promise(backend: str, rule: Rule, tmp_path: Path) -> None:
    await rule(lambda: BACKENDS[backend](tmp_path))


async def test_every_store_looks_like_its_joint(tmp_path: Path) -> None:
    assert all([isinstance(await backend(tmp_path), KeyValue) for backend in BACKENDS.values()])
