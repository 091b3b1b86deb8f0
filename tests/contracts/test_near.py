"""Every index of near duplicates keeps the promises of its joint, over every store and behind a socket."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from wiring import Halves, Near, wired

from gossamer.dedupe.near import NearIndex
from gossamer.joints.keyvalue import KeyValue
from gossamer.joints.sameness import NearDuplicates
from gossamer.kv.memory import MemoryKeyValue
from gossamer.kv.rocks import RocksKeyValue
from gossamer.remote.client import RemoteClaims
from gossamer.testing.near import RULES, Rule

STORES: dict[str, Callable[[Path], KeyValue]] = {
    "memory": lambda path: MemoryKeyValue(),
    "rocks": lambda path: RocksKeyValue.open_at(path / "kv", durable=False),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("store", STORES)
async def test_an_index_keeps_its_promise(store: str, rule: Rule, tmp_path: Path) -> None:
    kv = STORES[store](tmp_path)
    assert isinstance(NearIndex(kv), NearDuplicates)
    await rule(lambda: NearIndex(kv))
    await kv.aclose()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_an_index_behind_a_socket_keeps_its_promise(rule: Rule) -> None:
    kv = MemoryKeyValue()
    async with wired() as wire:

        def open_near() -> NearDuplicates:
            near = NearIndex(kv)
            wire.serve(near=near)
            return cast(NearDuplicates, Halves(Near(RemoteClaims(wire.connection)), near))

        await rule(open_near)
