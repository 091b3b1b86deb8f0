"""Which modules in C are there: each is optional, and where one is missing its twin in Python does the same, more slowly.

Whoever has a twin in C asks for it with `optional` and takes what there is, so that each module falls back alone. Every module
has its signatures in a `.pyi` beside it, which is installed whether or not the module could be compiled: so what is missing is
known as well.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

import gossamer


def optional(name: str) -> ModuleType | None:
    """Return a module in C, or None where it was not compiled or cannot be loaded."""
    try:
        return import_module(name)
    except ImportError:
        return None


def compiled_and_pure() -> tuple[list[str], list[str]]:
    """Return the modules in C that are there, such as `url._join`, and those whose twins in Python stand in for them."""
    [root] = gossamer.__path__
    stubs = sorted(path.relative_to(root).with_suffix("") for path in Path(root).rglob("_*.pyi"))
    there: list[str] = []
    missing: list[str] = []
    for name in [".".join(stub.parts) for stub in stubs]:
        (there if optional(f"gossamer.{name}") else missing).append(name)
    return there, missing
