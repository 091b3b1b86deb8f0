"""Every catalog keeps the promises of its joint."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from plain_stores import PlainCatalog

from gossamer.joints.catalog import Catalog
from gossamer.records.location import Location
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.testing.catalog import RULES, Rule

BACKENDS: dict[str, Callable[[Path], Awaitable[Catalog]]] = {
    "sqlite": lambda path: SqliteCatalog.open(Location("sqlite", path / "catalog.db", "sqlite:catalog.db"), durable=True),
    "plain": lambda path: PlainCatalog.open(Location("plain", path / "catalog", "plain:catalog"), durable=True),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_catalog_keeps_its_promise(backend: str, rule: Rule, tmp_path: Path) -> None:
    assert isinstance(await BACKENDS[backend](tmp_path), Catalog)
    await rule(lambda: BACKENDS[backend](tmp_path))
