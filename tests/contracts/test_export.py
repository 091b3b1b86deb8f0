"""Every export keeps the promises of its joint."""

import pytest

from gossamer.registry import TABLE, choose
from gossamer.testing.export import RULES, Rule


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("form", TABLE["export"])
async def test_an_export_keeps_its_promise(rule: Rule, form: str) -> None:
    await rule(choose("export", form))
