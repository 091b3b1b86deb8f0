"""Every reader of ours keeps the promises of its joint: that of a new project, and that of the README."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gossamer.jobs.project import PAGE, SCRIPT
from gossamer.testing.reader import RULES, Rule, page_of

README = (Path(__file__).parents[2] / "README.md").read_text()
SHOP = re.findall(r"(?ms)^```python\n(# shop\.py.*?)# look\.py", README)[0]


def reader_of(text: str, name: str) -> Callable[..., Any]:
    names: dict[str, Any] = {}
    exec(text, names)
    return names[name]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize(("text", "name"), [(SCRIPT, "product"), (SHOP, "item")], ids=["project", "README"])
async def test_a_reader_keeps_its_promise(text: str, name: str, rule: Rule) -> None:
    await rule(reader_of(text, name), page_of(PAGE))
