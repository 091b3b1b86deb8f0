"""Which modules in C are there: each is optional, and where one is missing its twin in Python does the same, more slowly.

Whoever has a twin in C asks for it with `optional` and takes what there is, so that each module falls back alone. Every module
has its signatures in a `.pyi` beside it, which is installed whether or not the module could be compiled: so what is missing is
known as well.
"""

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import PurePath
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
    there: list[str] = []
    missing: list[str] = []
    for stub in sorted(_stubs()):
        name = ".".join(stub.parts)
        (there if optional(f"gossamer.{name}") else missing).append(name)
    return there, missing


def _stubs() -> Iterator[PurePath]:
    """Walk over the signatures of all modules in C, without their ending; pathlib's own walk takes twice as long."""
    [root] = gossamer.__path__
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for file in files:
            if file.startswith("_") and file.endswith(".pyi"):
                yield PurePath(folder, file).relative_to(root).with_suffix("")
