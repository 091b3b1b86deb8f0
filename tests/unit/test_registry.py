"""A plugin is held against its joint: a method, a colour, an argument or a constructor that differs is told by name."""

import re
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from gossamer import registry
from gossamer.errors import PluginError
from gossamer.registry import JOINTS, TABLE, choose, parameters_of

ROOT = Path(__file__).parents[2]


class Good:
    """A processor as it should be."""

    is_linear = True

    def __init__(self, max_links, agent, meta, more=None): ...

    def process(self, document): ...

    def skim(self, document): ...

    def text(self, document): ...


class WithoutSkim(Good):
    skim = None


class Waiting(Good):
    async def process(self, document): ...


class Unknowing(Good):
    is_linear = None


class Curious(Good):
    def text(self, document, language): ...


class OtherWords(Good):
    def text(this, page): ...


class Anything(Good):
    def __init__(self, *arguments): ...


class BuiltOtherwise(Good):
    def __init__(self, settings): ...


class NotBuilt:
    is_linear, process, skim, text = True, Good.process, Good.skim, Good.text


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch):
    def install(name: str) -> None:
        point = EntryPoint(name="text/odd", value=f"{__name__}:{name}", group="gossamer.processor")
        monkeypatch.setattr(registry, "_plugins", lambda family: (point,))

    return install


@pytest.mark.parametrize("name", ["Good", "OtherWords", "Anything"])
def test_a_plugin_that_looks_like_its_joint_is_chosen(installed, name: str) -> None:
    installed(name)
    assert choose("processor", "text/odd").__name__ == name


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("WithoutSkim", "has no method skim"),
        ("Waiting", "has a method process that should not be async"),
        ("Unknowing", "has no attribute is_linear in its class"),
        ("Curious", "has a method text that should take (self, document)"),
        ("BuiltOtherwise", "cannot be built with (max_links, agent, meta)"),
        ("NotBuilt", "cannot be built with (max_links, agent, meta)"),
    ],
)
def test_a_plugin_that_differs_from_its_joint_is_refused_and_told_why(installed, name: str, fault: str) -> None:
    installed(name)
    with pytest.raises(PluginError, match=re.escape(fault)):
        choose("processor", "text/odd")


@pytest.mark.parametrize("family", TABLE)
def test_what_is_ours_looks_like_its_joint_as_a_plugin_has_to(family: str) -> None:
    for key in TABLE[family]:
        registry._check(family, key, TABLE[family][key], choose(family, key))


@pytest.mark.parametrize("family", TABLE)
def test_every_family_has_a_joint_and_a_checker_and_is_in_the_document(family: str) -> None:
    assert import_module(f"gossamer.testing.{family}").RULES
    joint = JOINTS[family]
    [row] = [line for line in (ROOT / "docs/plugins.md").read_text().splitlines() if line.startswith(f"| `{family}` |")]
    assert joint.__module__.replace(".", "/").removeprefix("gossamer/") + ".py" in row
    if "__call__" in vars(joint):
        assert "`function(page)`" in row
        return
    way, wanted = ("open", joint.open) if hasattr(joint, "open") else ("Class", joint)
    assert f"`{way}({', '.join(parameters_of(wanted))})`" in row
