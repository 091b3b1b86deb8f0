"""Every catalog keeps the promises of its joint."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from plain_stores import PlainCatalog

from gossamer.joints.catalog import Catalog
from gossamer.records.location import Location
from gossamer.records.pagequery import EVERY_PAGE
from gossamer.storage.catalog.sqlite import SqliteCatalog
from gossamer.testing.catalog import RULES, Rule
from gossamer.testing.catalog_lists import page
from gossamer.url.fingerprint import fingerprint

BACKENDS: dict[str, tuple[type[Any], Callable[[Path], Location]]] = {
    "sqlite": (SqliteCatalog, lambda path: Location("sqlite", path / "catalog.db", "sqlite:catalog.db")),
    "plain": (PlainCatalog, lambda path: Location("plain", path / "catalog", "plain:catalog")),
}


async def opened(backend: str, path: Path, writing: bool = True) -> Catalog:
    kind, located = BACKENDS[backend]
    catalog: Catalog = await kind.open(located(path), durable=True, writing=writing)
    return catalog


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_catalog_keeps_its_promise(backend: str, rule: Rule, tmp_path: Path) -> None:
    assert isinstance(await opened(backend, tmp_path), Catalog)
    await rule(lambda: opened(backend, tmp_path))


@pytest.mark.parametrize("backend", BACKENDS)
async def test_a_catalog_that_is_only_read_sees_what_another_writes(backend: str, tmp_path: Path) -> None:
    writer = await opened(backend, tmp_path)
    await writer.add([page(number) for number in range(5)])
    reader = await opened(backend, tmp_path, writing=False)
    for number in range(5, 20):
        await writer.add([page(number)])
        assert await reader.get(page(number).key) == page(number)
        assert len((await reader.page_list(EVERY_PAGE, 50)).items) == number + 1
        assert await reader.get_by_id(fingerprint(page(number).key)) == page(number)
        assert sum((await reader.counts()).values()) == number + 1
    await writer.aclose()
    assert await reader.totals() == await (await opened(backend, tmp_path)).totals()
    await reader.aclose()
