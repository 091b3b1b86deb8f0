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


def compiled_modules() -> dict[str, bool]:
    """Return every module in C that there could be, such as `url._join`, and whether it is there."""
    [root] = gossamer.__path__
    stubs = sorted(path.relative_to(root).with_suffix("") for path in Path(root).rglob("_*.pyi"))
    names = [".".join(stub.parts) for stub in stubs]
    return {name: optional(f"gossamer.{name}") is not None for name in names}
