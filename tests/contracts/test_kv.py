"""Every key-value store keeps the promises of its joint."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.joints.keyvalue import KeyValue
from gossamer.kv.memory import MemoryKeyValue
from gossamer.kv.rocks import RocksKeyValue
from gossamer.testing.kv import DURABLE, RULES, Rule

BACKENDS: dict[str, Callable[[Path], KeyValue]] = {
    "memory": lambda path: MemoryKeyValue(),
    "rocks": lambda path: RocksKeyValue.open(path / "kv"),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_store_keeps_its_promise(backend: str, rule: Rule, tmp_path: Path) -> None:
    await rule(lambda: BACKENDS[backend](tmp_path))


@pytest.mark.parametrize("rule", DURABLE, ids=lambda rule: rule.__name__)
async def test_a_store_on_disk_keeps_its_promise(rule: Rule, tmp_path: Path) -> None:
    await rule(lambda: BACKENDS["rocks"](tmp_path))


def test_every_store_looks_like_its_joint(tmp_path: Path) -> None:
    assert all(isinstance(backend(tmp_path), KeyValue) for backend in BACKENDS.values())
