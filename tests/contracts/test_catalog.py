"""Every catalog keeps the promises of its joint."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer.joints.catalog import Catalog
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.testing.catalog import RULES, Rule

BACKENDS: dict[str, Callable[[Path], Catalog]] = {
    "sqlite": lambda path: SqliteCatalog.open(path / "catalog.db"),
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_catalog_keeps_its_promise(backend: str, rule: Rule, tmp_path: Path) -> None:
    assert isinstance(BACKENDS[backend](tmp_path), Catalog)
    await rule(lambda: BACKENDS[backend](tmp_path))
