"""Every deduper keeps the promises of its joint, over every store."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from wiring import Exact, Halves, wired

from gossamer.dedupe.exact import ExactDeduper
from gossamer.joints.keyvalue import KeyValue
from gossamer.joints.sameness import Deduper
from gossamer.kv.memory import MemoryKeyValue
from gossamer.kv.rocks import RocksKeyValue
from gossamer.remote.client import RemoteClaims
from gossamer.testing.deduper import RULES, Rule

STORES: dict[str, Callable[[Path], KeyValue]] = {
    "memory": lambda path: MemoryKeyValue(),
    "rocks": lambda path: RocksKeyValue.open_at(path / "kv"),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("store", STORES)
async def test_a_deduper_keeps_its_promise(store: str, rule: Rule, tmp_path: Path) -> None:
    kv = STORES[store](tmp_path)
    assert isinstance(ExactDeduper(kv), Deduper)
    await rule(lambda: ExactDeduper(kv))
    await kv.aclose()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_a_deduper_behind_a_socket_keeps_its_promise(rule: Rule) -> None:
    kv = MemoryKeyValue()
    async with wired() as wire:

        def open_deduper() -> Deduper:
            deduper = ExactDeduper(kv)
            wire.serve(deduper=deduper)
            return cast(Deduper, Halves(Exact(RemoteClaims(wire.connection)), deduper))

        await rule(open_deduper)
