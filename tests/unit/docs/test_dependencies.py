"""Every package that is asked for is used, and every package that is used is asked for."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DISTRIBUTIONS = packages_distributions()
TOOLS = {"import-linter": "lint-imports", "mypy": "mypy", "ruff": "ruff"}  # called by the Makefile
PLUGINS = {
    "pytest-asyncio": "asyncio_mode",
    "pytest-timeout": "timeout =",
    "pytest-xdist": "--dist",
}  # used by a setting or option


def test_every_dependency_is_imported_by_the_program_and_nothing_else_is() -> None:
    came_along = {"pydantic_core"}  # with pydantic, which has no name of its own for its errors
    assert _names(PROJECT["dependencies"]) == _imported_below("src") - came_along


def test_every_extra_is_for_something_that_uses_it() -> None:
    extras = dict(PROJECT["optional-dependencies"])
    development = _names(extras.pop("dev"))
    assert extras == {}  # one that comes back names here who imports it
    used = _imported_below("tests") | _imported_below("bench") | _imported_in(ROOT / "hatch_build.py")
    settings = (ROOT / "Makefile").read_text() + (ROOT / "pyproject.toml").read_text()
    used |= {name for name, word in (TOOLS | PLUGINS).items() if word in settings}
    assert development <= used


def _names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=!~;\[ ]", requirement)[0] for requirement in requirements}


def _imported_below(folder: str) -> set[str]:
    return {name for path in (ROOT / folder).rglob("*.py") for name in _imported_in(path)}


def _imported_in(path: Path) -> set[str]:
    """Return the distributions that a file imports."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            modules |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module.partition(".")[0])
    foreign = modules - sys.stdlib_module_names - {"gossamer"}
    return {name.lower() for module in foreign for name in DISTRIBUTIONS.get(module, ())}
